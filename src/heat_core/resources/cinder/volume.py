"""OS::Cinder::Volume."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

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
from heat_core.resources.unbuilt import Unbuilt


class CinderVolume(Unbuilt, CinderType):
    name = "OS::Cinder::Volume"
    entity = "volumes"
    announced = frozenset({"check", "delete_snapshot", "restore", "snapshot", "snapshot_delete"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "availability_zone": Prop.string(),
        "size": Prop.integer(update_allowed=True, constraints=[Range(1)]),
        "snapshot_id": Prop.string(constraints=[Custom("cinder.snapshot")]),
        "backup_id": Prop.string(update_allowed=True, constraints=[Custom("cinder.backup")]),
        "name": Prop.string(update_allowed=True),
        "description": Prop.string(update_allowed=True),
        "volume_type": Prop.string(update_allowed=True, constraints=[Custom("cinder.vtype")]),
        "metadata": Prop.map(default={}, update_allowed=True),
        "imageRef": Prop.string(
            support=hidden("5.0.0", "Replaced by image.", previous=deprecated("2014.1"))
        ),
        "image": Prop.string(constraints=[Custom("glance.image")]),
        "source_volid": Prop.string(constraints=[Custom("cinder.volume")]),
        "scheduler_hints": Prop.map(support=Support(version="2015.1")),
        "read_only": Prop.boolean(update_allowed=True, support=Support(version="5.0.0")),
        "multiattach": Prop.boolean(
            default=False, support=hidden("13.0.0", previous=Support(version="6.0.0"))
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "availability_zone": Attr(kind=Kind.STRING),
        "size": Attr(kind=Kind.STRING),
        "snapshot_id": Attr(kind=Kind.STRING),
        "display_name": Attr(kind=Kind.STRING),
        "display_description": Attr(kind=Kind.STRING),
        "volume_type": Attr(kind=Kind.STRING),
        "metadata": Attr(kind=Kind.STRING),
        "source_volid": Attr(kind=Kind.STRING),
        "status": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
        "created_at": Attr(kind=Kind.STRING),
        "bootable": Attr(kind=Kind.STRING),
        "metadata_values": Attr(kind=Kind.MAP),
        "encrypted": Attr(kind=Kind.STRING),
        "attachments": Attr(
            kind=Kind.STRING,
            cache=CacheMode.NONE,
            support=deprecated(
                "9.0.0", "Replaced by attachments_list.", previous=Support(version="2015.1")
            ),
        ),
        "attachments_list": Attr(
            kind=Kind.LIST, cache=CacheMode.NONE, support=Support(version="9.0.0")
        ),
        "multiattach": Attr(kind=Kind.BOOLEAN, support=Support(version="6.0.0")),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (rule.replace(["image"], value_path=["imageRef"]),)
