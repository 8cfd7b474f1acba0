"""AWS::ElasticLoadBalancing::LoadBalancer: spreads connections over instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Prop,
)
from heat_core.resources.unbuilt import Unbuilt


class LoadBalancer(Unbuilt):
    """Spreads connections over instances."""

    name = "AWS::ElasticLoadBalancing::LoadBalancer"
    needs_stored_credentials = True
    has_nested_stack = True
    announced = frozenset({"check", "resume", "suspend"})

    properties: ClassVar[Mapping[str, Prop]] = {
        "AvailabilityZones": Prop.list(required=True),
        "HealthCheck": Prop.map(
            schema={
                "HealthyThreshold": Prop.integer(required=True),
                "Interval": Prop.integer(required=True),
                "Target": Prop.string(required=True),
                "Timeout": Prop.integer(required=True),
                "UnhealthyThreshold": Prop.integer(required=True),
            }
        ),
        "Instances": Prop.list(update_allowed=True),
        "Listeners": Prop.list(
            required=True,
            schema=Prop.map(
                schema={
                    "InstancePort": Prop.integer(required=True),
                    "LoadBalancerPort": Prop.integer(required=True),
                    "Protocol": Prop.string(
                        required=True, constraints=[AllowedValues(["TCP", "HTTP"])]
                    ),
                    "SSLCertificateId": Prop.string(implemented=False),
                    "PolicyNames": Prop.list(implemented=False),
                }
            ),
        ),
        "AppCookieStickinessPolicy": Prop.string(implemented=False),
        "LBCookieStickinessPolicy": Prop.string(implemented=False),
        "SecurityGroups": Prop.list(update_allowed=True),
        "Subnets": Prop.list(implemented=False),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "CanonicalHostedZoneName": Attr(kind=Kind.STRING),
        "CanonicalHostedZoneNameID": Attr(kind=Kind.STRING),
        "DNSName": Attr(kind=Kind.STRING),
        "SourceSecurityGroup.GroupName": Attr(kind=Kind.STRING),
        "SourceSecurityGroup.OwnerAlias": Attr(kind=Kind.STRING),
    }
