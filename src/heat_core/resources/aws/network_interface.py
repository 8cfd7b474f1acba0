"""AWS::EC2::NetworkInterface: where an instance is plugged into a subnet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Custom,
    Kind,
    Prop,
)
from heat_core.resources.aws.tags import TAGS
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class NetworkInterface(Unbuilt, NeutronType):
    """Where an instance is plugged into a subnet."""

    name = "AWS::EC2::NetworkInterface"

    properties: ClassVar[Mapping[str, Prop]] = {
        "Description": Prop.string(),
        "GroupSet": Prop.list(update_allowed=True),
        "PrivateIpAddress": Prop.string(),
        "SourceDestCheck": Prop.boolean(implemented=False),
        "SubnetId": Prop.string(required=True, constraints=[Custom("neutron.subnet")]),
        "Tags": TAGS,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "PrivateIpAddress": Attr(kind=Kind.STRING),
    }
