"""OS::Heat::StructuredConfig."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Prop,
    Support,
)
from heat_core.resources.heat.config_values import INPUTS, OUTPUTS
from heat_core.resources.heat.software_config import SoftwareConfig


class StructuredConfig(SoftwareConfig):
    """A software config whose body is a map instead of a text."""

    name = "OS::Heat::StructuredConfig"
    support = Support(version="2014.1")

    properties: ClassVar[Mapping[str, Prop]] = {
        "group": Prop.string(
            "The tool on the server that applies the config.", default="Heat::Ungrouped"
        ),
        "options": Prop.map("Options of the tool."),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
        "config": Prop.map("The body; a map with input_key in it stands for an input's value."),
    }
