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
    name = "OS::Neutron::IPsecSiteConnection"
    required_extension = "vpnaas"
    entity = "ipsec_site_connection"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "peer_address": Prop.string(required=True),
        "peer_id": Prop.string(required=True),
        "peer_cidrs": Prop.list(
            required=True, schema=Prop.string(constraints=[Custom("net_cidr")])
        ),
        "mtu": Prop.integer(default=1500),
        "dpd": Prop.map(
            schema={
                "actions": Prop.string(
                    default="hold",
                    constraints=[
                        AllowedValues(["clear", "disabled", "hold", "restart", "restart-by-peer"])
                    ],
                ),
                "interval": Prop.integer(default=30),
                "timeout": Prop.integer(default=120),
            }
        ),
        "psk": Prop.string(required=True),
        "initiator": Prop.string(
            default="bi-directional",
            constraints=[AllowedValues(["bi-directional", "response-only"])],
        ),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "ikepolicy_id": Prop.string(required=True),
        "ipsecpolicy_id": Prop.string(required=True),
        "vpnservice_id": Prop.string(required=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "admin_state_up": Attr(kind=Kind.STRING),
        "auth_mode": Attr(kind=Kind.STRING),
        "description": Attr(kind=Kind.STRING),
        "dpd": Attr(kind=Kind.MAP),
        "ikepolicy_id": Attr(kind=Kind.STRING),
        "initiator": Attr(kind=Kind.STRING),
        "ipsecpolicy_id": Attr(kind=Kind.STRING),
        "mtu": Attr(kind=Kind.STRING),
        "name": Attr(kind=Kind.STRING),
        "peer_address": Attr(kind=Kind.STRING),
        "peer_cidrs": Attr(kind=Kind.LIST),
        "peer_id": Attr(kind=Kind.STRING),
        "psk": Attr(kind=Kind.STRING),
        "route_mode": Attr(kind=Kind.STRING),
        "status": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
        "vpnservice_id": Attr(kind=Kind.STRING),
    }
