"""OS::Octavia::LoadBalancer: spreads connections over members of pools."""

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
)
from heat_core.properties import rules as rule
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class LoadBalancer(Unbuilt, OctaviaType):
    """Spreads connections over members of pools."""

    name = "OS::Octavia::LoadBalancer"
    support = Support(version="10.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "description": Prop.string(default="", update_allowed=True),
        "name": Prop.string(update_allowed=True),
        "provider": Prop.string(),
        "vip_address": Prop.string(constraints=[Custom("ip_addr")]),
        "vip_subnet": Prop.string(required=True, constraints=[Custom("neutron.subnet")]),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "tenant_id": Prop.string(constraints=[Custom("keystone.project")]),
        "flavor": Prop.string(
            constraints=[Custom("octavia.flavor")], support=Support(version="14.0.0")
        ),
        "availability_zone": Prop.string(
            constraints=[Custom("octavia.availabilityzone")], support=Support(version="17.0.0")
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "vip_address": Attr(kind=Kind.STRING),
        "vip_port_id": Attr(kind=Kind.STRING),
        "vip_subnet_id": Attr(kind=Kind.STRING),
        "pools": Attr(kind=Kind.LIST),
        "flavor_id": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["vip_subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"),
            rule.resolve(["flavor"], "octavia", "get_flavor"),
        )
