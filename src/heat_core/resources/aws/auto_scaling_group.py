"""AWS::AutoScaling::AutoScalingGroup."""

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
from heat_core.resources.aws.instance_properties import NOVA_SCHEDULER_HINTS
from heat_core.resources.unbuilt import Unbuilt


class AutoScalingGroup(Unbuilt):
    name = "AWS::AutoScaling::AutoScalingGroup"
    support = Support(version="2014.1")
    needs_stored_credentials = True
    has_nested_stack = True
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
