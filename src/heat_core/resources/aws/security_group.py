"""AWS::EC2::SecurityGroup: rules for the traffic that instances let pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
)
from heat_core.resources.unbuilt import Unbuilt


class SecurityGroup(Unbuilt):
    """Rules for the traffic that instances let pass."""

    name = "AWS::EC2::SecurityGroup"

    properties: ClassVar[Mapping[str, Prop]] = {
        "GroupDescription": Prop.string(required=True),
        "VpcId": Prop.string(),
        "SecurityGroupIngress": Prop.list(
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "CidrIp": Prop.string(),
                    "FromPort": Prop.string(),
                    "ToPort": Prop.string(),
                    "IpProtocol": Prop.string(),
                    "SourceSecurityGroupId": Prop.string(),
                    "SourceSecurityGroupName": Prop.string(),
                    "SourceSecurityGroupOwnerId": Prop.string(implemented=False),
                }
            ),
        ),
        "SecurityGroupEgress": Prop.list(
            update_allowed=True,
            schema=Prop.map(
                schema={
                    "CidrIp": Prop.string(),
                    "FromPort": Prop.string(),
                    "ToPort": Prop.string(),
                    "IpProtocol": Prop.string(),
                    "SourceSecurityGroupId": Prop.string(),
                    "SourceSecurityGroupName": Prop.string(),
                    "SourceSecurityGroupOwnerId": Prop.string(implemented=False),
                }
            ),
        ),
    }
