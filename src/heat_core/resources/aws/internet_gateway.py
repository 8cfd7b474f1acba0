"""AWS::EC2::InternetGateway: the way of a VPC to the outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
)
from heat_core.resources.aws.tags import TAGS
from heat_core.resources.unbuilt import Unbuilt


class InternetGateway(Unbuilt):
    """The way of a VPC to the outside."""

    name = "AWS::EC2::InternetGateway"

    properties: ClassVar[Mapping[str, Prop]] = {
        "Tags": TAGS,
    }
