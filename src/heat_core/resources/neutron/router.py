"""OS::Neutron::Router."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
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
from heat_core.resources.neighbours import Neighbour, where
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class Router(Unbuilt, NeutronType):
    name = "OS::Neutron::Router"
    required_extension = "router"
    entity = "router"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "external_gateway_info": Prop.map(
            update_allowed=True,
            schema={
                "network": Prop.string(required=True, update_allowed=True),
                "enable_snat": Prop.boolean(update_allowed=True),
                "external_fixed_ips": Prop.list(
                    update_allowed=True,
                    schema=Prop.map(
                        schema={
                            "ip_address": Prop.string(constraints=[Custom("ip_addr")]),
                            "subnet": Prop.string(constraints=[Custom("neutron.subnet")]),
                        }
                    ),
                    support=Support(version="6.0.0"),
                ),
            },
        ),
        "value_specs": Prop.map(default={}, update_allowed=True),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "l3_agent_id": Prop.string(
            update_allowed=True,
            support=hidden(
                "6.0.0",
                previous=deprecated(
                    "2015.1", "Replaced by l3_agent_ids.", previous=Support(version="2014.1")
                ),
            ),
        ),
        "l3_agent_ids": Prop.list(
            update_allowed=True, schema=Prop.string(), support=Support(version="2015.1")
        ),
        "distributed": Prop.boolean(support=Support(version="2015.1")),
        "ha": Prop.boolean(support=Support(version="2015.1")),
        "availability_zone_hints": Prop.list(
            update_allowed=True, support=Support(version="19.0.0")
        ),
        "tags": Prop.list(
            update_allowed=True, schema=Prop.string(), support=Support(version="9.0.0")
        ),
        "tenant_id": Prop.string(support=Support(version="24.0.0")),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(kind=Kind.STRING),
        "external_gateway_info": Attr(kind=Kind.MAP),
        "name": Attr(kind=Kind.STRING),
        "admin_state_up": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        rules = (
            rule.resolve(
                ["external_gateway_info", "network"],
                "neutron",
                "find_resourceid_by_name_or_id",
                "network",
            ),
            rule.resolve(
                ["external_gateway_info", "external_fixed_ips", "subnet"],
                "neutron",
                "find_resourceid_by_name_or_id",
                "subnet",
            ),
        )
        agent = props.get("l3_agent_id")
        if not agent:
            return rules
        return (
            *rules,
            rule.add(["l3_agent_ids"], value=[agent]),
            rule.delete(["l3_agent_id"]),
        )

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        """The subnets of the network outside: the gateway takes an address from one of them."""

        def is_outside(subnet: Neighbour) -> bool:
            gateway = own.read("external_gateway_info")
            return bool(gateway) and subnet.read("network") == gateway["network"]

        return where(others, "OS::Neutron::Subnet", is_outside)
