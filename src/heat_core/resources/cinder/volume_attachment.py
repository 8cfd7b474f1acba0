"""OS::Cinder::VolumeAttachment."""

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
    name = "OS::Cinder::VolumeAttachment"

    properties: ClassVar[Mapping[str, Prop]] = {
        "instance_uuid": Prop.string(required=True, update_allowed=True),
        "volume_id": Prop.string(
            required=True, update_allowed=True, constraints=[Custom("cinder.volume")]
        ),
        "mountpoint": Prop.string(update_allowed=True),
    }
