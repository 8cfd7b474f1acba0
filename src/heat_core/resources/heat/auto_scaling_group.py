"""OS::Heat::AutoScalingGroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Range,
    Support,
)
from heat_core.resources.unbuilt import Unbuilt


class AutoScalingResourceGroup(Unbuilt):
    name = "OS::Heat::AutoScalingGroup"
    support = Support(version="2014.1")
    needs_stored_credentials = True
    has_nested_stack = True
    has_open_attributes = True
    announced = frozenset({"check", "metadata_reset", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "resource": Prop.map(required=True, update_allowed=True),
        "max_size": Prop.integer(required=True, update_allowed=True, constraints=[Range(0)]),
        "min_size": Prop.integer(required=True, update_allowed=True, constraints=[Range(0)]),
        "cooldown": Prop.integer(update_allowed=True),
        "desired_capacity": Prop.integer(update_allowed=True),
        "rolling_updates": Prop.map(
            default={"max_batch_size": 1, "min_in_service": 0, "pause_time": 0},
            update_allowed=True,
            schema={
                "min_in_service": Prop.integer(default=0, constraints=[Range(0)]),
                "max_batch_size": Prop.integer(default=1, constraints=[Range(1)]),
                "pause_time": Prop.number(default=0, constraints=[Range(0)]),
            },
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "outputs": Attr(kind=Kind.MAP, support=Support(version="2014.2")),
        "outputs_list": Attr(kind=Kind.LIST, support=Support(version="2014.2")),
        "current_size": Attr(kind=Kind.INTEGER, support=Support(version="2015.1")),
        "refs": Attr(kind=Kind.LIST, support=Support(version="7.0.0")),
        "refs_map": Attr(kind=Kind.MAP, support=Support(version="7.0.0")),
    }
