"""OS::Aodh::Alarm: an alarm on statistics of a meter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Prop,
    Support,
    deprecated,
)
from heat_core.resources.aodh.alarm_properties import ALARM_PROPERTIES
from heat_core.resources.aodh.aodh_type import AodhType
from heat_core.resources.unbuilt import Unbuilt


class AodhAlarm(Unbuilt, AodhType):
    """An alarm on statistics of a meter."""

    name = "OS::Aodh::Alarm"
    support = deprecated(
        "10.0.0",
        "Replaced by OS::Aodh::GnocchiAggregationByResourcesAlarm.",
        previous=Support(version="2014.1"),
    )
    entity = "alarm"
    is_planned = False
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "comparison_operator": Prop.string(
            update_allowed=True, constraints=[AllowedValues(["le", "ge", "eq", "lt", "gt", "ne"])]
        ),
        "evaluation_periods": Prop.integer(update_allowed=True),
        "meter_name": Prop.string(required=True),
        "period": Prop.integer(update_allowed=True),
        "statistic": Prop.string(
            update_allowed=True, constraints=[AllowedValues(["count", "avg", "sum", "min", "max"])]
        ),
        "threshold": Prop.number(required=True, update_allowed=True),
        "matching_metadata": Prop.map(default={}, update_allowed=True),
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
                        support=Support(version="8.0.0"),
                    ),
                    "op": Prop.string(
                        constraints=[AllowedValues(["le", "ge", "eq", "lt", "gt", "ne"])]
                    ),
                    "value": Prop.string(),
                }
            ),
            support=Support(version="2015.1"),
        ),
        **ALARM_PROPERTIES,
    }
