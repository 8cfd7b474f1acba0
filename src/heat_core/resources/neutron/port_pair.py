"""OS::Neutron::PortPair: the two ports of a service that traffic passes through."""

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
    """The two ports of a service that traffic passes through."""

    name = "OS::Neutron::PortPair"
    support = unsupported("7.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the pair.", update_allowed=True),
        "description": Prop.string("What the pair is for.", update_allowed=True),
        "ingress": Prop.string(
            "Name or id of the port that traffic enters by.",
            required=True,
            constraints=[Custom("neutron.port")],
        ),
        "egress": Prop.string(
            "Name or id of the port that it leaves by.",
            required=True,
            constraints=[Custom("neutron.port")],
        ),
        "service_function_parameters": Prop.map(
            "Further parameters, by key.", default={"correlation": None}
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["ingress"], "neutron", "find_resourceid_by_name_or_id", "port"),
            rule.resolve(["egress"], "neutron", "find_resourceid_by_name_or_id", "port"),
        )
