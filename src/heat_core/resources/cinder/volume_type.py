"""OS::Cinder::VolumeType."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Support,
)
from heat_core.resources.cinder.cinder_type import CinderType
from heat_core.resources.demands import refuse
from heat_core.resources.unbuilt import Unbuilt


class CinderVolumeType(Unbuilt, CinderType):
    """A kind of volumes."""

    name = "OS::Cinder::VolumeType"
    support = Support(version="2015.1")
    required_extension = "os-types-manage"
    entity = "volume_types"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the volume type.", required=True, update_allowed=True),
        "metadata": Prop.map("Extra specs of the type, by key.", update_allowed=True),
        "is_public": Prop.boolean(
            "Whether every project may use the type.",
            default=True,
            update_allowed=True,
            support=Support(version="5.0.0"),
        ),
        "description": Prop.string(
            "What the volume type is for.", update_allowed=True, support=Support(version="5.0.0")
        ),
        "projects": Prop.list(
            "Names or ids of the projects that may use a private type.",
            default=[],
            update_allowed=True,
            schema=Prop.string(constraints=[Custom("keystone.project")]),
            support=Support(version="5.0.0"),
        ),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["projects"] and props["is_public"]:
            refuse('Can not specify property "projects" if the volume type is public.')
