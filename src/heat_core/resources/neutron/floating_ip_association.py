"""OS::Neutron::FloatingIPAssociation: binds a floating IP to a port."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
)
from heat_core.resources.neighbours import Neighbour
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.neutron.routed_ports import interfaces_of_ports
from heat_core.resources.unbuilt import Unbuilt


class FloatingIPAssociation(Unbuilt, NeutronType):
    """Binds a floating IP to a port."""

    name = "OS::Neutron::FloatingIPAssociation"

    properties: ClassVar[Mapping[str, Prop]] = {
        "floatingip_id": Prop.string("Id of the floating IP.", required=True, update_allowed=True),
        "port_id": Prop.string(
            "Id of the port.",
            required=True,
            update_allowed=True,
            constraints=[Custom("neutron.port")],
        ),
        "fixed_ip_address": Prop.string(
            "Which of the port's addresses it stands for.",
            update_allowed=True,
            constraints=[Custom("ip_addr")],
        ),
    }

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        return interfaces_of_ports(own, others)
