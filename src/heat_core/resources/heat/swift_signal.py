"""OS::Heat::SwiftSignal: waits for signals in an object of the object storage."""

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
    """Waits for signals in an object of the object storage."""

    name = "OS::Heat::SwiftSignal"
    support = Support(version="2014.2")

    properties: ClassVar[Mapping[str, Prop]] = {
        "handle": Prop.string("URL of the object that signals are written to.", required=True),
        "timeout": Prop.number("Seconds to wait.", required=True, constraints=[Range(1, 43200)]),
        "count": Prop.integer(
            "Number of signals to wait for.", default=1, constraints=[Range(1, 1000)]
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "data": Attr(description="Data of the signals, by signal id.", kind=Kind.STRING),
    }
