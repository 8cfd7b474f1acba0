"""OS::Neutron::IPsecPolicy: how traffic through a VPN is protected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Prop,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class IPsecPolicy(Unbuilt, NeutronType):
    """How traffic through a VPN is protected."""

    name = "OS::Neutron::IPsecPolicy"
    required_extension = "vpnaas"
    entity = "ipsecpolicy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the policy.", update_allowed=True),
        "description": Prop.string("What the policy is for.", update_allowed=True),
        "transform_protocol": Prop.string(
            "Protocol that protects the traffic.",
            default="esp",
            constraints=[AllowedValues(["esp", "ah", "ah-esp"])],
        ),
        "encapsulation_mode": Prop.string(
            "Whether whole packets are wrapped or only their content.",
            default="tunnel",
            constraints=[AllowedValues(["tunnel", "transport"])],
        ),
        "auth_algorithm": Prop.string(
            "Algorithm that proves who sent a packet.",
            default="sha1",
            constraints=[
                AllowedValues(["sha1", "sha256", "sha384", "sha512", "aes-xcbc", "aes-cmac"])
            ],
        ),
        "encryption_algorithm": Prop.string(
            "Algorithm that packets are encrypted with.",
            default="aes-128",
            constraints=[
                AllowedValues(
                    [
                        "3des",
                        "aes-128",
                        "aes-192",
                        "aes-256",
                        "aes-128-ccm-8",
                        "aes-192-ccm-8",
                        "aes-256-ccm-8",
                        "aes-128-ccm-12",
                        "aes-192-ccm-12",
                        "aes-256-ccm-12",
                        "aes-128-ccm-16",
                        "aes-192-ccm-16",
                        "aes-256-ccm-16",
                        "aes-128-gcm-8",
                        "aes-192-gcm-8",
                        "aes-256-gcm-8",
                        "aes-128-gcm-12",
                        "aes-192-gcm-12",
                        "aes-256-gcm-12",
                        "aes-128-gcm-16",
                        "aes-192-gcm-16",
                        "aes-256-gcm-16",
                        "aes-128-ctr",
                        "aes-192-ctr",
                        "aes-256-ctr",
                    ]
                )
            ],
        ),
        "lifetime": Prop.map(
            "How long an agreement holds.",
            schema={
                "units": Prop.string(
                    "Unit of the value.",
                    default="seconds",
                    constraints=[AllowedValues(["seconds", "kilobytes"])],
                ),
                "value": Prop.integer("Length of the time.", default=3600),
            },
        ),
        "pfs": Prop.string(
            "Group for perfect forward secrecy.",
            default="group5",
            constraints=[
                AllowedValues(
                    [
                        "group2",
                        "group5",
                        "group14",
                        "group15",
                        "group16",
                        "group17",
                        "group18",
                        "group19",
                        "group20",
                        "group21",
                        "group22",
                        "group23",
                        "group24",
                        "group25",
                        "group26",
                        "group27",
                        "group28",
                        "group29",
                        "group30",
                        "group31",
                    ]
                )
            ],
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "auth_algorithm": Attr(
            description="Algorithm that proves who sent a packet.", kind=Kind.STRING
        ),
        "description": Attr(description="What the policy is for.", kind=Kind.STRING),
        "encapsulation_mode": Attr(
            description="Whether whole packets are wrapped or only their content.", kind=Kind.STRING
        ),
        "encryption_algorithm": Attr(
            description="Algorithm that packets are encrypted with.", kind=Kind.STRING
        ),
        "lifetime": Attr(description="How long an agreement holds.", kind=Kind.MAP),
        "name": Attr(description="Name of the policy.", kind=Kind.STRING),
        "pfs": Attr(description="Group for perfect forward secrecy.", kind=Kind.STRING),
        "tenant_id": Attr(description="Id of the project that owns the policy.", kind=Kind.STRING),
        "transform_protocol": Attr(
            description="Protocol that protects the traffic.", kind=Kind.STRING
        ),
    }
