"""AWS::EC2::Volume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
    Range,
)
from heat_core.resources.cinder.cinder_type import CinderType
from heat_core.resources.unbuilt import Unbuilt


class Volume(Unbuilt, CinderType):
    """A disk that outlives the instances it is attached to."""

    name = "AWS::EC2::Volume"
    announced = frozenset({"check", "snapshot_delete"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "AvailabilityZone": Prop.string(required=True, immutable=True),
        "Size": Prop.integer(immutable=True, constraints=[Range(1)]),
        "SnapshotId": Prop.string(immutable=True, constraints=[Custom("cinder.backup")]),
        "Tags": Prop.list(
            immutable=True,
            schema=Prop.map(
                schema={"Key": Prop.string(required=True), "Value": Prop.string(required=True)}
            ),
        ),
    }
