"""AWS::EC2::Subnet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
)
from heat_core.resources.aws.tags import TAGS
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class Subnet(Unbuilt, NeutronType):
    """A range of addresses of a VPC."""

    name = "AWS::EC2::Subnet"

    properties: ClassVar[Mapping[str, Prop]] = {
        "AvailabilityZone": Prop.string(),
        "CidrBlock": Prop.string(required=True),
        "VpcId": Prop.string(required=True),
        "Tags": TAGS,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "AvailabilityZone": Attr(kind=Kind.STRING),
    }
