"""OS::Zaqar::Subscription: sends every message of a queue to somebody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Range,
    Support,
)
from heat_core.resources.unbuilt import Unbuilt
from heat_core.resources.zaqar.zaqar_type import ZaqarType


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
