"""OS::Neutron::IPsecPolicy."""

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
    name = "OS::Neutron::IPsecPolicy"
    required_extension = "vpnaas"
    entity = "ipsecpolicy"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "transform_protocol": Prop.string(
            default="esp", constraints=[AllowedValues(["esp", "ah", "ah-esp"])]
        ),
        "encapsulation_mode": Prop.string(
            default="tunnel", constraints=[AllowedValues(["tunnel", "transport"])]
        ),
        "auth_algorithm": Prop.string(
            default="sha1",
            constraints=[
                AllowedValues(["sha1", "sha256", "sha384", "sha512", "aes-xcbc", "aes-cmac"])
            ],
        ),
        "encryption_algorithm": Prop.string(
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
            schema={
                "units": Prop.string(
                    default="seconds", constraints=[AllowedValues(["seconds", "kilobytes"])]
                ),
                "value": Prop.integer(default=3600),
            }
        ),
        "pfs": Prop.string(
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
        "auth_algorithm": Attr(kind=Kind.STRING),
        "description": Attr(kind=Kind.STRING),
        "encapsulation_mode": Attr(kind=Kind.STRING),
        "encryption_algorithm": Attr(kind=Kind.STRING),
        "lifetime": Attr(kind=Kind.MAP),
        "name": Attr(kind=Kind.STRING),
        "pfs": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
        "transform_protocol": Attr(kind=Kind.STRING),
    }
