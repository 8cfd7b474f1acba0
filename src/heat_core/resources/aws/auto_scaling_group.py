"""AWS::AutoScaling::AutoScalingGroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import NotSupported, StackValidationFailed
from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.aws.instance_properties import NOVA_SCHEDULER_HINTS
from heat_core.resources.nested.capacity import check_sizes, new_capacity
from heat_core.resources.nested.launched_type import LaunchedType
from heat_core.resources.nested.surroundings import Surroundings
from heat_core.resources.unbuilt import Unbuilt


class AutoScalingGroup(Unbuilt, LaunchedType):
    """A group of instances whose number scaling policies change."""

    name = "AWS::AutoScaling::AutoScalingGroup"
    support = Support(version="2014.1")
    rolling_update = "AutoScalingRollingUpdate"
    announced = frozenset({"check", "metadata_reset", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "AvailabilityZones": Prop.list(required=True),
        "LaunchConfigurationName": Prop.string(update_allowed=True),
        "InstanceId": Prop.string(constraints=[Custom("nova.server")]),
        "MaxSize": Prop.integer(required=True, update_allowed=True),
        "MinSize": Prop.integer(required=True, update_allowed=True),
        "Cooldown": Prop.integer(update_allowed=True),
        "DesiredCapacity": Prop.integer(update_allowed=True),
        "HealthCheckGracePeriod": Prop.integer(implemented=False),
        "HealthCheckType": Prop.string(
            implemented=False, constraints=[AllowedValues(["EC2", "ELB"])]
        ),
        "LoadBalancerNames": Prop.list(),
        "VPCZoneIdentifier": Prop.list(schema=Prop.string()),
        "Tags": NOVA_SCHEDULER_HINTS,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "InstanceList": Attr(kind=Kind.STRING),
    }
    update_policy: ClassVar[Mapping[str, Prop]] = {
        "AutoScalingRollingUpdate": Prop.map(
            schema={
                "MinInstancesInService": Prop.integer(default=0),
                "MaxBatchSize": Prop.integer(default=1),
                "PauseTime": Prop.string(default="PT0S"),
            }
        ),
    }

    def validate_before(self, at: Surroundings) -> None:
        props = at.properties
        check_sizes(props["MinSize"], props["MaxSize"], props["DesiredCapacity"])
        zones = props.get("VPCZoneIdentifier")
        if zones and len(zones) != 1:
            raise NotSupported(feature="Anything other than one VPCZoneIdentifier")
        if at.resource.type == self.name and bool(props.get("InstanceId")) == bool(
            props.get("LaunchConfigurationName")
        ):
            raise StackValidationFailed(
                message="Either 'InstanceId' or 'LaunchConfigurationName' must be provided."
            )
        super().validate_before(at)

    def initial_size(self, at: Surroundings) -> int:
        size: int = at.properties["DesiredCapacity"] or at.properties["MinSize"]
        return size

    def wanted_size(self, at: Surroundings) -> int | None:
        size: int | None = at.properties["DesiredCapacity"]
        return size

    def capacity(self, at: Surroundings) -> int:
        """How many members an update leaves: the wanted number, else as many as there are."""
        current = at.members.size()
        return new_capacity(
            current,
            at.properties["DesiredCapacity"] or current,
            "ExactCapacity",
            minimum=at.properties["MinSize"],
            maximum=at.properties["MaxSize"],
        )

    def tags(self, at: Surroundings) -> list[Any]:
        """Metering goes by the group's name too."""
        name = {"Key": "metering.AutoScalingGroupName", "Value": self.reference_id()}
        return [*self.own_tags(at), name]

    def _launched(self, at: Surroundings) -> tuple[dict[str, Any], Mapping[str, Any]]:
        properties, metadata = super()._launched(at)
        zones = at.properties.get("VPCZoneIdentifier")
        if zones:
            properties["SubnetId"] = zones[0]
        return properties, metadata
