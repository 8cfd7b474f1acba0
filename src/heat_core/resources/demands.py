"""What types ask of their properties beyond the schemas, in Heat's words (messages-resources.json).

Each function raises when the demand is not met. A value that depends on a resource which is not
made yet is null at validation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NoReturn

from heat_core.errors import (
    PropertyUnspecifiedError,
    ResourcePropertyConflict,
    StackValidationFailed,
)


def refuse(text: str) -> NoReturn:
    """Say what is wrong with a resource."""
    raise StackValidationFailed(message=text)


def not_both(props: Mapping[str, Any], one: str, other: str) -> None:
    """Refuse two properties that are both given."""
    if props.get(one) is not None and props.get(other) is not None:
        raise ResourcePropertyConflict(one, other)


def at_least_one(props: Mapping[str, Any], *names: str) -> None:
    """Refuse properties of which none is given."""
    if all(props.get(name) is None for name in names):
        raise PropertyUnspecifiedError(*names)


def some_limit(props: Mapping[str, Any], names: Collection[str]) -> None:
    """Refuse a quota that limits nothing: the project is always given."""
    if sum(value is not None for value in props.values()) <= 1:
        raise PropertyUnspecifiedError(*names)
