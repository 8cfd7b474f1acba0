"""OS::Heat::StructuredDeployment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    AllowedValues,
    Prop,
    Support,
)
from heat_core.resources.heat.software_deployment import SoftwareDeployment


class StructuredDeployment(SoftwareDeployment):
    """Applies a structured config to a server, values put into its body."""

    name = "OS::Heat::StructuredDeployment"
    support = Support(version="2014.1")

    properties: ClassVar[Mapping[str, Prop]] = {
        **SoftwareDeployment.properties,
        "input_key": Prop.string(
            "Key of a map in the body that names an input to put there.", default="get_input"
        ),
        "input_values_validate": Prop.string(
            "Whether an input without a value is an error.",
            default="LAX",
            constraints=[AllowedValues(["LAX", "STRICT"])],
        ),
    }
