"""OS::Neutron::Segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

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
from heat_core.resources.demands import refuse
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt

_LAST_VLAN = 4094


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

    def validate(self, props: Mapping[str, Any]) -> None:
        kind, number = props["network_type"], props["segmentation_id"]
        has_hardware = props["physical_network"] is not None
        if kind in ("flat", "vlan") and not has_hardware:
            refuse(f"physical_network is required for {kind} provider network.")
        if kind == "vlan" and number is None:
            refuse(f"segmentation_id is required for {kind} provider network.")
        if kind in ("local", "flat") and number is not None:
            refuse(f"segmentation_id is prohibited for {kind} provider network.")
        if kind in ("vxlan", "gre", "geneve") and has_hardware:
            refuse(f"physical_network is prohibited for {kind} provider network.")
        if kind == "vlan" and number > _LAST_VLAN:
            refuse(f"Up to {_LAST_VLAN} VLAN network segments can exist on each physical_network.")
