"""OS::Heat::SoftwareComponent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from heat_core.properties import (
    Attr,
    Kind,
    Length,
    Prop,
    Support,
)
from heat_core.resources.demands import refuse
from heat_core.resources.heat.config_values import INPUTS, OUTPUTS
from heat_core.resources.heat.heat_type import HeatType
from heat_core.resources.unbuilt import Unbuilt


class SoftwareComponent(Unbuilt, HeatType):
    """A piece of software with a configuration for each action of its life."""

    name = "OS::Heat::SoftwareComponent"
    support = Support(version="2014.2")
    entity = "software_configs"

    properties: ClassVar[Mapping[str, Prop]] = {
        "configs": Prop.list(
            "The configurations and the actions that each is for.",
            required=True,
            constraints=[Length(1)],
            schema=Prop.map(
                schema={
                    "actions": Prop.list(
                        "Actions that the configuration is applied at.",
                        default=["CREATE", "UPDATE"],
                        constraints=[Length(1)],
                        schema=Prop.string(),
                    ),
                    "config": Prop.string("The script or manifest."),
                    "tool": Prop.string("The tool on the server that applies it.", required=True),
                }
            ),
        ),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
        "options": Prop.map("Options of the tool."),
    }
    attributes: ClassVar[Mapping[str, Attr]] = {
        "config": Attr(description="The configurations of the component.", kind=Kind.STRING),
    }

    def validate(self, props: Mapping[str, Any]) -> None:
        seen: set[str] = set()
        for config in props["configs"]:
            if seen.intersection(config["actions"]):
                refuse(
                    "Defining more than one configuration for the same action in "
                    f'SoftwareComponent "{self.view.name}" is not allowed.'
                )
            seen.update(config["actions"])
