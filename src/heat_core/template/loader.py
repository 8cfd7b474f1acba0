"""Template text -> document (rules/a-template-versions.md#1-7). JSON is tried first, then YAML.

How long a text may be is ambient (a context variable), as texts of nested stacks are read in many
places: an engine says it once, with `template_size_limit`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from heat_core.documents import NotJSON, load_json, load_yaml
from heat_core.errors import RequestLimitExceeded

DEFAULT_MAX_TEMPLATE_SIZE: Final = 524288
"""characters; the option max_template_size"""

VERSION_KEYS: Final = (
    "HeatTemplateFormatVersion",
    "heat_template_version",
    "AWSTemplateFormatVersion",
)


_limit: ContextVar[int] = ContextVar("max_template_size", default=DEFAULT_MAX_TEMPLATE_SIZE)


@contextmanager
def template_size_limit(characters: int) -> Iterator[None]:
    """Let texts have so many characters in this block, and in tasks and threads begun in it."""
    token = _limit.set(characters)
    try:
        yield
    finally:
        _limit.reset(token)


def check_size(text: Any, limit: int | None = None) -> None:
    """Raise RequestLimitExceeded when the text has more than `limit` characters (rules/a#1).

    None: the limit of this place.
    """
    limit = _limit.get() if limit is None else limit
    length = len(str(text))
    if length > limit:
        raise RequestLimitExceeded(
            message=f"Template size ({length} bytes) exceeds maximum allowed size ({limit} bytes)."
        )


def parse_text(text: str, *, url: str | None = None, limit: int | None = None) -> Any:
    """The template in `text` as a dict.

    `url` names the template in the text of a YAML error. Raises ValueError with the text for the
    user, RequestLimitExceeded when the text is too long.
    """
    check_size(text, limit)
    document = parse_any(text, url=url)
    if not any(key in document for key in VERSION_KEYS):
        raise ValueError("Template format version not found.")
    return document


def parse_any(text: str, *, url: str | None = None) -> dict[Any, Any]:
    """Like parse_text, without the checks for size and for a version key."""
    if not isinstance(text, str):
        raise TypeError(f"{type(text)} can't be decoded")
    name = "[root stack]" if url is None else url
    try:
        try:
            document = load_json(text)
        except NotJSON:
            document = load_yaml(text)
            if document is None:
                document = {}
    except ValueError as error:
        raise ValueError(f"Error parsing template {name} {error}") from None
    if not isinstance(document, dict):
        raise ValueError("The template is not a JSON object or YAML mapping.")
    return document
