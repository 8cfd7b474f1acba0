"""OS::Neutron::Subnet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class Subnet(Unbuilt, NeutronType):
    name = "OS::Neutron::Subnet"
    entity = "subnet"

    properties: ClassVar[Mapping[str, Prop]] = {
        "network_id": Prop.string(
            constraints=[Custom("neutron.network")],
            support=hidden("5.0.0", "Replaced by network.", previous=deprecated("2014.2")),
        ),
        "network": Prop.string(
            required=True,
            constraints=[Custom("neutron.network")],
            support=Support(version="2014.2"),
        ),
        "subnetpool": Prop.string(
            constraints=[Custom("neutron.subnetpool")], support=Support(version="6.0.0")
        ),
        "prefixlen": Prop.integer(constraints=[Range(0)], support=Support(version="6.0.0")),
        "cidr": Prop.string(constraints=[Custom("net_cidr")]),
        "value_specs": Prop.map(default={}, update_allowed=True),
        "name": Prop.string(update_allowed=True),
        "ip_version": Prop.integer(default=4, constraints=[AllowedValues([4, 6])]),
        "dns_nameservers": Prop.list(default=[], update_allowed=True),
        "gateway_ip": Prop.string(update_allowed=True),
        "enable_dhcp": Prop.boolean(default=True, update_allowed=True),
        "allocation_pools": Prop.list(
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "start": Prop.string(required=True, constraints=[Custom("ip_addr")]),
                    "end": Prop.string(required=True, constraints=[Custom("ip_addr")]),
                }
            ),
        ),
        "tenant_id": Prop.string(),
        "host_routes": Prop.list(
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "destination": Prop.string(required=True, constraints=[Custom("net_cidr")]),
                    "nexthop": Prop.string(required=True, constraints=[Custom("ip_addr")]),
                }
            ),
        ),
        "ipv6_ra_mode": Prop.string(
            constraints=[AllowedValues(["dhcpv6-stateful", "dhcpv6-stateless", "slaac"])],
            support=Support(version="2015.1"),
        ),
        "ipv6_address_mode": Prop.string(
            constraints=[AllowedValues(["dhcpv6-stateful", "dhcpv6-stateless", "slaac"])],
            support=Support(version="2015.1"),
        ),
        "segment": Prop.string(
            update_allowed=True,
            constraints=[Custom("neutron.segment")],
            support=Support(
                version="11.0.0",
                message="Can be updated since 11.0.0.",
                previous=Support(version="9.0.0"),
            ),
        ),
        "tags": Prop.list(
            update_allowed=True, schema=Prop.string(), support=Support(version="9.0.0")
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(kind=Kind.STRING),
        "network_id": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
        "allocation_pools": Attr(kind=Kind.LIST),
        "gateway_ip": Attr(kind=Kind.STRING),
        "host_routes": Attr(kind=Kind.LIST),
        "ip_version": Attr(kind=Kind.STRING),
        "cidr": Attr(kind=Kind.STRING),
        "dns_nameservers": Attr(kind=Kind.LIST),
        "enable_dhcp": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["network"], value_path=["network_id"]),
            rule.resolve(["network"], "neutron", "find_resourceid_by_name_or_id", "network"),
            rule.resolve(["subnetpool"], "neutron", "find_resourceid_by_name_or_id", "subnetpool"),
            rule.resolve(["segment"], "openstack", "find_network_segment"),
        )
