"""OS::Cinder::Volume."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyConflict,
)
from heat_core.properties import (
    Attr,
    CacheMode,
    Custom,
    Kind,
    Prop,
    Properties,
    Range,
    Rule,
    Support,
    deprecated,
    hidden,
)
from heat_core.properties import rules as rule
from heat_core.resources.cinder.cinder_type import CinderType
from heat_core.resources.demands import refuse
from heat_core.resources.unbuilt import Unbuilt


class CinderVolume(Unbuilt, CinderType):
    """A disk that outlives the servers it is attached to."""

    name = "OS::Cinder::Volume"
    entity = "volumes"
    announced = frozenset({"check", "delete_snapshot", "restore", "snapshot", "snapshot_delete"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "availability_zone": Prop.string("Availability zone of the volume."),
        "size": Prop.integer(
            "Size in gigabytes; volumes can grow.", update_allowed=True, constraints=[Range(1)]
        ),
        "snapshot_id": Prop.string(
            "Snapshot that the volume starts from.", constraints=[Custom("cinder.snapshot")]
        ),
        "backup_id": Prop.string(
            "Backup that the volume starts from, or is set back to.",
            update_allowed=True,
            constraints=[Custom("cinder.backup")],
        ),
        "name": Prop.string("Name of the volume.", update_allowed=True),
        "description": Prop.string("What the volume is for.", update_allowed=True),
        "volume_type": Prop.string(
            "Name or id of the volume's type.",
            update_allowed=True,
            constraints=[Custom("cinder.vtype")],
        ),
        "metadata": Prop.map("Key and value pairs of the volume.", default={}, update_allowed=True),
        "imageRef": Prop.string(
            "Id of the image that the volume starts from.",
            support=hidden("5.0.0", "Replaced by image.", previous=deprecated("2014.1")),
        ),
        "image": Prop.string(
            "Name or id of the image that the volume starts from.",
            constraints=[Custom("glance.image")],
        ),
        "source_volid": Prop.string(
            "Volume that this one is a copy of.", constraints=[Custom("cinder.volume")]
        ),
        "scheduler_hints": Prop.map(
            "Wishes for the choice of a back end, by key.", support=Support(version="2015.1")
        ),
        "read_only": Prop.boolean(
            "Whether nothing can be written to the volume.",
            update_allowed=True,
            support=Support(version="5.0.0"),
        ),
        "multiattach": Prop.boolean(
            "Whether several servers may have the volume at once.",
            default=False,
            support=hidden("13.0.0", previous=Support(version="6.0.0")),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "availability_zone": Attr(description="Availability zone of the volume.", kind=Kind.STRING),
        "size": Attr(description="Size in gigabytes; volumes can grow.", kind=Kind.STRING),
        "snapshot_id": Attr(description="Snapshot that the volume starts from.", kind=Kind.STRING),
        "display_name": Attr(description="Name of the volume.", kind=Kind.STRING),
        "display_description": Attr(description="What the volume is for.", kind=Kind.STRING),
        "volume_type": Attr(description="Name or id of the volume's type.", kind=Kind.STRING),
        "metadata": Attr(description="Key and value pairs of the volume.", kind=Kind.STRING),
        "source_volid": Attr(description="Volume that this one is a copy of.", kind=Kind.STRING),
        "status": Attr(
            description="State of the volume, as the service tells it.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
        "created_at": Attr(description="When the volume was made.", kind=Kind.STRING),
        "bootable": Attr(
            description="Whether a server can boot from the volume.", kind=Kind.STRING
        ),
        "metadata_values": Attr(description="Key and value pairs of the volume.", kind=Kind.MAP),
        "encrypted": Attr(description="Whether the volume is encrypted.", kind=Kind.STRING),
        "attachments": Attr(
            description="Where the volume is attached, as text.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
            support=deprecated(
                "9.0.0", "Replaced by attachments_list.", previous=Support(version="2015.1")
            ),
        ),
        "attachments_list": Attr(
            description="Where the volume is attached.",
            kind=Kind.LIST,
            cache=CacheMode.NONE,
            support=Support(version="9.0.0"),
        ),
        "multiattach": Attr(
            description="Whether several servers may have the volume at once.",
            kind=Kind.BOOLEAN,
            support=Support(version="6.0.0"),
        ),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.replace(["image"], value_path=["imageRef"]),)

    def validate(self, props: Mapping[str, Any]) -> None:
        if props["image"] and props["imageRef"]:
            raise ResourcePropertyConflict("image", "imageRef")
        if not props["backup_id"]:
            _check_sources(props)


def _check_sources(props: Mapping[str, Any]) -> None:
    """A volume without a size takes that of a volume or snapshot; it starts from one source."""
    sized = [name for name in ("snapshot_id", "source_volid") if props[name]]
    sources = [*sized, *(name for name in ("image", "imageRef") if props[name])]
    if props["size"] is None and not (len(sized) == len(sources) == 1):
        refuse(
            'If neither "backup_id" nor "size" is provided, one and only one of "source_volid", '
            '"snapshot_id" must be specified, but currently specified options: '
            f"{sources}."
        )
    if props["size"] and len(sources) > 1:
        refuse(
            'If "size" is provided, only one of "image", "imageRef", "source_volid", '
            '"snapshot_id" can be specified, but currently specified options: '
            f"{sources}."
        )
