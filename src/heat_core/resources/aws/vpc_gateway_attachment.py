"""AWS::EC2::VPCGatewayAttachment: connects a VPC with its way to the outside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
)
from heat_core.resources.neighbours import Neighbour, where
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class VPCGatewayAttachment(Unbuilt, NeutronType):
    """Connects a VPC with its way to the outside."""

    name = "AWS::EC2::VPCGatewayAttachment"

    properties: ClassVar[Mapping[str, Prop]] = {
        "VpcId": Prop.string(required=True),
        "InternetGatewayId": Prop.string(),
        "VpnGatewayId": Prop.string(implemented=False),
    }

    @staticmethod
    def implied_requirements(own: Neighbour, others: Collection[Neighbour]) -> Iterable[str]:
        """The route tables of the VPC: what is attached to the gateway is their routers."""
        return where(
            others,
            "AWS::EC2::RouteTable",
            lambda table: table.read("VpcId") == own.read("VpcId"),
        )
