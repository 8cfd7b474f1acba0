"""OS::Neutron::Router: connects networks with each other and with the outside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyConflict,
)
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
from heat_core.resources.demands import refuse
from heat_core.resources.neighbours import Neighbour, where
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class Router(Unbuilt, NeutronType):
    """Connects networks with each other and with the outside."""

    name = "OS::Neutron::Router"
    required_extension = "router"
    entity = "router"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the router.", update_allowed=True),
        "external_gateway_info": Prop.map(
            "How the router reaches the outside.",
            update_allowed=True,
            schema={
                "network": Prop.string(
                    "Name or id of the network outside.", required=True, update_allowed=True
                ),
                "enable_snat": Prop.boolean(
                    "Whether addresses inside are hidden behind the gateway's.", update_allowed=True
                ),
                "external_fixed_ips": Prop.list(
                    "Addresses of the gateway.",
                    update_allowed=True,
                    schema=Prop.map(
                        schema={
                            "ip_address": Prop.string(
                                "The address.", constraints=[Custom("ip_addr")]
                            ),
                            "subnet": Prop.string(
                                "Name or id of the address's subnet.",
                                constraints=[Custom("neutron.subnet")],
                            ),
                        }
                    ),
                    support=Support(version="6.0.0"),
                ),
            },
        ),
        "value_specs": Prop.map(
            "Further fields of the request, for plugins of the service.",
            default={},
            update_allowed=True,
        ),
        "admin_state_up": Prop.boolean(
            "Whether the router is switched on.", default=True, update_allowed=True
        ),
        "l3_agent_id": Prop.string(
            "Id of the agent that runs the router.",
            update_allowed=True,
            support=hidden(
                "6.0.0",
                previous=deprecated(
                    "2015.1", "Replaced by l3_agent_ids.", previous=Support(version="2014.1")
                ),
            ),
        ),
        "l3_agent_ids": Prop.list(
            "Ids of the agents that run the router; for administrators.",
            update_allowed=True,
            schema=Prop.string(),
            support=Support(version="2015.1"),
        ),
        "distributed": Prop.boolean(
            "Whether every compute host does a part of the routing.",
            support=Support(version="2015.1"),
        ),
        "ha": Prop.boolean(
            "Whether other agents stand ready to take over.", support=Support(version="2015.1")
        ),
        "availability_zone_hints": Prop.list(
            "Availability zones that the router should run in.",
            update_allowed=True,
            support=Support(version="19.0.0"),
        ),
        "tags": Prop.list(
            "Tags of the router.",
            update_allowed=True,
            schema=Prop.string(),
            support=Support(version="9.0.0"),
        ),
        "tenant_id": Prop.string(
            "Id of the project that owns the router; for administrators.",
            support=Support(version="24.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(
            description="State of the router, as the service tells it.", kind=Kind.STRING
        ),
        "external_gateway_info": Attr(
            description="How the router reaches the outside.", kind=Kind.MAP
        ),
        "name": Attr(description="Name of the router.", kind=Kind.STRING),
        "admin_state_up": Attr(description="Whether the router is switched on.", kind=Kind.STRING),
        "tenant_id": Attr(description="Id of the project that owns the router.", kind=Kind.STRING),
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

    def validate(self, props: Mapping[str, Any]) -> None:
        agents = props["l3_agent_ids"]
        if props["l3_agent_id"] and agents:
            raise ResourcePropertyConflict("l3_agent_id", "l3_agent_ids")
        if props["distributed"] and (props["l3_agent_id"] or agents):
            raise ResourcePropertyConflict("distributed", "l3_agent_id/l3_agent_ids")
        if props["ha"] and props["distributed"]:
            raise ResourcePropertyConflict("distributed", "ha")
        if not props["ha"] and agents and len(agents) > 1:
            refuse("Non HA routers can only have one L3 agent.")
