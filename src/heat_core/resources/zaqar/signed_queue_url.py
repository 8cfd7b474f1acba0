"""OS::Zaqar::SignedQueueURL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Prop,
    Support,
)
from heat_core.resources.unbuilt import Unbuilt
from heat_core.resources.zaqar.zaqar_type import ZaqarType


class ZaqarSignedQueueURL(Unbuilt, ZaqarType):
    """A URL that lets others use a queue for a time."""

    name = "OS::Zaqar::SignedQueueURL"
    support = Support(version="8.0.0")
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "queue": Prop.string(required=True),
        "paths": Prop.list(),
        "ttl": Prop.integer(),
        "methods": Prop.list(
            schema=Prop.string(
                constraints=[AllowedValues(["GET", "DELETE", "PATCH", "POST", "PUT"])]
            )
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "signature": Attr(),
        "expires": Attr(),
        "paths": Attr(),
        "methods": Attr(),
        "project": Attr(),
        "query_str": Attr(),
    }
