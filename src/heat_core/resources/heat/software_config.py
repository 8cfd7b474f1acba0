"""OS::Heat::SoftwareConfig."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Prop,
    Support,
)
from heat_core.resources.heat.config_values import INPUTS, OUTPUTS
from heat_core.resources.heat.heat_type import HeatType
from heat_core.resources.unbuilt import Unbuilt


class SoftwareConfig(Unbuilt, HeatType):
    """A configuration of software, kept for deployments to servers."""

    name = "OS::Heat::SoftwareConfig"
    support = Support(version="2014.1")
    entity = "software_configs"

    properties: ClassVar[Mapping[str, Prop]] = {
        "group": Prop.string(
            "The tool on the server that applies the config.", default="Heat::Ungrouped"
        ),
        "config": Prop.string("The script or manifest itself."),
        "options": Prop.map("Options of the tool."),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "config": Attr(description="The script or manifest of the config.", kind=Kind.STRING),
    }
