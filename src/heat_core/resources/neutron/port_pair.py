"""OS::Neutron::PortPair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Rule,
    unsupported,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class PortPair(Unbuilt, NeutronType):
    name = "OS::Neutron::PortPair"
    support = unsupported("7.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "ingress": Prop.string(required=True, constraints=[Custom("neutron.port")]),
        "egress": Prop.string(required=True, constraints=[Custom("neutron.port")]),
        "service_function_parameters": Prop.map(default={"correlation": None}),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["ingress"], "neutron", "find_resourceid_by_name_or_id", "port"),
            rule.resolve(["egress"], "neutron", "find_resourceid_by_name_or_id", "port"),
        )
