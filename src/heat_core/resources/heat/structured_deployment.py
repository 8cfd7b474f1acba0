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
    name = "OS::Heat::StructuredDeployment"
    support = Support(version="2014.1")

    properties: ClassVar[Mapping[str, Prop]] = {
        **SoftwareDeployment.properties,
        "input_key": Prop.string(default="get_input"),
        "input_values_validate": Prop.string(
            default="LAX", constraints=[AllowedValues(["LAX", "STRICT"])]
        ),
    }
