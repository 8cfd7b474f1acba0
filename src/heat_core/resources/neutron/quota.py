"""OS::Neutron::Quota."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class NeutronQuota(Unbuilt, NeutronType):
    name = "OS::Neutron::Quota"
    support = Support(version="8.0.0")
    required_extension = "quotas"

    properties: ClassVar[Mapping[str, Prop]] = {
        "project": Prop.string(required=True, constraints=[Custom("keystone.project")]),
        "subnet": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "network": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "floatingip": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "security_group_rule": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "security_group": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "router": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "port": Prop.integer(update_allowed=True, constraints=[Range(-1)]),
        "subnetpool": Prop.integer(
            update_allowed=True, constraints=[Range(-1)], support=Support(version="12.0.0")
        ),
        "rbac_policy": Prop.integer(
            update_allowed=True, constraints=[Range(-1)], support=Support(version="12.0.0")
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["project"], "keystone", "get_project_id"),)
