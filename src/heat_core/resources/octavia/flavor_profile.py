"""OS::Octavia::FlavorProfile: what a flavor of load balancers stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Support,
)
from heat_core.resources.octavia.octavia_type import OctaviaType
from heat_core.resources.unbuilt import Unbuilt


class FlavorProfile(Unbuilt, OctaviaType):
    """What a flavor of load balancers stands for."""

    name = "OS::Octavia::FlavorProfile"
    support = Support(version="14.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "flavor_data": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("json_string")]
        ),
        "provider_name": Prop.string(update_allowed=True),
    }
