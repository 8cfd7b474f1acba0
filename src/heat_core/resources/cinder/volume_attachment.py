"""OS::Cinder::VolumeAttachment: attaches a volume to a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
)
from heat_core.resources.cinder.cinder_type import CinderType
from heat_core.resources.unbuilt import Unbuilt


class CinderVolumeAttachment(Unbuilt, CinderType):
    """Attaches a volume to a server."""

    name = "OS::Cinder::VolumeAttachment"

    properties: ClassVar[Mapping[str, Prop]] = {
        "instance_uuid": Prop.string("Id of the server.", required=True, update_allowed=True),
        "volume_id": Prop.string(
            "Id of the volume.",
            required=True,
            update_allowed=True,
            constraints=[Custom("cinder.volume")],
        ),
        "mountpoint": Prop.string(
            "Name of the device within the server; a wish.", update_allowed=True
        ),
    }
