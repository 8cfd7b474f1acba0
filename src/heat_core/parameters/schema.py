"""Parameter schemas and how HOT and CFN templates write them (rules/c-parameters.md#1-7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heat_core.errors import InvalidSchemaError, StackValidationFailed
from heat_core.properties.constraints import (
    LOCAL_CHECKS,
    AllowedPattern,
    AllowedValues,
    Checks,
    Constraint,
    ConstraintSet,
    Custom,
    Length,
    Modulo,
    Range,
    shown_name,
)
from heat_core.properties.kinds import Kind, number_from
from heat_core.properties.schema import NO_CONSTRAINTS

if TYPE_CHECKING:
    from heat_core.template.versions import TemplateVersion

HOT_TYPES: dict[str, Kind] = {
    "string": Kind.STRING,
    "number": Kind.NUMBER,
    "comma_delimited_list": Kind.LIST,
    "json": Kind.MAP,
    "boolean": Kind.BOOLEAN,
}
CFN_TYPES: dict[str, Kind] = {
    "String": Kind.STRING,
    "Number": Kind.NUMBER,
    "CommaDelimitedList": Kind.LIST,
    "Json": Kind.MAP,
    "Boolean": Kind.BOOLEAN,
}
HOT_KEYS = (
    "type",
    "description",
    "default",
    "schema",
    "constraints",
    "hidden",
    "label",
    "immutable",
)
CFN_KEYS = (
    "Type",
    "Default",
    "NoEcho",
    "AllowedValues",
    "AllowedPattern",
    "MaxLength",
    "MinLength",
    "MaxValue",
    "MinValue",
    "Description",
    "ConstraintDescription",
    "Label",
)
CONSTRAINT_KEYS = (
    "description",
    "length",
    "range",
    "modulo",
    "allowed_values",
    "allowed_pattern",
    "custom_constraint",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSchema:
    """What a template says about one parameter. `type_name` is the template's own spelling."""

    kind: Kind
    type_name: str
    description: Any = None
    default: Any = None
    constraints: ConstraintSet = NO_CONSTRAINTS
    hidden: Any = False
    label: Any = None
    immutable: Any = False
    tags: Any = None

    def with_default(self, default: Any) -> ParameterSchema:
        """The schema with another default."""
        return replace(self, default=default)

    def validate(self) -> None:
        """Check the schema itself and its default. Raises InvalidSchemaError (rules/c#4, #7)."""
        for constraint in self.constraints.items:
            if self.kind not in constraint.kinds:
                raise InvalidSchemaError(
                    message=f"{shown_name(constraint)} constraint invalid for {self.type_name}"
                )
        if self.default is None:
            return
        default = self.default
        if self.kind is Kind.LIST:
            if isinstance(default, list):
                default = [str(member) for member in default]
            elif isinstance(default, str):
                default = default.split(",")
            else:
                kind = type(default).__name__
                raise InvalidSchemaError(
                    message="Default must be a comma-delimited list string: "
                    f"'{kind}' object has no attribute 'split'"
                )
        try:
            self.check_value(default, LOCAL_CHECKS, skip_custom=True)
        except (ValueError, TypeError, StackValidationFailed) as error:
            raise InvalidSchemaError(message=f"Invalid default {self.default} ({error})") from None

    def check_value(self, value: Any, checks: Checks, *, skip_custom: bool = False) -> None:
        """Raise StackValidationFailed when a constraint refuses the value."""
        try:
            self.constraints.check(
                value, self.kind, self.type_name, checks, skip_custom=skip_custom
            )
        except ValueError as error:
            raise StackValidationFailed(message=str(error)) from None


def read_schemata(
    version: TemplateVersion, section: Any, defaults: Mapping[str, Any] | None = None
) -> dict[str, ParameterSchema]:
    """The parameters section of a template as schemas, `defaults` laid over the template's own.

    Raises InvalidSchemaError for the first schema that is not right.
    """
    section = section or {}
    read = read_cfn if version.dialect == "cfn" else read_hot
    schemata = {}
    for name, written in section.items():
        schema = read(name, written, version)
        if defaults and name in defaults:
            schema = schema.with_default(defaults[name])
        schemata[name] = schema
    return schemata


