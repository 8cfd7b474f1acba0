"""OS::Heat::SwiftSignal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Range,
    Support,
)
from heat_core.resources.swift.swift_type import SwiftType
from heat_core.resources.unbuilt import Unbuilt


class SwiftSignal(Unbuilt, SwiftType):
    name = "OS::Heat::SwiftSignal"
    support = Support(version="2014.2")

    properties: ClassVar[Mapping[str, Prop]] = {
        "handle": Prop.string(required=True),
        "timeout": Prop.number(required=True, constraints=[Range(1, 43200)]),
        "count": Prop.integer(default=1, constraints=[Range(1, 1000)]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "data": Attr(kind=Kind.STRING),
    }
