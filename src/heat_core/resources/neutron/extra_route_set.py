"""OS::Neutron::ExtraRouteSet: further routes of a router; routes made by others stay."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Support,
)
from heat_core.resources.neighbours import Neighbour, where
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class ExtraRouteSet(Unbuilt, NeutronType):
    """Further routes of a router; routes made by others stay."""

    name = "OS::Neutron::ExtraRouteSet"
    support = Support(version="14.0.0")
    required_extension = "extraroute-atomic"

    properties: ClassVar[Mapping[str, Prop]] = {
        "router": Prop.string(
            "Name or id of the router.", required=True, constraints=[Custom("neutron.router")]
        ),
        "routes": Prop.list(
            "The routes.",
            default=[],
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "destination": Prop.string(
                        "Network that the route leads to.",
                        required=True,
                        constraints=[Custom("net_cidr")],
                    ),
                    "nexthop": Prop.string(
                        "Address to send its traffic to.",
                        required=True,
                        constraints=[Custom("ip_addr")],
                    ),
                }
            ),
        ),
    }

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        """The router's interfaces: a route leads through one of them."""
        return where(
            others,
            "OS::Neutron::RouterInterface",
            lambda interface: interface.read("router") == own.read("router"),
        )
