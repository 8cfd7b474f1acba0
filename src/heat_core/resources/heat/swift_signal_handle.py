"""OS::Heat::SwiftSignalHandle: the object that signals for a SwiftSignal are written to."""

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
    """The object that signals for a SwiftSignal are written to."""

    name = "OS::Heat::SwiftSignalHandle"
    support = Support(version="2014.2")

    attributes: ClassVar[Mapping[str, Attr]] = {
        "token": Attr(
            description="Empty: the URL needs no token.", kind=Kind.STRING, cache=CacheMode.NONE
        ),
        "endpoint": Attr(
            description="Temporary URL that a signal is written to.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
        "curl_cli": Attr(
            description="Command that signals success, data to be added.",
            kind=Kind.STRING,
            cache=CacheMode.NONE,
        ),
    }
