"""OS::Heat::InstanceGroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
)
from heat_core.resources.nested.launched_type import LaunchedType
from heat_core.resources.nested.surroundings import Surroundings
from heat_core.resources.unbuilt import Unbuilt


class InstanceGroup(Unbuilt, LaunchedType):
    """A fixed number of instances made from one launch configuration."""

    name = "OS::Heat::InstanceGroup"
    rolling_update = "RollingUpdate"
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "AvailabilityZones": Prop.list("Not looked at.", required=True),
        "LaunchConfigurationName": Prop.string(
            "Reference to the launch configuration that all members share.",
            required=True,
            update_allowed=True,
        ),
        "Size": Prop.integer(
            "Number of members to begin with.", required=True, update_allowed=True
        ),
        "LoadBalancerNames": Prop.list("Load balancers that learn of every member."),
        "Tags": Prop.list(
            "Tags of every member.",
            schema=Prop.map(
                schema={
                    "Key": Prop.string("Name of the tag.", required=True),
                    "Value": Prop.string("Value of the tag.", required=True),
                }
            ),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "InstanceList": Attr(
            description="Addresses of the members, separated by commas.", kind=Kind.STRING
        ),
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

    def initial_size(self, at: Surroundings) -> int:
        return int(at.properties["Size"])

    def wanted_size(self, at: Surroundings) -> int | None:
        size: int | None = at.properties["Size"]
        return size

    def tags(self, at: Surroundings) -> list[Any]:
        return self.own_tags(at)
