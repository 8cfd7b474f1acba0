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
    """A fixed number of instances made from one launch configuration."""

    name = "OS::Heat::InstanceGroup"
    needs_stored_credentials = True
    has_nested_stack = True
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
