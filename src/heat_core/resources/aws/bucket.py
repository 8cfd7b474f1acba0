"""AWS::S3::Bucket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Attr,
    Kind,
    Prop,
)
from heat_core.resources.aws.instance_properties import NOVA_SCHEDULER_HINTS
from heat_core.resources.swift.swift_type import SwiftType
from heat_core.resources.unbuilt import Unbuilt


class S3Bucket(Unbuilt, SwiftType):
    """A container of the object storage."""

    name = "AWS::S3::Bucket"

    properties: ClassVar[Mapping[str, Prop]] = {
        "AccessControl": Prop.string(
            constraints=[
                AllowedValues(
                    [
                        "Private",
                        "PublicRead",
                        "PublicReadWrite",
                        "AuthenticatedRead",
                        "BucketOwnerRead",
                        "BucketOwnerFullControl",
                    ]
                )
            ]
        ),
        "WebsiteConfiguration": Prop.map(
            schema={"IndexDocument": Prop.string(), "ErrorDocument": Prop.string()}
        ),
        "Tags": NOVA_SCHEDULER_HINTS,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "DomainName": Attr(kind=Kind.STRING),
        "WebsiteURL": Attr(kind=Kind.STRING),
    }
