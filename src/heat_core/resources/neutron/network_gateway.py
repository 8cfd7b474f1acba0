"""OS::Neutron::NetworkGateway: devices that connect networks with what is outside of the cloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Length,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.demands import refuse
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class NetworkGateway(Unbuilt, NeutronType):
    """Devices that connect networks with what is outside of the cloud."""

    name = "OS::Neutron::NetworkGateway"
    support = Support(version="2014.1")
    entity = "network_gateway"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the gateway.", update_allowed=True),
        "devices": Prop.list(
            "The devices.",
            required=True,
            update_allowed=True,
            constraints=[Length(1)],
            schema=Prop.map(
                schema={
                    "id": Prop.string("Id of the device.", required=True),
                    "interface_name": Prop.string("Interface of the device.", required=True),
                }
            ),
        ),
        "connections": Prop.list(
            "Networks that are connected.",
            default={},
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "network_id": Prop.string(
                        "Id of the network.",
                        constraints=[Custom("neutron.network")],
                        support=hidden(
                            "5.0.0", "Replaced by network.", previous=deprecated("2014.2")
                        ),
                    ),
                    "network": Prop.string(
                        "Name or id of the network.",
                        required=True,
                        constraints=[Custom("neutron.network")],
                        support=Support(version="2014.2"),
                    ),
                    "segmentation_type": Prop.string(
                        "How its traffic is told apart outside.",
                        default="flat",
                        constraints=[AllowedValues(["flat", "vlan"])],
                    ),
                    "segmentation_id": Prop.integer(
                        "Number of its segment outside.", constraints=[Range(0, 4094)]
                    ),
                }
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "default": Attr(
            description="Whether it is the project's default gateway.", kind=Kind.STRING
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["connections", "network"], value_name="network_id"),
            rule.resolve(
                ["connections", "network"], "neutron", "find_resourceid_by_name_or_id", "network"
            ),
        )

    def validate(self, props: Mapping[str, Any]) -> None:
        for connection in props["connections"]:
            kind, number = connection["segmentation_type"], connection["segmentation_id"]
            if kind == "vlan" and number is None:
                refuse("segmentation_id must be specified for using vlan")
            if kind == "flat" and number:
                refuse("segmentation_id cannot be specified except 0 for using flat")
