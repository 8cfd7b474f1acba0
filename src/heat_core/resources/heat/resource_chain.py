"""OS::Heat::ResourceChain."""

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
    name = "OS::Heat::ResourceChain"
    support = Support(version="6.0.0")
    needs_stored_credentials = True
    has_nested_stack = True
    has_open_attributes = True
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "resources": Prop.list(required=True, update_allowed=True),
        "concurrent": Prop.boolean(default=False),
        "resource_properties": Prop.map(),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "refs": Attr(kind=Kind.LIST),
        "attributes": Attr(kind=Kind.MAP),
    }
