"""OS::Swift::Container."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.swift.swift_type import SwiftType
from heat_core.resources.unbuilt import Unbuilt


class SwiftContainer(Unbuilt, SwiftType):
    """A container of the object storage."""

    name = "OS::Swift::Container"
    announced = frozenset({"check"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "name": Prop.string(),
        "X-Container-Read": Prop.string(),
        "X-Container-Write": Prop.string(),
        "X-Container-Meta": Prop.map(default={}),
        "X-Account-Meta": Prop.map(default={}),
        "PurgeOnDelete": Prop.boolean(default=False, support=Support(version="2015.1")),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "DomainName": Attr(kind=Kind.STRING),
        "WebsiteURL": Attr(kind=Kind.STRING),
        "RootURL": Attr(kind=Kind.STRING),
        "ObjectCount": Attr(kind=Kind.INTEGER),
        "BytesUsed": Attr(kind=Kind.INTEGER),
        "HeadContainer": Attr(kind=Kind.MAP),
    }
