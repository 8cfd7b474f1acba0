"""OS::Neutron::PortPairGroup: port pairs of which any can do a step of a chain."""

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


class PortPairGroup(Unbuilt, NeutronType):
    """Port pairs of which any can do a step of a chain."""

    name = "OS::Neutron::PortPairGroup"
    support = unsupported("8.0.0")
    required_extension = "sfc"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the group.", update_allowed=True),
        "description": Prop.string("What the group is for.", update_allowed=True),
        "port_pairs": Prop.list(
            "Names or ids of the pairs.",
            required=True,
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("neutron.port_pair")]),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["port_pairs"], "neutron", "resolve_ext_resource", "port_pair"),)
