"""OS::Neutron::SecurityGroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Range,
    Support,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.neutron.protocols import PROTOCOLS
from heat_core.resources.unbuilt import Unbuilt


class SecurityGroup(Unbuilt, NeutronType):
    name = "OS::Neutron::SecurityGroup"
    support = Support(version="2014.1")
    required_extension = "security-group"
    entity = "security_group"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "rules": Prop.list(
            default=[],
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "direction": Prop.string(
                        default="ingress", constraints=[AllowedValues(["ingress", "egress"])]
                    ),
                    "ethertype": Prop.string(
                        default="IPv4", constraints=[AllowedValues(["IPv4", "IPv6"])]
                    ),
                    "port_range_min": Prop.integer(constraints=[Range(0, 65535)]),
                    "port_range_max": Prop.integer(constraints=[Range(0, 65535)]),
                    "protocol": Prop.string(constraints=[AllowedValues(PROTOCOLS)]),
                    "remote_mode": Prop.string(
                        default="remote_ip_prefix",
                        constraints=[AllowedValues(["remote_ip_prefix", "remote_group_id"])],
                    ),
                    "remote_group_id": Prop.string(constraints=[Custom("neutron.security_group")]),
                    "remote_ip_prefix": Prop.string(constraints=[Custom("net_cidr")]),
                    "description": Prop.string(support=Support(version="27.0.0")),
                }
            ),
        ),
        "stateful": Prop.boolean(update_allowed=True, support=Support(version="27.0.0")),
    }
