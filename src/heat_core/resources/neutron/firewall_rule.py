"""OS::Neutron::FirewallRule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class FirewallRule(Unbuilt, NeutronType):
    name = "OS::Neutron::FirewallRule"
    required_extension = "fwaas"
    entity = "firewall_rule"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "shared": Prop.boolean(default=False, update_allowed=True),
        "protocol": Prop.string(
            default="any",
            update_allowed=True,
            constraints=[AllowedValues(["tcp", "udp", "icmp", "any"])],
        ),
        "ip_version": Prop.string(
            default="4", update_allowed=True, constraints=[AllowedValues(["4", "6"])]
        ),
        "source_ip_address": Prop.string(update_allowed=True, constraints=[Custom("net_cidr")]),
        "destination_ip_address": Prop.string(
            update_allowed=True, constraints=[Custom("net_cidr")]
        ),
        "source_port": Prop.string(update_allowed=True),
        "destination_port": Prop.string(update_allowed=True),
        "action": Prop.string(
            default="deny", update_allowed=True, constraints=[AllowedValues(["allow", "deny"])]
        ),
        "enabled": Prop.boolean(default=True, update_allowed=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(kind=Kind.STRING),
        "description": Attr(kind=Kind.STRING),
        "firewall_policy_id": Attr(kind=Kind.STRING),
        "shared": Attr(kind=Kind.STRING),
        "protocol": Attr(kind=Kind.STRING),
        "ip_version": Attr(kind=Kind.STRING),
        "source_ip_address": Attr(kind=Kind.STRING),
        "destination_ip_address": Attr(kind=Kind.STRING),
        "source_port": Attr(kind=Kind.STRING),
        "destination_port": Attr(kind=Kind.STRING),
        "action": Attr(kind=Kind.STRING),
        "enabled": Attr(kind=Kind.STRING),
        "position": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
    }
