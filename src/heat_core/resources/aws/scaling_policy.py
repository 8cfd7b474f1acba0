"""AWS::AutoScaling::ScalingPolicy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.errors import (
    ResourcePropertyValueDependency,
)
from heat_core.properties import (
    AllowedValues,
    Attr,
    CacheMode,
    Kind,
    Prop,
    Range,
)
from heat_core.resources.unbuilt import Unbuilt


class AWSScalingPolicy(Unbuilt):
    """Changes the size of a scaling group each time it is signalled."""

    name = "AWS::AutoScaling::ScalingPolicy"
    needs_stored_credentials = True
    takes_signals = True
    announced = frozenset({"resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "AutoScalingGroupName": Prop.string(required=True),
        "ScalingAdjustment": Prop.integer(required=True, update_allowed=True),
        "AdjustmentType": Prop.string(
            required=True,
            update_allowed=True,
            constraints=[
                AllowedValues(["ChangeInCapacity", "ExactCapacity", "PercentChangeInCapacity"])
            ],
        ),
        "Cooldown": Prop.integer(update_allowed=True),
        "MinAdjustmentStep": Prop.integer(update_allowed=True, constraints=[Range(0)]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "AlarmUrl": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        if (
            props["MinAdjustmentStep"] is not None
            and props["AdjustmentType"] != "PercentChangeInCapacity"
        ):
            raise ResourcePropertyValueDependency(
                prop1="MinAdjustmentStep",
                prop2="AdjustmentType",
                value="PercentChangeInCapacity",
            )
