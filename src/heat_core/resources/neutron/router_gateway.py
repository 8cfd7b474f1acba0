"""OS::Neutron::RouterGateway: connects a router with a network outside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Properties,
    Rule,
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.neighbours import Neighbour, where
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class RouterGateway(Unbuilt, NeutronType):
    """Connects a router with a network outside."""

    name = "OS::Neutron::RouterGateway"
    support = hidden(
        "5.0.0", "Replaced by external_gateway_info of the router.", previous=deprecated("2014.1")
    )
    is_planned = False

    properties: ClassVar[Mapping[str, Prop]] = {
        "router_id": Prop.string(
            "Id of the router.", required=True, constraints=[Custom("neutron.router")]
        ),
        "network_id": Prop.string(
            "Id of the network outside.",
            constraints=[Custom("neutron.network")],
            support=hidden("9.0.0", "Replaced by network.", previous=deprecated("2014.2")),
        ),
        "network": Prop.string(
            "Name or id of the network outside.", constraints=[Custom("neutron.network")]
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["network"], value_path=["network_id"]),
            rule.resolve(["network"], "neutron", "find_resourceid_by_name_or_id", "network"),
        )

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        """The router's interfaces, and the subnets that the gateway's port may be on."""
        return chain(
            where(
                others,
                "OS::Neutron::RouterInterface",
                lambda interface: interface.read("router") == own.read("router_id"),
            ),
            where(
                others,
                "OS::Neutron::Subnet",
                lambda subnet: subnet.read("network") == own.read("network"),
            ),
        )
