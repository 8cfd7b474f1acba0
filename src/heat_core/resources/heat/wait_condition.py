"""OS::Heat::WaitCondition: waits for signals at a handle."""

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
    """Waits for signals at a handle."""

    name = "OS::Heat::WaitCondition"
    support = Support(version="2014.2")

    properties: ClassVar[Mapping[str, Prop]] = {
        "handle": Prop.string("Reference to the handle.", required=True),
        "timeout": Prop.number("Seconds to wait.", required=True, constraints=[Range(1, 43200)]),
        "count": Prop.integer(
            "Number of signals to wait for.", default=1, update_allowed=True, constraints=[Range(1)]
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "data": Attr(
            description="Data of the signals, by signal id, as JSON.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
    }
