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
    name = "OS::Neutron::Net"
    entity = "network"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "value_specs": Prop.map(default={}, update_allowed=True),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "tenant_id": Prop.string(),
        "shared": Prop.boolean(default=False, update_allowed=True),
        "dhcp_agent_ids": Prop.list(update_allowed=True),
        "port_security_enabled": Prop.boolean(
            update_allowed=True, support=Support(version="5.0.0")
        ),
        "qos_policy": Prop.string(
            update_allowed=True,
            constraints=[Custom("neutron.qos_policy")],
            support=Support(version="6.0.0"),
        ),
        "dns_domain": Prop.string(
            update_allowed=True,
            constraints=[Custom("dns_domain")],
            support=Support(version="7.0.0"),
        ),
        "availability_zone_hints": Prop.list(support=Support(version="19.0.0")),
        "tags": Prop.list(
            update_allowed=True, schema=Prop.string(), support=Support(version="9.0.0")
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(kind=Kind.STRING),
        "name": Attr(kind=Kind.STRING),
        "subnets": Attr(kind=Kind.LIST),
        "admin_state_up": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
        "port_security_enabled": Attr(kind=Kind.BOOLEAN, support=Support(version="5.0.0")),
        "mtu": Attr(kind=Kind.INTEGER, support=Support(version="5.0.0")),
        "qos_policy_id": Attr(kind=Kind.STRING, support=Support(version="6.0.0")),
        "l2_adjacency": Attr(kind=Kind.BOOLEAN, support=Support(version="9.0.0")),
        "segments": Attr(kind=Kind.LIST, support=Support(version="11.0.0")),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["qos_policy"], "neutron", "get_qos_policy_id"),)
