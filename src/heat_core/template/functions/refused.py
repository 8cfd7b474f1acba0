"""Names that a version knows but does not let be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heat_core.errors import InvalidTemplateVersion
from heat_core.template.function import Function

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution, Scope


class Removed(Function):
    """Gone in this version: parses, stays as it stands, fails validation (rules/a#30)."""

    __slots__ = ()

    def validate(self, at: Resolution) -> None:
        raise InvalidTemplateVersion(
            explanation=f"The function {self.name} is not supported in this version of HOT."
        )

    def resolve(self, at: Resolution) -> Any:
        return {self.name: self.args}


class Invalid(Function):
    """A function where only condition functions may stand (rules/a#28)."""

    __slots__ = ()

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        raise ValueError(f'The function "{name}" is invalid in this context')

    def resolve(self, at: Resolution) -> Any:
        raise AssertionError("an invalid function is never made")
