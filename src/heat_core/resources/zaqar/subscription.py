"""OS::Zaqar::Subscription: sends every message of a queue to somebody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Range,
    Support,
)
from heat_core.resources.demands import refuse
from heat_core.resources.unbuilt import Unbuilt
from heat_core.resources.zaqar.zaqar_type import ZaqarType

_SUBSCRIBERS = ("http", "https", "mailto", "trust+http", "trust+https")


class ZaqarSubscription(Unbuilt, ZaqarType):
    """Sends every message of a queue to somebody."""

    name = "OS::Zaqar::Subscription"
    support = Support(version="8.0.0")
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "queue_name": Prop.string(required=True, constraints=[Custom("zaqar.queue")]),
        "subscriber": Prop.string(required=True, update_allowed=True),
        "ttl": Prop.integer(default=220367260800, update_allowed=True, constraints=[Range(60)]),
        "options": Prop.map(update_allowed=True),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["subscriber"].partition(":")[0] not in _SUBSCRIBERS:
            refuse(f"The subscriber type of must be one of: {', '.join(_SUBSCRIBERS)}.")
