"""OS::Heat::WaitCondition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    CacheMode,
    Kind,
    Prop,
    Range,
    Support,
)
from heat_core.resources.unbuilt import Unbuilt


class HeatWaitCondition(Unbuilt):
    name = "OS::Heat::WaitCondition"
    support = Support(version="2014.2")

    properties: ClassVar[Mapping[str, Prop]] = {
        "handle": Prop.string(required=True),
        "timeout": Prop.number(required=True, constraints=[Range(1, 43200)]),
        "count": Prop.integer(default=1, update_allowed=True, constraints=[Range(1)]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "data": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
    }
