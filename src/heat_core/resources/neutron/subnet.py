"""OS::Neutron::Subnet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    PropertyUnspecifiedError,
    ResourcePropertyConflict,
)
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
    check_locally,
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class Subnet(Unbuilt, NeutronType):
    """A range of addresses of a network."""

    name = "OS::Neutron::Subnet"
    entity = "subnet"

    properties: ClassVar[Mapping[str, Prop]] = {
        "network_id": Prop.string(
            "Id of the network.",
            constraints=[Custom("neutron.network")],
            support=hidden("5.0.0", "Replaced by network.", previous=deprecated("2014.2")),
        ),
        "network": Prop.string(
            "Name or id of the network.",
            required=True,
            constraints=[Custom("neutron.network")],
            support=Support(version="2014.2"),
        ),
        "subnetpool": Prop.string(
            "Name or id of the pool that the range comes from.",
            constraints=[Custom("neutron.subnetpool")],
            support=Support(version="6.0.0"),
        ),
        "prefixlen": Prop.integer(
            "Length of the prefix of a range from the pool.",
            constraints=[Range(0)],
            support=Support(version="6.0.0"),
        ),
        "cidr": Prop.string("The range.", constraints=[Custom("net_cidr")]),
        "value_specs": Prop.map(
            "Further fields of the request, for plugins of the service.",
            default={},
            update_allowed=True,
        ),
        "name": Prop.string("Name of the subnet.", update_allowed=True),
        "ip_version": Prop.integer(
            "IP version of the addresses.", default=4, constraints=[AllowedValues([4, 6])]
        ),
        "dns_nameservers": Prop.list(
            "Addresses of name servers for what is on the subnet.", default=[], update_allowed=True
        ),
        "gateway_ip": Prop.string("Address of the gateway; empty for none.", update_allowed=True),
        "enable_dhcp": Prop.boolean(
            "Whether addresses are told by DHCP.", default=True, update_allowed=True
        ),
        "allocation_pools": Prop.list(
            "Parts of the range that addresses are taken from.",
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "start": Prop.string(
                        "First address.", required=True, constraints=[Custom("ip_addr")]
                    ),
                    "end": Prop.string(
                        "Last address.", required=True, constraints=[Custom("ip_addr")]
                    ),
                }
            ),
        ),
        "tenant_id": Prop.string("Id of the project that owns the subnet; for administrators."),
        "host_routes": Prop.list(
            "Routes for what is on the subnet.",
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "destination": Prop.string(
                        "Network that the route leads to.",
                        required=True,
                        constraints=[Custom("net_cidr")],
                    ),
                    "nexthop": Prop.string(
                        "Address to send its traffic to.",
                        required=True,
                        constraints=[Custom("ip_addr")],
                    ),
                }
            ),
        ),
        "ipv6_ra_mode": Prop.string(
            "How routers announce themselves on an IPv6 subnet.",
            constraints=[AllowedValues(["dhcpv6-stateful", "dhcpv6-stateless", "slaac"])],
            support=Support(version="2015.1"),
        ),
        "ipv6_address_mode": Prop.string(
            "How addresses on an IPv6 subnet come about.",
            constraints=[AllowedValues(["dhcpv6-stateful", "dhcpv6-stateless", "slaac"])],
            support=Support(version="2015.1"),
        ),
        "segment": Prop.string(
            "Name or id of the network's segment that the subnet is on.",
            update_allowed=True,
            constraints=[Custom("neutron.segment")],
            support=Support(
                version="11.0.0",
                message="Can be updated since 11.0.0.",
                previous=Support(version="9.0.0"),
            ),
        ),
        "tags": Prop.list(
            "Tags of the subnet.",
            update_allowed=True,
            schema=Prop.string(),
            support=Support(version="9.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "name": Attr(description="Name of the subnet.", kind=Kind.STRING),
        "network_id": Attr(description="Id of the network.", kind=Kind.STRING),
        "tenant_id": Attr(description="Id of the project that owns the subnet.", kind=Kind.STRING),
        "allocation_pools": Attr(
            description="Parts of the range that addresses are taken from.", kind=Kind.LIST
        ),
        "gateway_ip": Attr(description="Address of the gateway; empty for none.", kind=Kind.STRING),
        "host_routes": Attr(description="Routes for what is on the subnet.", kind=Kind.LIST),
        "ip_version": Attr(description="IP version of the addresses.", kind=Kind.STRING),
        "cidr": Attr(description="The range.", kind=Kind.STRING),
        "dns_nameservers": Attr(
            description="Addresses of name servers for what is on the subnet.", kind=Kind.LIST
        ),
        "enable_dhcp": Attr(description="Whether addresses are told by DHCP.", kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["network"], value_path=["network_id"]),
            rule.resolve(["network"], "neutron", "find_resourceid_by_name_or_id", "network"),
            rule.resolve(["subnetpool"], "neutron", "find_resourceid_by_name_or_id", "subnetpool"),
            rule.resolve(["segment"], "openstack", "find_network_segment"),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        pool, length, cidr = props["subnetpool"], props["prefixlen"], props["cidr"]
        if pool is not None and cidr:
            raise ResourcePropertyConflict("subnetpool", "cidr")
        if pool is None and not cidr:
            raise PropertyUnspecifiedError("subnetpool", "cidr")
        if length and cidr:
            raise ResourcePropertyConflict("prefixlen", "cidr")
        announced, addressed = props["ipv6_ra_mode"], props["ipv6_address_mode"]
        if props["ip_version"] == 4 and (announced or addressed):
            refuse("ipv6_ra_mode and ipv6_address_mode are not supported for ipv4.")
        if announced and addressed and announced != addressed:
            refuse("When both ipv6_ra_mode and ipv6_address_mode are set, they must be equal.")
        _check_gateway(props["gateway_ip"])


def _check_gateway(gateway: str | None) -> None:
    if gateway and gateway not in ("~", "auto") and check_locally("ip_addr", gateway):
        # The text and its value, not put together: so it has always been shown.
        refuse(str(('Gateway IP address "%(gateway)s" is in invalid format.', gateway)))
