"""OS::Octavia::AvailabilityZoneProfile: what an availability zone of load balancers stands for."""

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


class AvailabilityZoneProfile(Unbuilt, OctaviaType):
    """What an availability zone of load balancers stands for."""

    name = "OS::Octavia::AvailabilityZoneProfile"
    support = Support(version="24.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(update_allowed=True),
        "availability_zone_data": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("json_string")]
        ),
        "provider_name": Prop.string(update_allowed=True),
    }
