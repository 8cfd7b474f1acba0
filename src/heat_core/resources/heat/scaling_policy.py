"""OS::Heat::ScalingPolicy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

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
    name = "OS::Heat::ScalingPolicy"
    needs_stored_credentials = True
    takes_signals = True
    announced = frozenset({"resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "auto_scaling_group_id": Prop.string(required=True),
        "scaling_adjustment": Prop.number(required=True, update_allowed=True),
        "adjustment_type": Prop.string(
            required=True,
            update_allowed=True,
            constraints=[
                AllowedValues(
                    ["change_in_capacity", "exact_capacity", "percent_change_in_capacity"]
                )
            ],
        ),
        "cooldown": Prop.number(update_allowed=True),
        "min_adjustment_step": Prop.integer(update_allowed=True, constraints=[Range(0)]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "alarm_url": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
        "signal_url": Attr(kind=Kind.STRING, support=Support(version="5.0.0")),
    }
