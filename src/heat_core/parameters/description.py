"""A parameter as the validate call describes it (facts/formats.json)."""

from __future__ import annotations

from typing import Any

from heat_core.parameters.parameter import Parameter
from heat_core.properties.constraints import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    Custom,
    Length,
    Modulo,
    Range,
)
from heat_core.properties.kinds import Kind

_TYPES = {
    Kind.STRING: "String",
    Kind.NUMBER: "Number",
    Kind.LIST: "CommaDelimitedList",
    Kind.MAP: "Json",
    Kind.BOOLEAN: "Boolean",
}


def describe(parameter: Parameter) -> dict[str, Any]:
    """The entry of one parameter, in the CFN spelling that the API uses for all templates."""
    described: dict[str, Any] = {
        "Type": _TYPES[parameter.schema.kind],
        "Description": parameter.description,
        "NoEcho": "true" if parameter.hidden else "false",
        "Label": parameter.label,
    }
    if parameter.default is not None:
        described["Default"] = parameter.default
    if parameter.user_value:
        described["Value"] = parameter.user_value
    if parameter.schema.tags:
        described["Tags"] = parameter.schema.tags
    descriptions: list[Any] = []
    for constraint in parameter.schema.constraints.items:
        described.update(_described(constraint))
        if constraint.description:
            descriptions.append(constraint.description)
    if descriptions:
        described["ConstraintDescription"] = " ".join(descriptions)
    return described


def _described(constraint: Constraint) -> dict[str, Any]:
    shown: dict[str, Any]
    match constraint:
        case Length(min=low, max=high):
            shown = {"MinLength": low, "MaxLength": high}
        case Range(min=low, max=high):
            shown = {"MinValue": low, "MaxValue": high}
        case Modulo(step=step, offset=offset):
            shown = {"Step": step, "Offset": offset}
        case AllowedValues(allowed=allowed):
            return {"AllowedValues": list(allowed)}
        case AllowedPattern(pattern=pattern):
            return {"AllowedPattern": pattern}
        case Custom(name=name):
            return {"CustomConstraint": name}
        case _:
            raise AssertionError(f"a parameter cannot have the constraint {constraint!r}")
    return {key: value for key, value in shown.items() if value is not None}
