"""OS::Neutron::Port."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

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
    name = "OS::Neutron::Port"
    entity = "port"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "network_id": Prop.string(
            constraints=[Custom("neutron.network")],
            support=hidden("5.0.0", "Replaced by network.", previous=deprecated("2014.2")),
        ),
        "network": Prop.string(
            required=True,
            constraints=[Custom("neutron.network")],
            support=Support(version="2014.2"),
        ),
        "device_id": Prop.string(default="", update_allowed=True),
        "device_owner": Prop.string(default="", update_allowed=True),
        "fixed_ips": Prop.list(
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "subnet_id": Prop.string(
                        constraints=[Custom("neutron.subnet")],
                        support=hidden(
                            "5.0.0", "Replaced by subnet.", previous=deprecated("2014.2 ")
                        ),
                    ),
                    "subnet": Prop.string(
                        constraints=[Custom("neutron.subnet")], support=Support(version="2014.2")
                    ),
                    "ip_address": Prop.string(constraints=[Custom("ip_addr")]),
                }
            ),
        ),
        "security_groups": Prop.list(update_allowed=True),
        "replacement_policy": Prop.string(
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
            update_allowed=True, constraints=[Custom("dns_name")], support=Support(version="7.0.0")
        ),
        "tags": Prop.list(
            update_allowed=True, schema=Prop.string(), support=Support(version="9.0.0")
        ),
        "value_specs": Prop.map(default={}, update_allowed=True),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "mac_address": Prop.string(constraints=[Custom("mac_addr")]),
        "allowed_address_pairs": ALLOWED_ADDRESS_PAIRS,
        "binding:vnic_type": VNIC_TYPE,
        "port_security_enabled": Prop.boolean(
            update_allowed=True, support=Support(version="5.0.0")
        ),
        "qos_policy": Prop.string(
            update_allowed=True,
            constraints=[Custom("neutron.qos_policy")],
            support=Support(version="6.0.0"),
        ),
        "propagate_uplink_status": Prop.boolean(
            update_allowed=True, support=Support(version="15.0.0")
        ),
        "no_fixed_ips": Prop.boolean(
            default=False, update_allowed=True, support=Support(version="16.0.0")
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "admin_state_up": Attr(kind=Kind.STRING),
        "device_id": Attr(kind=Kind.STRING),
        "device_owner": Attr(kind=Kind.STRING),
        "fixed_ips": Attr(kind=Kind.LIST),
        "mac_address": Attr(kind=Kind.STRING),
        "name": Attr(kind=Kind.STRING),
        "network_id": Attr(kind=Kind.STRING),
        "security_groups": Attr(kind=Kind.LIST),
        "status": Attr(kind=Kind.STRING),
        "tenant_id": Attr(kind=Kind.STRING),
        "allowed_address_pairs": Attr(kind=Kind.LIST),
        "subnets": Attr(kind=Kind.LIST),
        "port_security_enabled": Attr(kind=Kind.BOOLEAN, support=Support(version="5.0.0")),
        "qos_policy_id": Attr(kind=Kind.STRING, support=Support(version="6.0.0")),
        "dns_assignment": Attr(kind=Kind.MAP, support=Support(version="7.0.0")),
        "network": Attr(kind=Kind.MAP, support=Support(version="11.0.0")),
        "propagate_uplink_status": Attr(kind=Kind.BOOLEAN, support=Support(version="15.0.0")),
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
