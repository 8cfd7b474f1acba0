"""OS::Octavia::AvailabilityZone: an availability zone that load balancers can run in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
    Properties,
    Rule,
    Support,
)
from heat_core.properties import rules as rule
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class AvailabilityZone(Unbuilt, OctaviaType):
    """An availability zone that load balancers can run in."""

    name = "OS::Octavia::AvailabilityZone"
    support = Support(version="24.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "description": Prop.string(default="", update_allowed=True),
        "enabled": Prop.boolean(default=True, update_allowed=True),
        "name": Prop.string(update_allowed=True),
        "availability_zone_profile": Prop.string(
            required=True, constraints=[Custom("octavia.availabilityzoneprofile")]
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "availability_zone_profile_id": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["availability_zone_profile"], "octavia", "get_availabilityzoneprofile"),
        )
