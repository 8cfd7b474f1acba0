"""OS::Cinder::QoSSpecs: limits and promises for the traffic of volumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Support,
)
from heat_core.resources.cinder.cinder_type import CinderType
from heat_core.resources.unbuilt import Unbuilt


class QoSSpecs(Unbuilt, CinderType):
    """Limits and promises for the traffic of volumes."""

    name = "OS::Cinder::QoSSpecs"
    support = Support(version="7.0.0")
    required_extension = "qos-specs"
    entity = "qos_specs"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the specs."),
        "specs": Prop.map("The limits, by key.", required=True, update_allowed=True),
    }
