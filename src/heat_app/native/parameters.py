"""Values of parameters, and the texts for those that are not what they should be.

Source: rules/o-listing.md, facts/messages-api.json (param_utils), facts/validation-vectors.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heat_app.native.faults import HTTPBadRequest

MAX_TAG_LENGTH = 80


def extract_bool(name: str, value: Any) -> bool:
    """True or False from `true` and `false` in any case; HTTPBadRequest for anything else."""
    text = str(value).lower()
    if text not in {"true", "false"}:
        raise HTTPBadRequest(
            f'Unrecognized value "{value}" for "{name}", acceptable values are: true, false.'
        )
    return text == "true"


def extract_int(name: str, value: Any) -> int | None:
    """A number >= 0 from a number or its plain text; None stays; HTTPBadRequest otherwise."""
    if value is None:
        return None
    if not _is_int_like(value):
        raise HTTPBadRequest(f"Only integer is acceptable by '{name}'.")
    number = int(value)
    if number < 0:
        raise HTTPBadRequest(
            f"Value '{value}' is invalid for '{name}' which only accepts non-negative integer."
        )
    return number


def _is_int_like(value: Any) -> bool:
    try:
        return str(int(value)) == str(value)
    except (TypeError, ValueError, OverflowError):
        return False


def extract_tags(value: Any) -> list[str]:
    """The tags of a comma-separated text; AttributeError when it is no text."""
    tags: Sequence[str] = value.split(",")
    for tag in tags:
        if len(tag) > MAX_TAG_LENGTH:
            raise HTTPBadRequest(f'Invalid tag, "{tag}" is longer than {MAX_TAG_LENGTH} characters')
    return list(tags)


def extract_template_type(value: str) -> str:
    """cfn or hot, from any case."""
    kind = value.lower()
    if kind not in {"cfn", "hot"}:
        raise HTTPBadRequest(
            f'Template type is not supported: Invalid template type "{value}", '
            "valid types are: cfn, hot."
        )
    return kind
