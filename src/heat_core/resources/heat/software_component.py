"""OS::Heat::SoftwareComponent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Length,
    Prop,
    Support,
)
from heat_core.resources.heat.config_values import INPUTS, OUTPUTS
from heat_core.resources.heat.heat_type import HeatType
from heat_core.resources.unbuilt import Unbuilt


class SoftwareComponent(Unbuilt, HeatType):
    name = "OS::Heat::SoftwareComponent"
    support = Support(version="2014.2")
    entity = "software_configs"

    properties: ClassVar[Mapping[str, Prop]] = {
        "configs": Prop.list(
            required=True,
            constraints=[Length(1)],
            schema=Prop.map(
                schema={
                    "actions": Prop.list(
                        default=["CREATE", "UPDATE"], constraints=[Length(1)], schema=Prop.string()
                    ),
                    "config": Prop.string(),
                    "tool": Prop.string(required=True),
                }
            ),
        ),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
        "options": Prop.map(),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "config": Attr(kind=Kind.STRING),
    }
