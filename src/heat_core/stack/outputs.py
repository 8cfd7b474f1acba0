"""What a template says about its outputs (rules/a-template-versions.md#23-24)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heat_core.errors import (
    InvalidTemplateAttribute,
    InvalidTemplateReference,
    StackValidationFailed,
)
from heat_core.template.function import (
    attribute_references,
    dependencies,
    resolve,
    unparsed,
    validate,
)
from heat_core.template.parser import parse, root
from heat_core.template.scope import Resolution, Scope

if TYPE_CHECKING:
    from heat_core.template.template import Template

_ERROR = "Output validation error"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutputDefinition:
    """One output: `value` is a parsed tree, None when its condition is false."""

    name: str
    value: Any
    description_given: Any = None

    @property
    def description(self) -> str:
        """The description as stack show has it."""
        if self.description_given is None:
            return "No description given"
        return str(self.description_given)

    def as_hot(self) -> dict[str, Any]:
        """The output as HOT writes it, calls turned back into maps."""
        shown = {} if self.description_given is None else {"description": self.description_given}
        return {**shown, "value": unparsed(self.value)}

    def required_names(self, at: Resolution) -> frozenset[str]:
        """Resources that the value names; none when one of them isn't there."""
        try:
            return frozenset(dependencies(self.value, at))
        except (InvalidTemplateAttribute, InvalidTemplateReference):
            return frozenset()

    def attribute_references(self, at: Resolution) -> Iterator[tuple[Any, Any]]:
        """Pairs (resource, attribute key) that the value reads."""
        return attribute_references(self.value, at)

    def validate(self, at: Resolution) -> None:
        """Check the calls in the value; the path starts with `Value`."""
        validate(self.value, at, ["Value"])


def read_outputs(template: Template, scope: Scope) -> dict[str, OutputDefinition]:
    """The outputs of a template in its order. Raises StackValidationFailed."""
    names = scope.version.names
    return {
        name: _read_output(scope, name, written, f"{names.outputs}.{name}")
        for name, written in template.outputs.items()
    }


def _read_output(scope: Scope, name: str, written: Any, path: str) -> OutputDefinition:
    names = scope.version.names
    if not isinstance(written, Mapping):
        raise StackValidationFailed(
            error=_ERROR,
            path=[names.outputs, name],
            message=f"Output definitions must be a map. Found a {type(written).__name__} instead",
        )
    if names.output_value not in written:
        raise StackValidationFailed(
            error=_ERROR,
            path=[names.outputs, name],
            message=f"Each output definition must contain a {names.output_value} key.",
        )
    description = written.get(names.output_description)
    if scope.version.has_conditions and not _is_enabled(scope, name, written, path):
        return OutputDefinition(name=name, value=None, description_given=description)
    value = parse(
        scope.version.functions,
        scope,
        written[names.output_value],
        root(f"{path}.{names.output_value}"),
    )
    return OutputDefinition(name=name, value=value, description_given=description)


def _is_enabled(scope: Scope, name: str, written: Mapping[str, Any], path: str) -> bool:
    names = scope.version.names
    condition = parse(
        scope.version.condition_table,
        scope,
        written.get(names.condition),
        root(f"{path}.{names.condition}"),
    )
    try:
        return bool(scope.conditions.is_enabled(resolve(condition, Resolution(scope, {}))))
    except ValueError as error:
        raise StackValidationFailed(
            path=[names.outputs, name, names.condition], message=str(error)
        ) from None
