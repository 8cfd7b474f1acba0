"""AWS::EC2::EIP: an address outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Custom,
    Kind,
    Prop,
    deprecated,
)
from heat_core.resources.nova.nova_type import NovaType
from heat_core.resources.unbuilt import Unbuilt


class ElasticIp(Unbuilt, NovaType):
    """An address outside."""

    name = "AWS::EC2::EIP"

    properties: ClassVar[Mapping[str, Prop]] = {
        "Domain": Prop.string(
            constraints=[AllowedValues(["vpc"])],
            support=deprecated("9.0.0", "Nothing but vpc is possible any more."),
        ),
        "InstanceId": Prop.string(update_allowed=True, constraints=[Custom("nova.server")]),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "AllocationId": Attr(kind=Kind.STRING),
    }
