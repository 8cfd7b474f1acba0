"""OS::Glance::WebImage: an image that the service fetches from a URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyValueDependency,
)
from heat_core.properties import (
    AllowedPattern,
    AllowedValues,
    Prop,
    Range,
    Support,
)
from heat_core.resources.demands import refuse
from heat_core.resources.glance.glance_type import GlanceType
from heat_core.resources.unbuilt import Unbuilt


class GlanceWebImage(Unbuilt, GlanceType):
    """An image that the service fetches from a URL."""

    name = "OS::Glance::WebImage"
    support = Support(version="12.0.0")
    entity = "images"

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string("Name of the image."),
        "id": Prop.string("Id of the image; the service chooses one when absent."),
        "min_disk": Prop.integer(
            "Gigabytes of disk that a server needs for it.", default=0, constraints=[Range(0)]
        ),
        "min_ram": Prop.integer(
            "Megabytes of memory that a server needs for it.", default=0, constraints=[Range(0)]
        ),
        "protected": Prop.boolean(
            "Whether the image cannot be deleted.", default=False, update_allowed=True
        ),
        "disk_format": Prop.string(
            "Format of the disk.",
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
            "Format of what is around the disk.",
            required=True,
            constraints=[AllowedValues(["ami", "ari", "aki", "bare", "ovf", "ova", "docker"])],
        ),
        "location": Prop.string("URL to fetch the image from.", required=True),
        "tags": Prop.list("Tags of the image.", update_allowed=True),
        "architecture": Prop.string(
            "Processor architecture that the image is for.", update_allowed=True
        ),
        "kernel_id": Prop.string(
            "Image of the kernel to boot with.",
            update_allowed=True,
            constraints=[
                AllowedPattern(
                    "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
                )
            ],
        ),
        "os_distro": Prop.string(
            "Name of the operating system's distribution.", update_allowed=True
        ),
        "os_version": Prop.string("Version of the operating system.", update_allowed=True),
        "owner": Prop.string("Project that owns the image.", update_allowed=True),
        "extra_properties": Prop.map(
            "Further properties of the image, by key.",
            default={},
            update_allowed=True,
            support=Support(version="17.0.0"),
        ),
        "visibility": Prop.string(
            "Who sees the image.",
            default="private",
            update_allowed=True,
            constraints=[AllowedValues(["public", "private", "community", "shared"])],
        ),
        "ramdisk_id": Prop.string(
            "Image of the RAM disk to boot with.",
            update_allowed=True,
            constraints=[
                AllowedPattern(
                    "^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$"
                )
            ],
        ),
        "active": Prop.boolean(
            "Whether the image can be used; false switches it off.",
            default=True,
            update_allowed=True,
            support=Support(version="16.0.0"),
        ),
        "members": Prop.list(
            "Projects that a shared image is shared with.",
            update_allowed=True,
            schema=Prop.string(),
            support=Support(version="16.0.0"),
        ),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        container = props["container_format"]
        if container in ("ami", "ari", "aki") and props["disk_format"] != container:
            refuse(
                "Invalid mix of disk and container formats. When setting a disk or container "
                "format to one of 'aki', 'ari', or 'ami', the container and disk formats must "
                "match."
            )
        if props["members"] and props["visibility"] != "shared":
            raise ResourcePropertyValueDependency(
                prop1="members", prop2="visibility", value="shared"
            )
