"""OS::Heat::ScalingPolicy: changes the size of a scaling group each time it is signalled."""

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
    Support,
)
from heat_core.resources.unbuilt import Unbuilt


class AutoScalingPolicy(Unbuilt):
    """Changes the size of a scaling group each time it is signalled."""

    name = "OS::Heat::ScalingPolicy"
    needs_stored_credentials = True
    takes_signals = True
    announced = frozenset({"resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "auto_scaling_group_id": Prop.string("Reference to the group.", required=True),
        "scaling_adjustment": Prop.number(
            "How far the size moves, as adjustment_type says.", required=True, update_allowed=True
        ),
        "adjustment_type": Prop.string(
            "Whether the adjustment is a difference, a percentage or the new size.",
            required=True,
            update_allowed=True,
            constraints=[
                AllowedValues(
                    ["change_in_capacity", "exact_capacity", "percent_change_in_capacity"]
                )
            ],
        ),
        "cooldown": Prop.number(
            "Seconds during which further signals are let pass.", update_allowed=True
        ),
        "min_adjustment_step": Prop.integer(
            "Least number of members that a percentage adds or takes away.",
            update_allowed=True,
            constraints=[Range(0)],
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "alarm_url": Attr(
            description="Signed URL that an alarm calls.", kind=Kind.STRING, cache=CacheMode.NONE
        ),
        "signal_url": Attr(
            description="URL that signals the policy with a token.",
            kind=Kind.STRING,
            support=Support(version="5.0.0"),
        ),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        if (
            props["min_adjustment_step"] is not None
            and props["adjustment_type"] != "percent_change_in_capacity"
        ):
            raise ResourcePropertyValueDependency(
                prop1="min_adjustment_step",
                prop2="adjustment_type",
                value="percent_change_in_capacity",
            )
