"""OS::Neutron::Quota: limits of what a project may have in the network service; -1 is no limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import some_limit
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class NeutronQuota(Unbuilt, NeutronType):
    """Limits of what a project may have in the network service; -1 is no limit."""

    name = "OS::Neutron::Quota"
    support = Support(version="8.0.0")
    required_extension = "quotas"

    properties: ClassVar[Mapping[str, Prop]] = {
        "project": Prop.string(
            "Name or id of the project.", required=True, constraints=[Custom("keystone.project")]
        ),
        "subnet": Prop.integer("Most subnets.", update_allowed=True, constraints=[Range(-1)]),
        "network": Prop.integer("Most networks.", update_allowed=True, constraints=[Range(-1)]),
        "floatingip": Prop.integer(
            "Most floating IPs.", update_allowed=True, constraints=[Range(-1)]
        ),
        "security_group_rule": Prop.integer(
            "Most security group rules.", update_allowed=True, constraints=[Range(-1)]
        ),
        "security_group": Prop.integer(
            "Most security groups.", update_allowed=True, constraints=[Range(-1)]
        ),
        "router": Prop.integer("Most routers.", update_allowed=True, constraints=[Range(-1)]),
        "port": Prop.integer("Most ports.", update_allowed=True, constraints=[Range(-1)]),
        "subnetpool": Prop.integer(
            "Most subnet pools.",
            update_allowed=True,
            constraints=[Range(-1)],
            support=Support(version="12.0.0"),
        ),
        "rbac_policy": Prop.integer(
            "Most access policies.",
            update_allowed=True,
            constraints=[Range(-1)],
            support=Support(version="12.0.0"),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["project"], "keystone", "get_project_id"),)

    def validate(self, props: Mapping[str, Any]) -> None:
        some_limit(props, sorted(self.properties.keys() - {"project"}))
