"""OS::Heat::ResourceChain: one resource of each of several types, all with the same properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.unbuilt import Unbuilt


class ResourceChain(Unbuilt):
    """One resource of each of several types, all with the same properties."""

    name = "OS::Heat::ResourceChain"
    support = Support(version="6.0.0")
    needs_stored_credentials = True
    has_nested_stack = True
    has_open_attributes = True
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "resources": Prop.list("The types, in order.", required=True, update_allowed=True),
        "concurrent": Prop.boolean(
            "Whether all are made at once instead of one after the other.", default=False
        ),
        "resource_properties": Prop.map("Properties of every resource."),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "refs": Attr(description="Reference ids, in the order of the types.", kind=Kind.LIST),
        "attributes": Attr(
            description="An attribute of every resource, by its name.", kind=Kind.MAP
        ),
    }
