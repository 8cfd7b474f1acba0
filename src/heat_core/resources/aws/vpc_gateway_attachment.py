"""AWS::EC2::VPCGatewayAttachment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
)
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class VPCGatewayAttachment(Unbuilt, NeutronType):
    name = "AWS::EC2::VPCGatewayAttachment"

    properties: ClassVar[Mapping[str, Prop]] = {
        "VpcId": Prop.string(required=True),
        "InternetGatewayId": Prop.string(),
        "VpnGatewayId": Prop.string(implemented=False),
    }
