"""OS::Neutron::FloatingIPPortForward: leads one port of a floating IP to a port inside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.neighbours import Neighbour
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.neutron.routed_ports import interfaces_of_ports
from heat_core.resources.unbuilt import Unbuilt


class FloatingIPPortForward(Unbuilt, NeutronType):
    """Leads one port of a floating IP to a port inside."""

    name = "OS::Neutron::FloatingIPPortForward"
    support = Support(version="19.0.0")
    client_name = "openstack"
    required_extension = "floating-ip-port-forwarding"
    announced = frozenset({"check"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "internal_ip_address": Prop.string(
            "Address inside; one of the port's.",
            required=True,
            update_allowed=True,
            constraints=[Custom("ip_addr")],
        ),
        "internal_port_number": Prop.integer(
            "TCP or UDP port inside.", update_allowed=True, constraints=[Range(1, 65535)]
        ),
        "external_port": Prop.integer(
            "TCP or UDP port of the floating IP.",
            required=True,
            update_allowed=True,
            constraints=[Range(1, 65535)],
        ),
        "internal_port": Prop.string(
            "Name or id of the port inside.",
            required=True,
            update_allowed=True,
            constraints=[Custom("neutron.port")],
        ),
        "protocol": Prop.string(
            "Protocol that is forwarded.",
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(["tcp", "udp", "icmp", "icmp6", "sctp", "dccp"])],
        ),
        "floating_ip": Prop.string("Name or id of the floating IP.", required=True),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["floating_ip"], "openstack", "find_network_ip"),
            rule.resolve(["internal_port"], "openstack", "find_network_port"),
        )

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        return interfaces_of_ports(own, others)
