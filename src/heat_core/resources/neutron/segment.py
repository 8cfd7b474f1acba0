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
    name = "OS::Neutron::Segment"
    support = Support(version="9.0.0")
    required_extension = "segment"

    properties: ClassVar[Mapping[str, Prop]] = {
        "network": Prop.string(required=True, constraints=[Custom("neutron.network")]),
        "network_type": Prop.string(
            required=True,
            constraints=[AllowedValues(["local", "vlan", "vxlan", "gre", "geneve", "flat"])],
        ),
        "physical_network": Prop.string(),
        "segmentation_id": Prop.integer(constraints=[Range(1)]),
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["network"], "neutron", "find_resourceid_by_name_or_id", "network"),)
