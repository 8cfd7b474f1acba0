"""The kinds of a value, and the conversions that properties and parameters share."""

from __future__ import annotations

import numbers
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """A value's kind, spelled as in a schema's `Type` (facts/resource-types)."""

    STRING = "String"
    INTEGER = "Integer"
    NUMBER = "Number"
    BOOLEAN = "Boolean"
    MAP = "Map"
    LIST = "List"
    ANY = "Any"


_TRUE_TEXTS = frozenset({"1", "t", "true", "on", "y", "yes"})
_FALSE_TEXTS = frozenset({"0", "f", "false", "off", "n", "no"})


def number_from(value: Any) -> Any:
    """A number as it is, else int(value), else float(value); raises ValueError or TypeError.

    Booleans count as numbers. Source: rules/d-properties.md#20.
    """
    if isinstance(value, numbers.Number):
        return value
    try:
        return int(value)
    except ValueError:
        return float(value)


def boolean_from_text(text: str) -> bool:
    """Read any of the spellings that constraints on booleans accept; ValueError for others."""
    normalised = text.strip().lower()
    if normalised in _TRUE_TEXTS:
        return True
    if normalised in _FALSE_TEXTS:
        return False
    raise ValueError(f"Unrecognized value {text!r}")


def as_kind(value: Any, kind: Kind, shown_kind: str | None = None) -> Any:
    """`value` in the kind's own type, for the comparison with allowed values.

    Raises ValueError `Value "<value>" is invalid for data type "<kind>".`; `shown_kind` is the
    kind's name in the dialect of the caller (a parameter's "number", a property's "Number").
    """
    try:
        match kind:
            case Kind.INTEGER:
                number = number_from(value)
                if isinstance(number, float):
                    raise ValueError(f"{number} is not an integer.")
                return number
            case Kind.NUMBER:
                return number_from(value)
            case Kind.STRING:
                return str(value)
            case Kind.BOOLEAN:
                return boolean_from_text(str(value))
            case _:
                return value
    except ValueError:
        text = f'Value "{value}" is invalid for data type "{shown_kind or kind.value}".'
        raise ValueError(text) from None
