"""AWS::CloudFormation::WaitCondition: waits for signals at a handle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    CacheMode,
    Kind,
    Prop,
    Range,
    Support,
)
from heat_core.resources.unbuilt import Unbuilt


class WaitCondition(Unbuilt):
    """Waits for signals at a handle."""

    name = "AWS::CloudFormation::WaitCondition"
    support = Support(version="2014.1")

    properties: ClassVar[Mapping[str, Prop]] = {
        "Handle": Prop.string(required=True),
        "Timeout": Prop.integer(required=True, constraints=[Range(1, 43200)]),
        "Count": Prop.integer(default=1, update_allowed=True, constraints=[Range(1)]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "Data": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
    }
