"""OS::Neutron::FloatingIP: an address outside for a port inside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyDependency,
)
from heat_core.properties import (
    Attr,
    CacheMode,
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
from heat_core.resources.neutron.routed_ports import interfaces_that_may_serve_ports
from heat_core.resources.unbuilt import Unbuilt


class FloatingIP(Unbuilt, NeutronType):
    """An address outside for a port inside."""

    name = "OS::Neutron::FloatingIP"
    entity = "floatingip"

    properties: ClassVar[Mapping[str, Prop]] = {
        "floating_network_id": Prop.string(
            "Id of the network outside.",
            constraints=[Custom("neutron.network")],
            support=hidden("5.0.0", "Replaced by floating_network.", previous=deprecated("2014.2")),
        ),
        "floating_network": Prop.string(
            "Name or id of the network outside.",
            required=True,
            constraints=[Custom("neutron.network")],
            support=Support(version="2014.2"),
        ),
        "floating_subnet": Prop.string(
            "Name or id of the subnet that the address comes from.",
            constraints=[Custom("neutron.subnet")],
            support=Support(version="9.0.0"),
        ),
        "value_specs": Prop.map(
            "Further fields of the request, for plugins of the service.", default={}
        ),
        "port_id": Prop.string(
            "Id of the port to bind the address to.",
            update_allowed=True,
            constraints=[Custom("neutron.port")],
        ),
        "fixed_ip_address": Prop.string(
            "Which of the port's addresses it stands for.",
            update_allowed=True,
            constraints=[Custom("ip_addr")],
        ),
        "floating_ip_address": Prop.string(
            "The address wanted; for administrators.",
            constraints=[Custom("ip_addr")],
            support=Support(version="5.0.0"),
        ),
        "dns_name": Prop.string(
            "Name of the address in DNS.",
            update_allowed=True,
            constraints=[Custom("rel_dns_name")],
            support=Support(version="7.0.0"),
        ),
        "dns_domain": Prop.string(
            "Domain of that name.",
            update_allowed=True,
            constraints=[Custom("dns_domain")],
            support=Support(version="7.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "router_id": Attr(
            description="Id of the router that translates the address.", kind=Kind.STRING
        ),
        "tenant_id": Attr(description="Id of the project that owns the address.", kind=Kind.STRING),
        "floating_network_id": Attr(description="Id of the network outside.", kind=Kind.STRING),
        "fixed_ip_address": Attr(
            description="Which of the port's addresses it stands for.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
        "floating_ip_address": Attr(description="The address.", kind=Kind.STRING),
        "port_id": Attr(
            description="Id of the port to bind the address to.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["floating_network"], value_path=["floating_network_id"]),
            rule.resolve(
                ["floating_network"], "neutron", "find_resourceid_by_name_or_id", "network"
            ),
            rule.resolve(["floating_subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"),
        )

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        """What leads from the port to the network outside: gateways, interfaces, routers."""

        def leads_outside(router: Neighbour) -> bool:
            gateway = router.read("external_gateway_info")
            return bool(gateway) and gateway["network"] == own.read("floating_network")

        return chain(
            where(
                others,
                "OS::Neutron::RouterGateway",
                lambda gateway: gateway.read("network") == own.read("floating_network"),
            ),
            interfaces_that_may_serve_ports(own, others),
            where(others, "OS::Neutron::Router", leads_outside),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["port_id"] is None and props["fixed_ip_address"] is not None:
            raise ResourcePropertyDependency(prop1="fixed_ip_address", prop2="port_id")
