"""OS::Neutron::ExtraRoute: one more route of a router."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    unsupported,
)
from heat_core.resources.neighbours import Neighbour, where
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class ExtraRoute(Unbuilt, NeutronType):
    """One more route of a router."""

    name = "OS::Neutron::ExtraRoute"
    support = unsupported(None, "Other routes of the router can get lost.")
    required_extension = "extraroute"

    properties: ClassVar[Mapping[str, Prop]] = {
        "router_id": Prop.string(
            "Id of the router.", required=True, constraints=[Custom("neutron.router")]
        ),
        "destination": Prop.string("Network that the route leads to.", required=True),
        "nexthop": Prop.string("Address to send its traffic to.", required=True),
    }

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        """The router's interfaces and its gateway: a route leads through one of them."""
        return chain(
            where(
                others,
                "OS::Neutron::RouterInterface",
                lambda interface: interface.read("router") == own.read("router_id"),
            ),
            where(
                others,
                "OS::Neutron::RouterGateway",
                lambda gateway: gateway.read("router_id") == own.read("router_id"),
            ),
        )
