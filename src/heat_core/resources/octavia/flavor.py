"""OS::Octavia::Flavor."""

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


class Flavor(Unbuilt, OctaviaType):
    """A kind of load balancers."""

    name = "OS::Octavia::Flavor"
    support = Support(version="14.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "description": Prop.string(default="", update_allowed=True),
        "enabled": Prop.boolean(default=True, update_allowed=True),
        "name": Prop.string(update_allowed=True),
        "flavor_profile": Prop.string(required=True, constraints=[Custom("octavia.flavorprofile")]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "flavor_profile_id": Attr(kind=Kind.STRING),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.resolve(["flavor_profile"], "octavia", "get_flavorprofile"),)
