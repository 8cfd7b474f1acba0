"""OS::Neutron::TaaS::TapFlow: copies the traffic of a port to a tap service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    AllowedPattern,
    AllowedValues,
    Custom,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class TapFlow(Unbuilt, NeutronType):
    """Copies the traffic of a port to a tap service."""

    name = "OS::Neutron::TaaS::TapFlow"
    support = Support(version="12.0.0")
    required_extension = "taas"
    entity = "tap_flow"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the flow.", default="", update_allowed=True),
        "description": Prop.string("What the flow is for.", default="", update_allowed=True),
        "port": Prop.string(
            "Name or id of the port.", required=True, constraints=[Custom("neutron.port")]
        ),
        "tap_service": Prop.string(
            "Name or id of the tap service.",
            required=True,
            constraints=[Custom("neutron.taas.tap_service")],
        ),
        "direction": Prop.string(
            "Direction of the traffic.",
            default="BOTH",
            constraints=[AllowedValues(["IN", "OUT", "BOTH"])],
        ),
        "vlan_filter": Prop.string(
            "VLANs to copy, as numbers and ranges.",
            constraints=[AllowedPattern("^([0-9]+(-[0-9]+)?)(,([0-9]+(-[0-9]+)?))*$")],
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["port"], "neutron", "find_resourceid_by_name_or_id", "port"),
            rule.resolve(
                ["tap_service"], "neutron", "find_resourceid_by_name_or_id", "tap_service"
            ),
        )
