"""The conditions of a template: each is worked out once, when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from heat_core.errors import StackValidationFailed
from heat_core.template.function import Function, resolve, validate
from heat_core.template.parser import parse, root
from heat_core.template.scope import Resolution

if TYPE_CHECKING:
    from heat_core.template.scope import Scope

_UNDER_WAY: Final = object()


class Conditions:
    """Named conditions, true or false for the stack's parameters (rules/a#25-28)."""

    def __init__(self, definitions: Mapping[str, Any], scope: Scope) -> None:
        self._definitions = definitions
        self._at = Resolution(scope, {})
        self._known: dict[str, Any] = {}

    @classmethod
    def read(cls, section: Any, name: str, scope: Scope) -> Conditions:
        """Parse the section `name`; StackValidationFailed when it isn't a map or a call is bad."""
        if not isinstance(section, Mapping):
            raise StackValidationFailed(
                error="Conditions validation error",
                message=(
                    f"Condition definitions must be a map. Found a {type(section).__name__} instead"
                ),
            )
        for key in section:
            if not isinstance(key, str):
                raise StackValidationFailed(
                    error="Conditions validation error",
                    message=f"The name of a condition must be text. Found {key!r} instead",
                )
        table = scope.version.condition_table
        return cls(
            {
                key: parse(table, scope, value, root(f"{name}.{key}"))
                for key, value in section.items()
            },
            scope,
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._definitions)

    def __contains__(self, name: object) -> bool:
        return name in self._definitions

    def validate(self) -> None:
        """Check that every definition is a boolean or a condition function."""
        for name, definition in self._definitions.items():
            _check_kind(name, definition)
            validate(definition, self._at)

    def is_enabled(self, name: Any) -> Any:
        """Whether a condition holds; None means no condition, a boolean itself.

        Raises ValueError for a name that isn't defined, StackValidationFailed for a circle.
        """
        if name is None:
            return True
        if isinstance(name, bool):
            return name
        if not isinstance(name, str) or name not in self._definitions:
            raise ValueError(f'Invalid condition "{name}"')
        if name not in self._known:
            self._known[name] = _UNDER_WAY
            try:
                value = resolve(self._definitions[name], self._at)
                _check_kind(name, value)
            except BaseException:
                # Postponed too: the evaluation will be repeated.
                del self._known[name]
                raise
            self._known[name] = value
        value = self._known[name]
        if value is _UNDER_WAY:
            raise StackValidationFailed(
                error="Condition validation error",
                message=f'Circular definition for condition "{name}"',
            )
        return value


def _check_kind(name: str, definition: Any) -> None:
    if not isinstance(definition, bool | Function):
        raise StackValidationFailed(
            error="Condition validation error",
            message=f'The definition of condition "{name}" is invalid: {definition}',
        )
