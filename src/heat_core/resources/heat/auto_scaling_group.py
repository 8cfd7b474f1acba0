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
    """A group of resources of one definition whose number scaling policies change."""

    name = "OS::Heat::AutoScalingGroup"
    support = Support(version="2014.1")
    needs_stored_credentials = True
    has_nested_stack = True
    has_open_attributes = True
    announced = frozenset({"check", "metadata_reset", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "resource": Prop.map(
            "Definition of the members, as it would stand in a template.",
            required=True,
            update_allowed=True,
        ),
        "max_size": Prop.integer(
            "Largest number of members.", required=True, update_allowed=True, constraints=[Range(0)]
        ),
        "min_size": Prop.integer(
            "Smallest number of members.",
            required=True,
            update_allowed=True,
            constraints=[Range(0)],
        ),
        "cooldown": Prop.integer(
            "Seconds that must pass between two changes of the size.", update_allowed=True
        ),
        "desired_capacity": Prop.integer("Number of members to begin with.", update_allowed=True),
        "rolling_updates": Prop.map(
            "How members are replaced when their definition changes.",
            default={"max_batch_size": 1, "min_in_service": 0, "pause_time": 0},
            update_allowed=True,
            schema={
                "min_in_service": Prop.integer(
                    "Least number of members that stay untouched meanwhile.",
                    default=0,
                    constraints=[Range(0)],
                ),
                "max_batch_size": Prop.integer(
                    "Greatest number of members replaced at once.",
                    default=1,
                    constraints=[Range(1)],
                ),
                "pause_time": Prop.number(
                    "Seconds between two batches.", default=0, constraints=[Range(0)]
                ),
            },
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "outputs": Attr(
            description="An attribute of every member, by the member's name.",
            kind=Kind.MAP,
            support=Support(version="2014.2"),
        ),
        "outputs_list": Attr(
            description="An attribute of every member, oldest member first.",
            kind=Kind.LIST,
            support=Support(version="2014.2"),
        ),
        "current_size": Attr(
            description="Number of members.", kind=Kind.INTEGER, support=Support(version="2015.1")
        ),
        "refs": Attr(
            description="Reference ids of the members.",
            kind=Kind.LIST,
            support=Support(version="7.0.0"),
        ),
        "refs_map": Attr(
            description="Reference ids by member name.",
            kind=Kind.MAP,
            support=Support(version="7.0.0"),
        ),
    }
