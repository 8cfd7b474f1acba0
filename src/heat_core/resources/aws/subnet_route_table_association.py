"""AWS::EC2::SubnetRouteTableAssociation: connects a subnet with a route table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Custom,
    Prop,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class SubnetRouteTableAssociation(Unbuilt, NeutronType):
    """Connects a subnet with a route table."""

    name = "AWS::EC2::SubnetRouteTableAssociation"

    properties: ClassVar[Mapping[str, Prop]] = {
        "RouteTableId": Prop.string(required=True),
        "SubnetId": Prop.string(required=True, constraints=[Custom("neutron.subnet")]),
    }
