"""OS::Neutron::VPNService."""

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
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class VPNService(Unbuilt, NeutronType):
    """A router's end of VPN connections."""

    name = "OS::Neutron::VPNService"
    required_extension = "vpnaas"
    entity = "vpnservice"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the service.", update_allowed=True),
        "description": Prop.string("What the service is for.", update_allowed=True),
        "admin_state_up": Prop.boolean(
            "Whether the service is switched on.", default=True, update_allowed=True
        ),
        "subnet_id": Prop.string(
            "Id of the subnet that the VPN is for.",
            constraints=[Custom("neutron.subnet")],
            support=hidden("5.0.0", "Replaced by subnet.", previous=deprecated("2014.2")),
        ),
        "subnet": Prop.string(
            "Name or id of the subnet that the VPN is for.",
            required=True,
            constraints=[Custom("neutron.subnet")],
            support=Support(version="2014.2"),
        ),
        "router_id": Prop.string(
            "Id of the router.",
            constraints=[Custom("neutron.router")],
            support=hidden(
                "6.0.0",
                previous=deprecated(
                    "2015.1", "Replaced by router.", previous=Support(version="2013.2")
                ),
            ),
        ),
        "router": Prop.string(
            "Name or id of the router.",
            required=True,
            constraints=[Custom("neutron.router")],
            support=Support(version="2015.1"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "admin_state_up": Attr(description="Whether the service is switched on.", kind=Kind.STRING),
        "description": Attr(description="What the service is for.", kind=Kind.STRING),
        "name": Attr(description="Name of the service.", kind=Kind.STRING),
        "router_id": Attr(description="Id of the router.", kind=Kind.STRING),
        "status": Attr(
            description="State of the service, as the service tells it.", kind=Kind.STRING
        ),
        "subnet_id": Attr(description="Id of the subnet that the VPN is for.", kind=Kind.STRING),
        "tenant_id": Attr(description="Id of the project that owns the service.", kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["subnet"], value_path=["subnet_id"]),
            rule.resolve(["subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"),
            rule.replace(["router"], value_path=["router_id"]),
            rule.resolve(["router"], "neutron", "find_resourceid_by_name_or_id", "router"),
        )
