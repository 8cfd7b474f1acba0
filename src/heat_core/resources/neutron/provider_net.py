"""OS::Neutron::ProviderNet."""

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
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class ProviderNet(Unbuilt, NeutronType):
    name = "OS::Neutron::ProviderNet"
    support = Support(version="2014.1")
    required_extension = "provider"
    entity = "network"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "network_type": Prop.string(
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(["local", "vlan", "vxlan", "gre", "geneve", "flat"])],
        ),
        "physical_network": Prop.string(update_allowed=True),
        "segmentation_id": Prop.string(update_allowed=True),
        "admin_state_up": Prop.boolean(default=True, update_allowed=True),
        "shared": Prop.boolean(default=True, update_allowed=True),
        "port_security_enabled": Prop.boolean(
            update_allowed=True, support=Support(version="8.0.0")
        ),
        "router_external": Prop.boolean(
            default=False, update_allowed=True, support=Support(version="6.0.0")
        ),
        "tags": Prop.list(
            update_allowed=True, schema=Prop.string(), support=Support(version="12.0.0")
        ),
        "dns_domain": Prop.string(
            update_allowed=True,
            constraints=[Custom("dns_domain")],
            support=Support(version="15.0.0"),
        ),
        "availability_zone_hints": Prop.list(
            update_allowed=True, support=Support(version="19.0.0")
        ),
        "tenant_id": Prop.string(support=Support(version="24.0.0")),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(kind=Kind.STRING),
        "subnets": Attr(kind=Kind.LIST),
        "segments": Attr(kind=Kind.LIST, support=Support(version="16.0.0")),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["qos_policy"], "neutron", "get_qos_policy_id"),)
