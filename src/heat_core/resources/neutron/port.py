"""OS::Neutron::Port: where a server, a router or another device is plugged into a network."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyConflict,
)
from heat_core.properties import (
    AllowedValues,
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
from heat_core.resources.neutron.port_properties import ALLOWED_ADDRESS_PAIRS, VNIC_TYPE
from heat_core.resources.unbuilt import Unbuilt


class Port(Unbuilt, NeutronType):
    """Where a server, a router or another device is plugged into a network."""

    name = "OS::Neutron::Port"
    entity = "port"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the port.", update_allowed=True),
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
        "device_id": Prop.string(
            "Id of the device behind the port.", default="", update_allowed=True
        ),
        "device_owner": Prop.string(
            "What kind of device owns the port.", default="", update_allowed=True
        ),
        "fixed_ips": Prop.list(
            "Addresses of the port.",
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "subnet_id": Prop.string(
                        "Id of the address's subnet.",
                        constraints=[Custom("neutron.subnet")],
                        support=hidden(
                            "5.0.0", "Replaced by subnet.", previous=deprecated("2014.2 ")
                        ),
                    ),
                    "subnet": Prop.string(
                        "Name or id of the address's subnet.",
                        constraints=[Custom("neutron.subnet")],
                        support=Support(version="2014.2"),
                    ),
                    "ip_address": Prop.string("The address.", constraints=[Custom("ip_addr")]),
                }
            ),
        ),
        "security_groups": Prop.list("Names or ids of security groups.", update_allowed=True),
        "replacement_policy": Prop.string(
            "Whether every update replaces the port.",
            default="AUTO",
            update_allowed=True,
            constraints=[AllowedValues(["REPLACE_ALWAYS", "AUTO"])],
            support=hidden(
                "9.0.0",
                previous=deprecated(
                    "6.0.0",
                    "Works around a mistake that the services no longer make.",
                    previous=Support(version="2014.2"),
                ),
            ),
        ),
        "dns_name": Prop.string(
            "Name of the port in DNS.",
            update_allowed=True,
            constraints=[Custom("dns_name")],
            support=Support(version="7.0.0"),
        ),
        "tags": Prop.list(
            "Tags of the port.",
            update_allowed=True,
            schema=Prop.string(),
            support=Support(version="9.0.0"),
        ),
        "value_specs": Prop.map(
            "Further fields of the request, for plugins of the service.",
            default={},
            update_allowed=True,
        ),
        "admin_state_up": Prop.boolean(
            "Whether the port is switched on.", default=True, update_allowed=True
        ),
        "mac_address": Prop.string("MAC address of the port.", constraints=[Custom("mac_addr")]),
        "allowed_address_pairs": ALLOWED_ADDRESS_PAIRS,
        "binding:vnic_type": VNIC_TYPE,
        "port_security_enabled": Prop.boolean(
            "Whether the port filters what passes it.",
            update_allowed=True,
            support=Support(version="5.0.0"),
        ),
        "qos_policy": Prop.string(
            "Name or id of the QoS policy.",
            update_allowed=True,
            constraints=[Custom("neutron.qos_policy")],
            support=Support(version="6.0.0"),
        ),
        "propagate_uplink_status": Prop.boolean(
            "Whether the port shows the state of its uplink.",
            update_allowed=True,
            support=Support(version="15.0.0"),
        ),
        "no_fixed_ips": Prop.boolean(
            "Whether the port goes without an address.",
            default=False,
            update_allowed=True,
            support=Support(version="16.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "admin_state_up": Attr(description="Whether the port is switched on.", kind=Kind.STRING),
        "device_id": Attr(description="Id of the device behind the port.", kind=Kind.STRING),
        "device_owner": Attr(description="What kind of device owns the port.", kind=Kind.STRING),
        "fixed_ips": Attr(description="Addresses of the port.", kind=Kind.LIST),
        "mac_address": Attr(description="MAC address of the port.", kind=Kind.STRING),
        "name": Attr(description="Name of the port.", kind=Kind.STRING),
        "network_id": Attr(description="Id of the network.", kind=Kind.STRING),
        "security_groups": Attr(description="Names or ids of security groups.", kind=Kind.LIST),
        "status": Attr(description="State of the port, as the service tells it.", kind=Kind.STRING),
        "tenant_id": Attr(description="Id of the project that owns the port.", kind=Kind.STRING),
        "allowed_address_pairs": Attr(
            description="Further addresses that the port may send from.", kind=Kind.LIST
        ),
        "subnets": Attr(description="The subnets of the port's addresses.", kind=Kind.LIST),
        "port_security_enabled": Attr(
            description="Whether the port filters what passes it.",
            kind=Kind.BOOLEAN,
            support=Support(version="5.0.0"),
        ),
        "qos_policy_id": Attr(
            description="Id of the QoS policy.", kind=Kind.STRING, support=Support(version="6.0.0")
        ),
        "dns_assignment": Attr(
            description="Names that DNS knows the port's addresses by.",
            kind=Kind.MAP,
            support=Support(version="7.0.0"),
        ),
        "network": Attr(
            description="The network of the port.", kind=Kind.MAP, support=Support(version="11.0.0")
        ),
        "propagate_uplink_status": Attr(
            description="Whether the port shows the state of its uplink.",
            kind=Kind.BOOLEAN,
            support=Support(version="15.0.0"),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["network"], value_path=["network_id"]),
            rule.replace(["fixed_ips", "subnet"], value_name="subnet_id"),
            rule.resolve(["network"], "neutron", "find_resourceid_by_name_or_id", "network"),
            rule.resolve(
                ["fixed_ips", "subnet"], "neutron", "find_resourceid_by_name_or_id", "subnet"
            ),
        )

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        """All subnets of the network: the service may choose any of them for an address."""
        return where(
            others,
            "OS::Neutron::Subnet",
            lambda subnet: subnet.read("network") == own.read("network"),
        )

    def needs_replace(self, after: Mapping[str, Any]) -> bool:
        return bool(after.get("replacement_policy") == "REPLACE_ALWAYS")

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["fixed_ips"] and props["no_fixed_ips"]:
            raise ResourcePropertyConflict("fixed_ips", "no_fixed_ips")
