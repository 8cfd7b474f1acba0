"""The declarations of inputs and outputs that all software configs take."""

from __future__ import annotations

from heat_core.properties import (
    AllowedValues,
    Prop,
)

INPUTS = Prop.list(
    schema=Prop.map(
        schema={
            "name": Prop.string(required=True),
            "description": Prop.string(),
            "type": Prop.string(
                default="String",
                constraints=[
                    AllowedValues(["String", "Number", "CommaDelimitedList", "Json", "Boolean"])
                ],
            ),
            "default": Prop.any(),
            "replace_on_change": Prop.boolean(default=False),
        }
    )
)

OUTPUTS = Prop.list(
    schema=Prop.map(
        schema={
            "name": Prop.string(required=True),
            "description": Prop.string(),
            "type": Prop.string(
                default="String",
                constraints=[
                    AllowedValues(["String", "Number", "CommaDelimitedList", "Json", "Boolean"])
                ],
            ),
            "error_output": Prop.boolean(default=False),
        }
    )
)
