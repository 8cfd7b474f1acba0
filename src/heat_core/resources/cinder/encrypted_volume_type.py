"""OS::Cinder::EncryptedVolumeType: makes volumes of a type encrypted."""

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
    """Makes volumes of a type encrypted."""

    name = "OS::Cinder::EncryptedVolumeType"
    support = Support(version="5.0.0")
    required_extension = "encryption"
    entity = "volume_encryption_types"

    properties: ClassVar[Mapping[str, Prop]] = {
        "provider": Prop.string(
            "Class or name of what encrypts.", required=True, update_allowed=True
        ),
        "control_location": Prop.string(
            "Whether the compute or the storage side encrypts.",
            default="front-end",
            update_allowed=True,
            constraints=[AllowedValues(["front-end", "back-end"])],
        ),
        "cipher": Prop.string(
            "Algorithm and mode.",
            update_allowed=True,
            constraints=[AllowedValues(["aes-xts-plain64", "aes-cbc-essiv"])],
        ),
        "key_size": Prop.integer("Bits of the key.", update_allowed=True),
        "volume_type": Prop.string(
            "Name or id of the volume type.", required=True, constraints=[Custom("cinder.vtype")]
        ),
    }
