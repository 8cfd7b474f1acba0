"""AWS::IAM::AccessKey: keys that a stack user signs requests with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    CacheMode,
    Kind,
    Prop,
)
from heat_core.resources.unbuilt import Unbuilt


class AccessKey(Unbuilt):
    """Keys that a stack user signs requests with."""

    name = "AWS::IAM::AccessKey"

    properties: ClassVar[Mapping[str, Prop]] = {
        "Serial": Prop.integer(implemented=False),
        "UserName": Prop.string(required=True),
        "Status": Prop.string(
            implemented=False, constraints=[AllowedValues(["Active", "Inactive"])]
        ),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "UserName": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
        "SecretAccessKey": Attr(kind=Kind.STRING, cache=CacheMode.NONE),
    }
