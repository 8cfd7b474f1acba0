"""OS::Neutron::NetworkGateway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

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
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class NetworkGateway(Unbuilt, NeutronType):
    name = "OS::Neutron::NetworkGateway"
    support = Support(version="2014.1")
    entity = "network_gateway"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "devices": Prop.list(
            required=True,
            update_allowed=True,
            constraints=[Length(1)],
            schema=Prop.map(
                schema={
                    "id": Prop.string(required=True),
                    "interface_name": Prop.string(required=True),
                }
            ),
        ),
        "connections": Prop.list(
            default={},
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "network_id": Prop.string(
                        constraints=[Custom("neutron.network")],
                        support=hidden(
                            "5.0.0", "Replaced by network.", previous=deprecated("2014.2")
                        ),
                    ),
                    "network": Prop.string(
                        required=True,
                        constraints=[Custom("neutron.network")],
                        support=Support(version="2014.2"),
                    ),
                    "segmentation_type": Prop.string(
                        default="flat", constraints=[AllowedValues(["flat", "vlan"])]
                    ),
                    "segmentation_id": Prop.integer(constraints=[Range(0, 4094)]),
                }
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "default": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.replace(["connections", "network"], value_name="network_id"),
            rule.resolve(
                ["connections", "network"], "neutron", "find_resourceid_by_name_or_id", "network"
            ),
        )
