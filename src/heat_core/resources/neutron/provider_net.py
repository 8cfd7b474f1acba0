"""OS::Neutron::ProviderNet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class ProviderNet(Unbuilt, NeutronType):
    """A network of which it is told how it lies on the hardware."""

    name = "OS::Neutron::ProviderNet"
    support = Support(version="2014.1")
    required_extension = "provider"
    entity = "network"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the network.", update_allowed=True),
        "network_type": Prop.string(
            "How the network's traffic is told apart.",
            required=True,
            update_allowed=True,
            constraints=[AllowedValues(["local", "vlan", "vxlan", "gre", "geneve", "flat"])],
        ),
        "physical_network": Prop.string(
            "Name of the hardware network beneath.", update_allowed=True
        ),
        "segmentation_id": Prop.string(
            "Number of the network's segment there.", update_allowed=True
        ),
        "admin_state_up": Prop.boolean(
            "Whether the network is switched on.", default=True, update_allowed=True
        ),
        "shared": Prop.boolean(
            "Whether all projects may use the network.", default=True, update_allowed=True
        ),
        "port_security_enabled": Prop.boolean(
            "Whether ports filter what passes them, unless they say otherwise.",
            update_allowed=True,
            support=Support(version="8.0.0"),
        ),
        "router_external": Prop.boolean(
            "Whether routers may use the network as their outside.",
            default=False,
            update_allowed=True,
            support=Support(version="6.0.0"),
        ),
        "tags": Prop.list(
            "Tags of the network.",
            update_allowed=True,
            schema=Prop.string(),
            support=Support(version="12.0.0"),
        ),
        "dns_domain": Prop.string(
            "DNS domain of the network's ports.",
            update_allowed=True,
            constraints=[Custom("dns_domain")],
            support=Support(version="15.0.0"),
        ),
        "availability_zone_hints": Prop.list(
            "Availability zones that the network should be served in.",
            update_allowed=True,
            support=Support(version="19.0.0"),
        ),
        "tenant_id": Prop.string(
            "Id of the project that owns the network; for administrators.",
            support=Support(version="24.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "status": Attr(
            description="State of the network, as the service tells it.", kind=Kind.STRING
        ),
        "subnets": Attr(description="Ids of the subnets.", kind=Kind.LIST),
        "segments": Attr(
            description="The segments of the network.",
            kind=Kind.LIST,
            support=Support(version="16.0.0"),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["qos_policy"], "neutron", "get_qos_policy_id"),)

    def validate(self, props: Mapping[str, Any]) -> None:
        kind = props["network_type"]
        if props["segmentation_id"] and kind in ("local", "flat"):
            refuse("segmentation_id not allowed for network types: local, flat")
        if props["physical_network"] and kind in ("vxlan", "gre", "geneve", "local"):
            refuse("physical_network not allowed for network types: vxlan, gre, geneve, flat")
