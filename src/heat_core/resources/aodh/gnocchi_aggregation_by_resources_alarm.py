"""OS::Aodh::GnocchiAggregationByResourcesAlarm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Support,
)
from heat_core.resources.aodh.alarm_properties import ALARM_PROPERTIES, GNOCCHI_PROPERTIES
from heat_core.resources.aodh.aodh_type import AodhType
from heat_core.resources.unbuilt import Unbuilt


class AodhGnocchiAggregationByResourcesAlarm(Unbuilt, AodhType):
    """An alarm on the aggregate of a metric over several resources."""

    name = "OS::Aodh::GnocchiAggregationByResourcesAlarm"
    support = Support(version="2015.1")
    entity = "alarm"
    is_planned = False
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "metric": Prop.string(required=True, update_allowed=True),
        "query": Prop.string(required=True, update_allowed=True),
        "resource_type": Prop.string(required=True, update_allowed=True),
        **GNOCCHI_PROPERTIES,
        **ALARM_PROPERTIES,
    }
