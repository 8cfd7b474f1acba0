"""OS::Neutron::SecurityGroupRule: one rule of a security group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

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
from heat_core.resources.demands import not_both, refuse
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.neutron.protocols import PROTOCOLS
from heat_core.resources.unbuilt import Unbuilt


class SecurityGroupRule(Unbuilt, NeutronType):
    """One rule of a security group."""

    name = "OS::Neutron::SecurityGroupRule"
    support = Support(version="7.0.0")
    required_extension = "security-group"
    entity = "security_group_rule"

    properties: ClassVar[Mapping[str, Prop]] = {
        "security_group": Prop.string(
            "Name or id of the group.",
            required=True,
            constraints=[Custom("neutron.security_group")],
        ),
        "description": Prop.string("What the rule is for."),
        "direction": Prop.string(
            "Direction of the traffic.",
            default="ingress",
            constraints=[AllowedValues(["ingress", "egress"])],
        ),
        "ethertype": Prop.string(
            "IP version of the traffic.",
            default="IPv4",
            constraints=[AllowedValues(["IPv4", "IPv6"])],
        ),
        "port_range_min": Prop.integer("First port, or ICMP type.", constraints=[Range(0, 65535)]),
        "port_range_max": Prop.integer("Last port, or ICMP code.", constraints=[Range(0, 65535)]),
        "protocol": Prop.string(
            "Name or number of the protocol.", default="tcp", constraints=[AllowedValues(PROTOCOLS)]
        ),
        "remote_group": Prop.string(
            "Name or id of the group of the other end.",
            constraints=[Custom("neutron.security_group")],
        ),
        "remote_ip_prefix": Prop.string(
            "Network of the other end.", constraints=[Custom("net_cidr")]
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(
                ["security_group"], "neutron", "find_resourceid_by_name_or_id", "security_group"
            ),
            rule.resolve(
                ["remote_group"], "neutron", "find_resourceid_by_name_or_id", "security_group"
            ),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        not_both(props, "remote_group", "remote_ip_prefix")
        first, last = props["port_range_min"], props["port_range_max"]
        is_icmp = props["protocol"] in ("icmp", "icmpv6", "ipv6-icmp")
        if not is_icmp and first is not None and last is not None and last < first:
            refuse("The minimum port number must be less than or equal to the maximum port number.")
