"""OS::Heat::InstanceGroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
)
from heat_core.resources.unbuilt import Unbuilt


class InstanceGroup(Unbuilt):
    name = "OS::Heat::InstanceGroup"
    needs_stored_credentials = True
    has_nested_stack = True
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "AvailabilityZones": Prop.list(required=True),
        "LaunchConfigurationName": Prop.string(required=True, update_allowed=True),
        "Size": Prop.integer(required=True, update_allowed=True),
        "LoadBalancerNames": Prop.list(),
        "Tags": Prop.list(
            schema=Prop.map(
                schema={"Key": Prop.string(required=True), "Value": Prop.string(required=True)}
            )
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "InstanceList": Attr(kind=Kind.STRING),
    }
    update_policy: ClassVar[Mapping[str, Prop]] = {
        "RollingUpdate": Prop.map(
            schema={
                "MinInstancesInService": Prop.integer(default=0),
                "MaxBatchSize": Prop.integer(default=1),
                "PauseTime": Prop.string(default="PT0S"),
            }
        ),
    }
