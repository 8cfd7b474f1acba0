"""OS::Manila::Share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.manila.manila_type import ManilaType
from heat_core.resources.unbuilt import Unbuilt


class ManilaShare(Unbuilt, ManilaType):
    """A file system in the network."""

    name = "OS::Manila::Share"
    support = Support(version="5.0.0")
    entity = "shares"
    announced = frozenset({"check"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "share_protocol": Prop.string(
            required=True,
            constraints=[AllowedValues(["NFS", "CIFS", "GlusterFS", "HDFS", "CEPHFS"])],
        ),
        "size": Prop.integer(required=True),
        "snapshot": Prop.string(constraints=[Custom("manila.share_snapshot")]),
        "name": Prop.string(update_allowed=True),
        "metadata": Prop.map(update_allowed=True),
        "share_network": Prop.string(constraints=[Custom("manila.share_network")]),
        "description": Prop.string(update_allowed=True),
        "share_type": Prop.string(constraints=[Custom("manila.share_type")]),
        "is_public": Prop.boolean(default=False, update_allowed=True),
        "access_rules": Prop.list(
            default=[],
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "access_to": Prop.string(required=True),
                    "access_type": Prop.string(
                        required=True, constraints=[AllowedValues(["ip", "user", "cert", "cephx"])]
                    ),
                    "access_level": Prop.string(constraints=[AllowedValues(["ro", "rw"])]),
                }
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "availability_zone": Attr(kind=Kind.STRING),
        "host": Attr(kind=Kind.STRING),
        "export_locations": Attr(kind=Kind.LIST),
        "share_server_id": Attr(kind=Kind.STRING),
        "created_at": Attr(kind=Kind.STRING),
        "status": Attr(kind=Kind.STRING),
        "project_id": Attr(kind=Kind.STRING),
    }
