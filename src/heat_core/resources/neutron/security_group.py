"""OS::Neutron::SecurityGroup: rules for the traffic that ports let pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Range,
    Support,
)
from heat_core.resources.demands import refuse
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.neutron.protocols import PROTOCOLS
from heat_core.resources.unbuilt import Unbuilt


class SecurityGroup(Unbuilt, NeutronType):
    """Rules for the traffic that ports let pass."""

    name = "OS::Neutron::SecurityGroup"
    support = Support(version="2014.1")
    required_extension = "security-group"
    entity = "security_group"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the group.", update_allowed=True),
        "description": Prop.string("What the group is for.", update_allowed=True),
        "rules": Prop.list(
            "The rules; they take the place of those that the service makes.",
            default=[],
            update_allowed=True,
            schema=Prop.map(
                schema={
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
                    "port_range_min": Prop.integer(
                        "First port, or ICMP type.", constraints=[Range(0, 65535)]
                    ),
                    "port_range_max": Prop.integer(
                        "Last port, or ICMP code.", constraints=[Range(0, 65535)]
                    ),
                    "protocol": Prop.string(
                        "Name or number of the protocol.", constraints=[AllowedValues(PROTOCOLS)]
                    ),
                    "remote_mode": Prop.string(
                        "How the other end is named.",
                        default="remote_ip_prefix",
                        constraints=[AllowedValues(["remote_ip_prefix", "remote_group_id"])],
                    ),
                    "remote_group_id": Prop.string(
                        "Group of the other end; this group when absent.",
                        constraints=[Custom("neutron.security_group")],
                    ),
                    "remote_ip_prefix": Prop.string(
                        "Network of the other end.", constraints=[Custom("net_cidr")]
                    ),
                    "description": Prop.string(
                        "What the rule is for.", support=Support(version="27.0.0")
                    ),
                }
            ),
        ),
        "stateful": Prop.boolean(
            "Whether answers to what may pass may pass too.",
            update_allowed=True,
            support=Support(version="27.0.0"),
        ),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["name"] == "default":
            refuse('Security groups cannot be assigned the name "default".')
