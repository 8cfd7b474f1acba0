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
    name = "OS::Neutron::VPNService"
    required_extension = "vpnaas"
    entity = "vpnservice"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "subnet_id": Prop.string(
            constraints=[Custom("neutron.subnet")],
            support=hidden("5.0.0", "Replaced by subnet.", previous=deprecated("2014.2")),
        ),
        "subnet": Prop.string(
            required=True, constraints=[Custom("neutron.subnet")], support=Support(version="2014.2")
        ),
        "router_id": Prop.string(
            constraints=[Custom("neutron.router")],
            support=hidden(
                "6.0.0",
                previous=deprecated(
                    "2015.1", "Replaced by router.", previous=Support(version="2013.2")
                ),
            ),
        ),
        "router": Prop.string(
            required=True, constraints=[Custom("neutron.router")], support=Support(version="2015.1")
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "admin_state_up": Attr(kind=Kind.STRING),
        "description": Attr(kind=Kind.STRING),
        "name": Attr(kind=Kind.STRING),
        "router_id": Attr(kind=Kind.STRING),
        "status": Attr(kind=Kind.STRING),
        "subnet_id": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["subnet"], value_path=["subnet_id"]),
            rule.resolve(["subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"),
            rule.replace(["router"], value_path=["router_id"]),
            rule.resolve(["router"], "neutron", "find_resourceid_by_name_or_id", "router"),
        )
