"""AWS::EC2::VPC."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Prop,
)
from heat_core.resources.aws.tags import TAGS
from heat_core.resources.neutron.neutron_type import NeutronType
from heat_core.resources.unbuilt import Unbuilt


class VPC(Unbuilt, NeutronType):
    """A network of a project."""

    name = "AWS::EC2::VPC"

    properties: ClassVar[Mapping[str, Prop]] = {
        "CidrBlock": Prop.string(),
        "InstanceTenancy": Prop.string(
            default="default",
            implemented=False,
            constraints=[AllowedValues(["default", "dedicated"])],
        ),
        "Tags": TAGS,
    }
