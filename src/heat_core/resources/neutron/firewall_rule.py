"""OS::Neutron::FirewallRule: what a firewall lets pass or not."""

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
    """What a firewall lets pass or not."""

    name = "OS::Neutron::FirewallRule"
    required_extension = "fwaas"
    entity = "firewall_rule"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the rule.", update_allowed=True),
        "description": Prop.string("What the rule is for.", update_allowed=True),
        "shared": Prop.boolean(
            "Whether all projects may use the rule.", default=False, update_allowed=True
        ),
        "protocol": Prop.string(
            "Protocol that the rule is about.",
            default="any",
            update_allowed=True,
            constraints=[AllowedValues(["tcp", "udp", "icmp", "any"])],
        ),
        "ip_version": Prop.string(
            "IP version that the rule is about.",
            default="4",
            update_allowed=True,
            constraints=[AllowedValues(["4", "6"])],
        ),
        "source_ip_address": Prop.string(
            "Address or network that the traffic comes from.",
            update_allowed=True,
            constraints=[Custom("net_cidr")],
        ),
        "destination_ip_address": Prop.string(
            "Address or network that the traffic goes to.",
            update_allowed=True,
            constraints=[Custom("net_cidr")],
        ),
        "source_port": Prop.string(
            "Port or range of ports that it comes from.", update_allowed=True
        ),
        "destination_port": Prop.string(
            "Port or range of ports that it goes to.", update_allowed=True
        ),
        "action": Prop.string(
            "What is done with such traffic.",
            default="deny",
            update_allowed=True,
            constraints=[AllowedValues(["allow", "deny"])],
        ),
        "enabled": Prop.boolean("Whether the rule is in force.", default=True, update_allowed=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(description="Name of the rule.", kind=Kind.STRING),
        "description": Attr(description="What the rule is for.", kind=Kind.STRING),
        "firewall_policy_id": Attr(
            description="Id of the policy that the rule belongs to.", kind=Kind.STRING
        ),
        "shared": Attr(description="Whether all projects may use the rule.", kind=Kind.STRING),
        "protocol": Attr(description="Protocol that the rule is about.", kind=Kind.STRING),
        "ip_version": Attr(description="IP version that the rule is about.", kind=Kind.STRING),
        "source_ip_address": Attr(
            description="Address or network that the traffic comes from.", kind=Kind.STRING
        ),
        "destination_ip_address": Attr(
            description="Address or network that the traffic goes to.", kind=Kind.STRING
        ),
        "source_port": Attr(
            description="Port or range of ports that it comes from.", kind=Kind.STRING
        ),
        "destination_port": Attr(
            description="Port or range of ports that it goes to.", kind=Kind.STRING
        ),
        "action": Attr(description="What is done with such traffic.", kind=Kind.STRING),
        "enabled": Attr(description="Whether the rule is in force.", kind=Kind.STRING),
        "position": Attr(description="Place of the rule in its policy.", kind=Kind.STRING),
        "tenant_id": Attr(description="Id of the project that owns the rule.", kind=Kind.STRING),
    }
