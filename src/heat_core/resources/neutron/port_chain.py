"""OS::Neutron::PortChain: the way of some traffic through groups of services."""

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


class PortChain(Unbuilt, NeutronType):
    """The way of some traffic through groups of services."""

    name = "OS::Neutron::PortChain"
    support = unsupported("8.0.0")
    required_extension = "sfc"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the chain.", update_allowed=True),
        "description": Prop.string("What the chain is for.", update_allowed=True),
        "port_pair_groups": Prop.list(
            "Names or ids of the groups, in order.",
            required=True,
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("neutron.port_pair_group")]),
        ),
        "flow_classifiers": Prop.list(
            "Names or ids of the classifiers that choose the traffic.",
            default=[],
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("neutron.flow_classifier")]),
        ),
        "chain_parameters": Prop.map(
            "Further parameters, by key.", default={"correlation": "mpls"}
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(
                ["port_pair_groups"], "neutron", "resolve_ext_resource", "port_pair_group"
            ),
            rule.resolve(
                ["flow_classifiers"], "neutron", "resolve_ext_resource", "flow_classifier"
            ),
        )
