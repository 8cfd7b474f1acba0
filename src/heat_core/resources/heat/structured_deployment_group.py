"""OS::Heat::StructuredDeploymentGroup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Prop,
    Support,
)
from heat_core.resources.heat.software_deployment_group import SoftwareDeploymentGroup


class StructuredDeploymentGroup(SoftwareDeploymentGroup):
    name = "OS::Heat::StructuredDeploymentGroup"
    support = Support(version="5.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        **SoftwareDeploymentGroup.properties,
        "input_key": Prop.string(default="get_input"),
        "input_values_validate": Prop.string(
            default="LAX", constraints=[AllowedValues(["LAX", "STRICT"])]
        ),
    }
