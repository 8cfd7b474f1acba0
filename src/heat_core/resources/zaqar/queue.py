"""OS::Zaqar::Queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    CacheMode,
    Length,
    Prop,
    Support,
    deprecated,
    hidden,
)
from heat_core.resources.unbuilt import Unbuilt
from heat_core.resources.zaqar.zaqar_type import ZaqarType


class ZaqarQueue(Unbuilt, ZaqarType):
    """A queue of messages."""

    name = "OS::Zaqar::Queue"
    support = Support(version="2014.2")
    physical_name_limit = 64
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(constraints=[Length(max=64)]),
        "metadata": Prop.map(update_allowed=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "queue_id": Attr(
            cache=CacheMode.NONE,
            support=hidden(
                "6.0.0",
                previous=deprecated(
                    "2015.1", "get_resource gives the same.", previous=Support(version="2014.1")
                ),
            ),
        ),
        "href": Attr(),
    }
