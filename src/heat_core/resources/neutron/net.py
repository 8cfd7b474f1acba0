"""OS::Neutron::Net."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class Net(Unbuilt, NeutronType):
    """A network of a project."""

    name = "OS::Neutron::Net"
    entity = "network"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the network.", update_allowed=True),
        "value_specs": Prop.map(
            "Further fields of the request, for plugins of the service.",
            default={},
            update_allowed=True,
        ),
        "admin_state_up": Prop.boolean(
            "Whether the network is switched on.", default=True, update_allowed=True
        ),
        "tenant_id": Prop.string("Id of the project that owns the network; for administrators."),
        "shared": Prop.boolean(
            "Whether all projects may use the network.", default=False, update_allowed=True
        ),
        "dhcp_agent_ids": Prop.list(
            "Ids of the DHCP agents that serve the network; for administrators.",
            update_allowed=True,
        ),
        "port_security_enabled": Prop.boolean(
            "Whether ports filter what passes them, unless they say otherwise.",
            update_allowed=True,
            support=Support(version="5.0.0"),
        ),
        "qos_policy": Prop.string(
            "Name or id of the QoS policy.",
            update_allowed=True,
            constraints=[Custom("neutron.qos_policy")],
            support=Support(version="6.0.0"),
        ),
        "dns_domain": Prop.string(
            "DNS domain of the network's ports.",
            update_allowed=True,
            constraints=[Custom("dns_domain")],
            support=Support(version="7.0.0"),
        ),
        "availability_zone_hints": Prop.list(
            "Availability zones that the network should be served in.",
            support=Support(version="19.0.0"),
        ),
        "tags": Prop.list(
            "Tags of the network.",
            update_allowed=True,
            schema=Prop.string(),
            support=Support(version="9.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(
            description="State of the network, as the service tells it.", kind=Kind.STRING
        ),
        "name": Attr(description="Name of the network.", kind=Kind.STRING),
        "subnets": Attr(description="Ids of the subnets.", kind=Kind.LIST),
        "admin_state_up": Attr(description="Whether the network is switched on.", kind=Kind.STRING),
        "tenant_id": Attr(description="Id of the project that owns the network.", kind=Kind.STRING),
        "port_security_enabled": Attr(
            description="Whether ports filter what passes them, unless they say otherwise.",
            kind=Kind.BOOLEAN,
            support=Support(version="5.0.0"),
        ),
        "mtu": Attr(
            description="Longest packet that the network takes.",
            kind=Kind.INTEGER,
            support=Support(version="5.0.0"),
        ),
        "qos_policy_id": Attr(
            description="Id of the QoS policy.", kind=Kind.STRING, support=Support(version="6.0.0")
        ),
        "l2_adjacency": Attr(
            description="Whether all ports are on one layer 2 network.",
            kind=Kind.BOOLEAN,
            support=Support(version="9.0.0"),
        ),
        "segments": Attr(
            description="The segments of the network.",
            kind=Kind.LIST,
            support=Support(version="11.0.0"),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["qos_policy"], "neutron", "get_qos_policy_id"),)