def _check_keys(written: Any, allowed: tuple[str, ...], entity: str) -> None:
    if not isinstance(written, dict):
        raise InvalidSchemaError(message=f"Invalid {entity}, expected a mapping")
    for key in written:
        if key not in allowed:
            raise InvalidSchemaError(message=f"Invalid key '{key}' for {entity}")


def _kind(types: Mapping[str, Kind], name: Any) -> Kind:
    if not isinstance(name, str) or name not in types:
        raise InvalidSchemaError(message=f"Invalid type ({name})")
    return types[name]


def read_hot(name: str, written: Any, version: TemplateVersion) -> ParameterSchema:
    """One parameter of a HOT template."""
    keys = (*HOT_KEYS, "tags") if version.has_parameter_tags else HOT_KEYS
    _check_keys(written, keys, f"parameter ({name})")
    if "type" not in written:
        raise InvalidSchemaError(message=f"Missing parameter type for parameter: {name}")
    if version.has_parameter_tags and not isinstance(written.get("tags", []), list):
        raise InvalidSchemaError(message=f"Tags property should be a list for parameter: {name}")
    constraints = tuple(_hot_constraints(name, written.get("constraints"), version.has_modulo))
    return ParameterSchema(
        kind=_kind(HOT_TYPES, written["type"]),
        type_name=written["type"],
        description=written.get("description"),
        default=written.get("default"),
        constraints=ConstraintSet(constraints),
        hidden=written.get("hidden", False),
        label=written.get("label"),
        immutable=written.get("immutable", False),
        tags=written.get("tags"),
    )


def _hot_constraints(name: str, written: Any, has_modulo: bool) -> Iterator[Constraint]:
    if written is None:
        return
    if not isinstance(written, list):
        raise InvalidSchemaError(
            message=f"Invalid parameter constraints for parameter {name}, expected a list"
        )
    for item in written:
        _check_keys(item, CONSTRAINT_KEYS, "parameter constraints")
        yield _hot_constraint(item, has_modulo)


def _hot_constraint(item: Mapping[str, Any], has_modulo: bool) -> Constraint:
    description = item.get("description")
    if has_modulo and "modulo" in item:
        step, offset = _pair(item["modulo"], "modulo", ("step", "offset"))
        return Modulo(step, offset, description)
    if "range" in item:
        return Range(*_pair(item["range"], "range", ("min", "max")), description)
    if "length" in item:
        return Length(*_pair(item["length"], "length", ("min", "max")), description)
    if "allowed_values" in item:
        return AllowedValues(item["allowed_values"], description)
    if "allowed_pattern" in item:
        return AllowedPattern(item["allowed_pattern"], description)
    if "custom_constraint" in item:
        return Custom(item["custom_constraint"], description)
    raise InvalidSchemaError(message="No constraint expressed")


def _pair(written: Any, kind: str, keys: tuple[str, str]) -> tuple[Any, Any]:
    _check_keys(written, keys, f"{kind} constraint")
    first, second = (_number(written.get(key)) for key in keys)
    return first, second


def _number(value: Any) -> Any:
    return None if value is None else number_from(value)


def read_cfn(name: str, written: Any, version: TemplateVersion) -> ParameterSchema:
    """One parameter of a CloudFormation template."""
    _check_keys(written, CFN_KEYS, f"parameter ({name})")
    if "Type" not in written:
        raise InvalidSchemaError(message=f"Missing parameter type for parameter: {name}")
    return ParameterSchema(
        constraints=ConstraintSet(tuple(_cfn_constraints(written))),
        kind=_kind(CFN_TYPES, written["Type"]),
        type_name=written["Type"],
        description=written.get("Description"),
        default=written.get("Default"),
        hidden=str(written.get("NoEcho", "false")).lower() == "true",
        label=written.get("Label"),
    )


def _cfn_constraints(written: Mapping[str, Any]) -> Iterator[Constraint]:
    description = written.get("ConstraintDescription")
    if "MinValue" in written or "MaxValue" in written:
        yield Range(_number(written.get("MinValue")), _number(written.get("MaxValue")), description)
    if "MinLength" in written or "MaxLength" in written:
        yield Length(
            _number(written.get("MinLength")), _number(written.get("MaxLength")), description
        )
    if "AllowedValues" in written:
        yield AllowedValues(written["AllowedValues"], description)
    if "AllowedPattern" in written:
        yield AllowedPattern(written["AllowedPattern"], description)
