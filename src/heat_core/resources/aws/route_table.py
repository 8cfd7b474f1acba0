"""AWS::EC2::RouteTable: the router of a VPC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Support,
)
from heat_core.resources.aws.tags import TAGS
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class RouteTable(Unbuilt, NeutronType):
    """The router of a VPC."""

    name = "AWS::EC2::RouteTable"
    support = Support(version="2014.1")

    properties: ClassVar[Mapping[str, Prop]] = {
        "VpcId": Prop.string(required=True),
        "Tags": TAGS,
    }
