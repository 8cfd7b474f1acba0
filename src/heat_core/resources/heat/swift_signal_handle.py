"""OS::Heat::SwiftSignalHandle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    CacheMode,
    Kind,
    Support,
)
from heat_core.resources.swift.swift_type import SwiftType
from heat_core.resources.unbuilt import Unbuilt


class SwiftSignalHandle(Unbuilt, SwiftType):
    name = "OS::Heat::SwiftSignalHandle"
    support = Support(version="2014.2")

    attributes: ClassVar[Mapping[str, Attr]] = {
        "token": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
        "endpoint": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
        "curl_cli": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
    }
