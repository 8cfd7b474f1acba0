"""OS::Aodh::LBMemberHealthAlarm: an alarm on unhealthy members of a load balancer's pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.aodh.alarm_properties import ALARM_PROPERTIES
from heat_core.resources.aodh.aodh_type import AodhType
from heat_core.resources.unbuilt import Unbuilt


class LBMemberHealthAlarm(Unbuilt, AodhType):
    """An alarm on unhealthy members of a load balancer's pool."""

    name = "OS::Aodh::LBMemberHealthAlarm"
    support = Support(version="13.0.0")
    entity = "alarm"
    is_planned = False
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "pool": Prop.string(required=True, update_allowed=True),
        "stack": Prop.string(required=True),
        "autoscaling_group_id": Prop.string(required=True, update_allowed=True),
        **ALARM_PROPERTIES,
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["pool"], "octavia", "get_pool"),)
