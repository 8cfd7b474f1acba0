"""AWS::EC2::VolumeAttachment: attaches a volume to an instance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedPattern,
    Custom,
    Prop,
)
from heat_core.resources.cinder.cinder_type import CinderType
from heat_core.resources.unbuilt import Unbuilt


class VolumeAttachment(Unbuilt, CinderType):
    """Attaches a volume to an instance."""

    name = "AWS::EC2::VolumeAttachment"

    properties: ClassVar[Mapping[str, Prop]] = {
        "InstanceId": Prop.string(
            required=True, immutable=True, constraints=[Custom("nova.server")]
        ),
        "VolumeId": Prop.string(
            required=True, immutable=True, constraints=[Custom("cinder.volume")]
        ),
        "Device": Prop.string(
            required=True, immutable=True, constraints=[AllowedPattern("/dev/vd[b-z]")]
        ),
    }
