"""Conversions of a given value into a property's kind (rules/d-properties.md#18-24)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from heat_core.properties.kinds import Kind, number_from
from heat_core.properties.schema import Prop


def coerce_scalar(prop: Prop, value: Any) -> Any:
    """The value of a kind without children; null becomes the default, or the kind's empty value."""
    if prop.kind is Kind.ANY:
        return value
    if prop.kind not in _SCALARS:
        raise AssertionError(f"{prop.kind} is not a scalar kind")
    convert, empty = _SCALARS[prop.kind]
    return convert((prop.default or empty) if value is None else value)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int):
        return str(value)
    raise ValueError(f"Value must be a string; got {value!r}")


def _integer(value: Any) -> int:
    try:
        return int(value)
    except ValueError:
        raise TypeError(f"Value '{value}' is not an integer") from None


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        normalised = value.lower()
        if normalised in ("true", "false"):
            return normalised == "true"
        raise ValueError(f'"{normalised}" is not a valid boolean')
    raise TypeError(f'"{value}" is not a valid boolean')


_SCALARS: Mapping[Kind, tuple[Callable[[Any], Any], Any]] = {
    Kind.STRING: (_text, ""),
    Kind.INTEGER: (_integer, 0),
    Kind.NUMBER: (number_from, 0),
    Kind.BOOLEAN: (_boolean, False),
}
"""how a value of each kind without children is made, and what stands for none at all"""


def convert_map(prop: Prop, value: Any) -> Any:
    """A mapping; or, where conversion is allowed, text as it is and a list as its JSON text."""
    if value is None:
        value = prop.default if prop.has_default else {}
    if isinstance(value, (dict, Mapping)):  # dict first: asking an ABC takes long
        return value
    if prop.allow_conversion:
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence):
            return json.dumps(value)
    raise TypeError(f'"{value}" is not a map')


def convert_list(prop: Prop, value: Any) -> Sequence[Any]:
    """A sequence that is not text; where conversion is allowed, text is split at its commas."""
    if value is None:
        value = prop.default or []
    if prop.allow_conversion and isinstance(value, str):
        value = split_text(value)
    if not isinstance(value, (list, Sequence)) or isinstance(value, str):
        raise TypeError(f'"{value!r}" is not a list')
    return value


def split_text(text: str) -> list[str]:
    """The members of a comma separated text, blanks kept; no text, no members."""
    return text.split(",") if text else []
