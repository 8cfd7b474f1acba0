"""OS::Neutron::PortPairGroup."""

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
    name = "OS::Neutron::PortPairGroup"
    support = unsupported("8.0.0")
    required_extension = "sfc"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "port_pairs": Prop.list(
            required=True,
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("neutron.port_pair")]),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["port_pairs"], "neutron", "resolve_ext_resource", "port_pair"),)
