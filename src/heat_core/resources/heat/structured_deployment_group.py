"""OS::Heat::StructuredDeploymentGroup: applies one structured config to many servers."""

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
    """Applies one structured config to many servers."""

    name = "OS::Heat::StructuredDeploymentGroup"
    support = Support(version="5.0.0")

    properties: ClassVar[Mapping[str, Prop]] = {
        **SoftwareDeploymentGroup.properties,
        "input_key": Prop.string(
            "Key of a map in the body that names an input to put there.", default="get_input"
        ),
        "input_values_validate": Prop.string(
            "Whether an input without a value is an error.",
            default="LAX",
            constraints=[AllowedValues(["LAX", "STRICT"])],
        ),
    }
