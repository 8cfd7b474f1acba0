"""OS::Neutron::Segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class Segment(Unbuilt, NeutronType):
    """A part of a network that lies on one piece of hardware network."""

    name = "OS::Neutron::Segment"
    support = Support(version="9.0.0")
    required_extension = "segment"

    properties: ClassVar[Mapping[str, Prop]] = {
        "network": Prop.string(
            "Name or id of the network.", required=True, constraints=[Custom("neutron.network")]
        ),
        "network_type": Prop.string(
            "How the segment's traffic is told apart.",
            required=True,
            constraints=[AllowedValues(["local", "vlan", "vxlan", "gre", "geneve", "flat"])],
        ),
        "physical_network": Prop.string("Name of the hardware network beneath."),
        "segmentation_id": Prop.integer("Number of the segment there.", constraints=[Range(1)]),
        "name": Prop.string("Name of the segment.", update_allowed=True),
        "description": Prop.string("What the segment is for.", update_allowed=True),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["network"], "neutron", "find_resourceid_by_name_or_id", "network"),)
