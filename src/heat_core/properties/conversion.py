"""Property schemas from template parameters, and parameters from property schemas.

The first gives a template resource its properties; the second makes the templates of the
generate_template call. Vectors: properties.jsonl, schema_from_parameter and provider_template.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from heat_core.properties.constraints import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    Length,
    Range,
)
from heat_core.properties.kinds import Kind
from heat_core.properties.schema import Prop


class Dialect(StrEnum):
    HOT = "hot"
    CFN = "cfn"


def from_parameter(
    kind: Kind,
    *,
    description: str | None = None,
    required: bool,
    constraints: Iterable[Constraint] = (),
) -> Prop:
    """The property through which a template resource passes a value to a parameter of its template.

    Any such property may be updated in place: what that means is for the nested template to say.
    """
    return Prop.of(
        kind,
        description=description,
        required=required,
        constraints=constraints,
        update_allowed=True,
        allow_conversion=kind in (Kind.MAP, Kind.LIST),
    )


_CFN_TYPES = {
    Kind.STRING: "String",
    Kind.INTEGER: "Number",
    Kind.NUMBER: "Number",
    Kind.BOOLEAN: "Boolean",
    Kind.MAP: "Json",
    Kind.LIST: "CommaDelimitedList",
}
_HOT_TYPES = {
    Kind.STRING: "string",
    Kind.INTEGER: "number",
    Kind.NUMBER: "number",
    Kind.BOOLEAN: "boolean",
    Kind.MAP: "json",
    Kind.LIST: "comma_delimited_list",
}


def _cfn_constraints(constraints: Iterable[Constraint]) -> Iterator[tuple[str, Any]]:
    for constraint in constraints:
        match constraint:
            case Length(min=low, max=high):
                yield from _present(("MinLength", low), ("MaxLength", high))
            case Range(min=low, max=high):
                yield from _present(("MinValue", low), ("MaxValue", high))
            case AllowedValues(allowed=allowed):
                yield "AllowedValues", list(allowed)
            case AllowedPattern(pattern=pattern):
                yield "AllowedPattern", pattern


def _present(*items: tuple[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in items if value is not None)


def _cfn_parameter(prop: Prop) -> dict[str, Any]:
    form: dict[str, Any] = {"Type": _CFN_TYPES[prop.kind]}
    form.update(_present(("Description", prop.description), ("Default", prop.default)))
    form.update(_cfn_constraints(prop.constraints.items))
    if prop.kind is Kind.BOOLEAN:
        form["AllowedValues"] = ["True", "true", "False", "false"]
    return form


def _hot_constraint(constraint: Constraint) -> dict[str, Any]:
    """Constraints that parameters do not know become empty maps, as they always have."""
    if not isinstance(constraint, Length | Range | AllowedValues | AllowedPattern):
        return {}
    form = constraint.as_dict()
    form.pop("description", None)
    return form


def _hot_parameter(prop: Prop) -> dict[str, Any]:
    form: dict[str, Any] = {"type": _HOT_TYPES[prop.kind]}
    form.update(_present(("description", prop.description), ("default", prop.default)))
    if prop.constraints.items:
        form["constraints"] = [_hot_constraint(item) for item in prop.constraints.items]
    return form


def _cfn_value(name: str, prop: Prop) -> dict[str, Any]:
    reference = {"Ref": name}
    return {"Fn::Split": [",", reference]} if prop.kind is Kind.LIST else reference


def _hot_value(name: str, prop: Prop) -> dict[str, Any]:
    return {"get_param": name}


_FORMS: Mapping[
    Dialect, tuple[Callable[[Prop], dict[str, Any]], Callable[[str, Prop], dict[str, Any]]]
] = {
    Dialect.CFN: (_cfn_parameter, _cfn_value),
    Dialect.HOT: (_hot_parameter, _hot_value),
}


def to_parameters(
    schema: Mapping[str, Prop], dialect: Dialect
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(parameters, properties) of a template whose parameters feed these properties.

    KeyError 'Any' for a property that takes anything: no parameter type says that. ValueError when
    the schema has properties but none is implemented.
    """
    parameter, value = _FORMS[dialect]
    if not schema:
        return {}, {}
    implemented = {name: prop for name, prop in schema.items() if prop.implemented}
    if not implemented:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    for prop in implemented.values():
        if prop.kind is Kind.ANY:
            raise KeyError(prop.kind.value)
    return (
        {name: parameter(prop) for name, prop in implemented.items()},
        {name: value(name, prop) for name, prop in implemented.items()},
    )
