"""OS::Neutron::IPsecSiteConnection."""

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


class IPsecSiteConnection(Unbuilt, NeutronType):
    """A VPN to another site."""

    name = "OS::Neutron::IPsecSiteConnection"
    required_extension = "vpnaas"
    entity = "ipsec_site_connection"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the connection.", update_allowed=True),
        "description": Prop.string("What the connection is for.", update_allowed=True),
        "peer_address": Prop.string(
            "Address or name of the gateway at the other site.", required=True
        ),
        "peer_id": Prop.string("Identity of that gateway.", required=True),
        "peer_cidrs": Prop.list(
            "Networks at the other site.",
            required=True,
            schema=Prop.string(constraints=[Custom("net_cidr")]),
        ),
        "mtu": Prop.integer("Longest packet.", default=1500),
        "dpd": Prop.map(
            "What happens when the other end falls silent.",
            schema={
                "actions": Prop.string(
                    "What is done about it.",
                    default="hold",
                    constraints=[
                        AllowedValues(["clear", "disabled", "hold", "restart", "restart-by-peer"])
                    ],
                ),
                "interval": Prop.integer("Seconds between two looks.", default=30),
                "timeout": Prop.integer("Seconds until the other end counts as dead.", default=120),
            },
        ),
        "psk": Prop.string("Secret that both ends know.", required=True),
        "initiator": Prop.string(
            "Whether this end begins, or only answers.",
            default="bi-directional",
            constraints=[AllowedValues(["bi-directional", "response-only"])],
        ),
        "admin_state_up": Prop.boolean(
            "Whether the connection is switched on.", default=True, update_allowed=True
        ),
        "ikepolicy_id": Prop.string("Id of the IKE policy.", required=True),
        "ipsecpolicy_id": Prop.string("Id of the IPsec policy.", required=True),
        "vpnservice_id": Prop.string("Id of the VPN service.", required=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "admin_state_up": Attr(
            description="Whether the connection is switched on.", kind=Kind.STRING
        ),
        "auth_mode": Attr(description="How the ends prove who they are.", kind=Kind.STRING),
        "description": Attr(description="What the connection is for.", kind=Kind.STRING),
        "dpd": Attr(description="What happens when the other end falls silent.", kind=Kind.MAP),
        "ikepolicy_id": Attr(description="Id of the IKE policy.", kind=Kind.STRING),
        "initiator": Attr(
            description="Whether this end begins, or only answers.", kind=Kind.STRING
        ),
        "ipsecpolicy_id": Attr(description="Id of the IPsec policy.", kind=Kind.STRING),
        "mtu": Attr(description="Longest packet.", kind=Kind.STRING),
        "name": Attr(description="Name of the connection.", kind=Kind.STRING),
        "peer_address": Attr(
            description="Address or name of the gateway at the other site.", kind=Kind.STRING
        ),
        "peer_cidrs": Attr(description="Networks at the other site.", kind=Kind.LIST),
        "peer_id": Attr(description="Identity of that gateway.", kind=Kind.STRING),
        "psk": Attr(description="Secret that both ends know.", kind=Kind.STRING),
        "route_mode": Attr(
            description="How routes to the other site come about.", kind=Kind.STRING
        ),
        "status": Attr(
            description="State of the connection, as the service tells it.", kind=Kind.STRING
        ),
        "tenant_id": Attr(
            description="Id of the project that owns the connection.", kind=Kind.STRING
        ),
        "vpnservice_id": Attr(description="Id of the VPN service.", kind=Kind.STRING),
    }
