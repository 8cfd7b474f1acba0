"""OS::Aodh::EventAlarm: an alarm on events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Prop,
    Support,
)
from heat_core.resources.aodh.alarm_properties import ALARM_PROPERTIES
from heat_core.resources.aodh.aodh_type import AodhType
from heat_core.resources.unbuilt import Unbuilt


class EventAlarm(Unbuilt, AodhType):
    """An alarm on events."""

    name = "OS::Aodh::EventAlarm"
    support = Support(version="8.0.0")
    entity = "alarm"
    is_planned = False
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "event_type": Prop.string(default="*", update_allowed=True),
        "query": Prop.list(
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "field": Prop.string(),
                    "type": Prop.string(
                        default="string",
                        constraints=[
                            AllowedValues(["integer", "float", "string", "boolean", "datetime"])
                        ],
                    ),
                    "op": Prop.string(
                        constraints=[AllowedValues(["le", "ge", "eq", "lt", "gt", "ne"])]
                    ),
                    "value": Prop.string(),
                }
            ),
        ),
        **ALARM_PROPERTIES,
    }
