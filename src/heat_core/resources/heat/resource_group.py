"""OS::Heat::ResourceGroup: any number of resources of one definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Length,
    Prop,
    Range,
    Support,
)
from heat_core.resources.unbuilt import Unbuilt


class ResourceGroup(Unbuilt):
    """Any number of resources of one definition."""

    name = "OS::Heat::ResourceGroup"
    support = Support(version="2014.1")
    needs_stored_credentials = True
    has_nested_stack = True
    has_open_attributes = True
    announced = frozenset({"adopt", "check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "count": Prop.integer(
            "Number of members.", default=1, update_allowed=True, constraints=[Range(0)]
        ),
        "index_var": Prop.string(
            "Text in the definition that stands for a member's index.",
            default="%index%",
            constraints=[Length(3)],
            support=Support(version="2014.2"),
        ),
        "resource_def": Prop.map(
            "Definition of every member.",
            required=True,
            update_allowed=True,
            schema={
                "type": Prop.string("Type of the members.", required=True),
                "properties": Prop.map("Properties of the members."),
                "metadata": Prop.map("Metadata of the members.", support=Support(version="5.0.0")),
            },
        ),
        "removal_policies": Prop.list(
            "Which members go first when the group shrinks.",
            default=[],
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "resource_list": Prop.list(
                        "Members by index or reference id; the first go first.", default=[]
                    )
                }
            ),
            support=Support(version="2015.1"),
        ),
        "removal_policies_mode": Prop.string(
            "Whether the list adds to the members removed before or replaces them.",
            default="append",
            update_allowed=True,
            constraints=[AllowedValues(["append", "update"])],
            support=Support(version="10.0.0"),
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "refs": Attr(description="Reference ids of the members, by index.", kind=Kind.LIST),
        "refs_map": Attr(
            description="Reference ids by member name.",
            kind=Kind.MAP,
            support=Support(version="7.0.0"),
        ),
        "attributes": Attr(
            description="An attribute of every member, by its name.",
            kind=Kind.MAP,
            support=Support(version="2014.2"),
        ),
        "removed_rsrc_list": Attr(
            description="Names that removed members had; they are not given again.",
            kind=Kind.LIST,
            support=Support(version="7.0.0"),
        ),
    }
    update_policy: ClassVar[Mapping[str, Prop]] = {
        "rolling_update": Prop.map(
            schema={
                "min_in_service": Prop.integer(default=0, constraints=[Range(0)]),
                "max_batch_size": Prop.integer(default=1, constraints=[Range(1)]),
                "pause_time": Prop.number(default=0, constraints=[Range(0)]),
            },
            support=Support(version="5.0.0"),
        ),
        "batch_create": Prop.map(
            schema={
                "max_batch_size": Prop.integer(default=1, constraints=[Range(1)]),
                "pause_time": Prop.number(default=0, constraints=[Range(0)]),
            },
            support=Support(version="5.0.0"),
        ),
    }
