"""OS::Aodh::CompositeAlarm: an alarm on rules of several kinds together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Length,
    Prop,
    Support,
)
from heat_core.resources.aodh.alarm_properties import ALARM_PROPERTIES
from heat_core.resources.aodh.aodh_type import AodhType
from heat_core.resources.unbuilt import Unbuilt


class CompositeAlarm(Unbuilt, AodhType):
    """An alarm on rules of several kinds together."""

    name = "OS::Aodh::CompositeAlarm"
    support = Support(version="8.0.0")
    entity = "alarm"
    is_planned = False
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "composite_rule": Prop.map(
            required=True,
            update_allowed=True,
            schema={
                "operator": Prop.string(
                    required=True, update_allowed=True, constraints=[AllowedValues(["or", "and"])]
                ),
                "rules": Prop.list(required=True, update_allowed=True, constraints=[Length(2)]),
            },
        ),
        **ALARM_PROPERTIES,
    }
