"""Text that means true or false (rules/c-parameters.md#14)."""

from __future__ import annotations

from typing import Any

_TRUE = frozenset({"1", "t", "true", "on", "y", "yes"})
_FALSE = frozenset({"0", "f", "false", "off", "n", "no"})


def parse_boolean(value: Any) -> bool:
    """A boolean for any spelling of one; ValueError lists the spellings."""
    if isinstance(value, bool):
        return value
    text = str(value)
    lowered = text.strip().lower()
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    acceptable = ", ".join(f"'{spelling}'" for spelling in sorted(_TRUE | _FALSE))
    raise ValueError(f"Unrecognized value '{text}', acceptable values are: {acceptable}")
