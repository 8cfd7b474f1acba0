"""The declarations of inputs and outputs that all software configs take."""

from __future__ import annotations

from heat_core.properties import (
    AllowedValues,
    Prop,
)

INPUTS = Prop.list(
    "Values that a deployment must or may give.",
    schema=Prop.map(
        schema={
            "name": Prop.string("Name of the input.", required=True),
            "description": Prop.string("What the input is for."),
            "type": Prop.string(
                "Kind of the input's value.",
                default="String",
                constraints=[
                    AllowedValues(["String", "Number", "CommaDelimitedList", "Json", "Boolean"])
                ],
            ),
            "default": Prop.any("Value when a deployment gives none."),
            "replace_on_change": Prop.boolean(
                "Whether another value makes a new deployment.", default=False
            ),
        }
    ),
)

OUTPUTS = Prop.list(
    "Values that come back from the server.",
    schema=Prop.map(
        schema={
            "name": Prop.string("Name of the output.", required=True),
            "description": Prop.string("What the output tells."),
            "type": Prop.string(
                "Kind of the output's value.",
                default="String",
                constraints=[
                    AllowedValues(["String", "Number", "CommaDelimitedList", "Json", "Boolean"])
                ],
            ),
            "error_output": Prop.boolean(
                "Whether any value of it means that the deployment failed.", default=False
            ),
        }
    ),
)
