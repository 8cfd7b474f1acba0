"""OS::Aodh::PrometheusAlarm: an alarm on a Prometheus query."""

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


class PrometheusAlarm(Unbuilt, AodhType):
    """An alarm on a Prometheus query."""

    name = "OS::Aodh::PrometheusAlarm"
    support = Support(version="22.0.0")
    entity = "alarm"
    is_planned = False
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "comparison_operator": Prop.string(
            update_allowed=True, constraints=[AllowedValues(["le", "ge", "eq", "lt", "gt", "ne"])]
        ),
        "query": Prop.string(required=True, update_allowed=True),
        "threshold": Prop.number(required=True, update_allowed=True),
        **ALARM_PROPERTIES,
    }
