"""OS::Glance::WebImage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedPattern,
    AllowedValues,
    Prop,
    Range,
    Support,
)
from heat_core.resources.glance.glance_type import GlanceType
from heat_core.resources.unbuilt import Unbuilt


class GlanceWebImage(Unbuilt, GlanceType):
    name = "OS::Glance::WebImage"
    support = Support(version="12.0.0")
    entity = "images"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "id": Prop.string(),
        "min_disk": Prop.integer(default=0, constraints=[Range(0)]),
        "min_ram": Prop.integer(default=0, constraints=[Range(0)]),
        "protected": Prop.boolean(default=False, update_allowed=True),
        "disk_format": Prop.string(
            required=True,
            constraints=[
                AllowedValues(
                    [
                        "ami",
                        "ari",
                        "aki",
                        "vhd",
                        "vhdx",
                        "vmdk",
                        "raw",
                        "qcow2",
                        "vdi",
                        "iso",
                        "ploop",
                    ]
                )
            ],
        ),
        "container_format": Prop.string(
            required=True,
            constraints=[AllowedValues(["ami", "ari", "aki", "bare", "ovf", "ova", "docker"])],
        ),
        "location": Prop.string(required=True),
        "tags": Prop.list(update_allowed=True),
        "architecture": Prop.string(update_allowed=True),
        "kernel_id": Prop.string(
            update_allowed=True,
            constraints=[
                AllowedPattern(
                    "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
                )
            ],
        ),
        "os_distro": Prop.string(update_allowed=True),
        "os_version": Prop.string(update_allowed=True),
        "owner": Prop.string(update_allowed=True),
        "extra_properties": Prop.map(
            default={}, update_allowed=True, support=Support(version="17.0.0")
        ),
        "visibility": Prop.string(
            default="private",
            update_allowed=True,
            constraints=[AllowedValues(["public", "private", "community", "shared"])],
        ),
        "ramdisk_id": Prop.string(
            update_allowed=True,
            constraints=[
                AllowedPattern(
                    "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
                )
            ],
        ),
        "active": Prop.boolean(
            default=True, update_allowed=True, support=Support(version="16.0.0")
        ),
        "members": Prop.list(
            update_allowed=True, schema=Prop.string(), support=Support(version="16.0.0")
        ),
    }
