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
    name = "OS::Heat::SoftwareConfig"
    support = Support(version="2014.1")
    entity = "software_configs"

    properties: ClassVar[Mapping[str, Prop]] = {
        "group": Prop.string(default="Heat::Ungrouped"),
        "config": Prop.string(),
        "options": Prop.map(),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "config": Attr(kind=Kind.STRING),
    }
