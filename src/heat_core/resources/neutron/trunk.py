"""OS::Neutron::Trunk."""

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
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class Trunk(Unbuilt, NeutronType):
    """A port that carries several networks, told apart by their segments."""

    name = "OS::Neutron::Trunk"
    support = Support(version="9.0.0")
    required_extension = "trunk"
    entity = "trunk"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the trunk.", update_allowed=True),
        "port": Prop.string(
            "Name or id of the port that the trunk is.",
            required=True,
            immutable=True,
            constraints=[Custom("neutron.port")],
        ),
        "sub_ports": Prop.list(
            "Ports that it carries.",
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "port": Prop.string(
                        "Name or id of the port.",
                        required=True,
                        constraints=[Custom("neutron.port")],
                    ),
                    "segmentation_type": Prop.string(
                        "How its traffic is told apart.",
                        required=True,
                        constraints=[AllowedValues(["vlan"])],
                    ),
                    "segmentation_id": Prop.integer(
                        "Number of its segment.", required=True, constraints=[Range(1, 4094)]
                    ),
                }
            ),
        ),
        "description": Prop.string("What the trunk is for.", update_allowed=True),
        "admin_state_up": Prop.boolean("Whether the trunk is switched on.", update_allowed=True),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "port_id": Attr(description="Id of the port that the trunk is.", kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["port"], "neutron", "find_resourceid_by_name_or_id", "port"),
            rule.resolve(["sub_ports", "port"], "neutron", "find_resourceid_by_name_or_id", "port"),
        )
