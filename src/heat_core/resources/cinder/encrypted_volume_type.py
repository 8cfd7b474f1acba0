"""OS::Cinder::EncryptedVolumeType."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Custom,
    Prop,
    Support,
)
from heat_core.resources.cinder.cinder_type import CinderType
from heat_core.resources.unbuilt import Unbuilt


class CinderEncryptedVolumeType(Unbuilt, CinderType):
    name = "OS::Cinder::EncryptedVolumeType"
    support = Support(version="5.0.0")
    required_extension = "encryption"
    entity = "volume_encryption_types"

    properties: ClassVar[Mapping[str, Prop]] = {
        "provider": Prop.string(required=True, update_allowed=True),
        "control_location": Prop.string(
            default="front-end",
            update_allowed=True,
            constraints=[AllowedValues(["front-end", "back-end"])],
        ),
        "cipher": Prop.string(
            update_allowed=True, constraints=[AllowedValues(["aes-xts-plain64", "aes-cbc-essiv"])]
        ),
        "key_size": Prop.integer(update_allowed=True),
        "volume_type": Prop.string(required=True, constraints=[Custom("cinder.vtype")]),
    }
