"""Attribute schemas and the reading of paths inside an attribute (rules/d-properties.md#35-39)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from heat_core.properties.kinds import Kind, boolean_from_text
from heat_core.properties.schema import SUPPORTED
from heat_core.properties.support import Support


class CacheMode(StrEnum):
    """Whether a value that was read may be kept for the next reader."""

    LOCAL = "cache_local"
    NONE = "cache_none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attr:
    """The schema of one attribute; no kind means that nothing is known of its values."""

    description: str | None = None
    kind: Kind | None = None
    cache: CacheMode = CacheMode.LOCAL
    support: Support = SUPPORTED

    def as_dict(self) -> dict[str, Any]:
        """The form of resource_type_show."""
        form: dict[str, Any] = {}
        if self.description is not None:
            form["description"] = self.description
        if self.kind is not None:
            form["type"] = self.kind.value.lower()
        return form

    def fits(self, value: Any) -> bool:
        """Whether a value is of the declared kind; a mismatch is worth a warning, no more."""
        match self.kind:
            case Kind.STRING:
                return isinstance(value, str)
            case Kind.LIST:
                return isinstance(value, Sequence) and not isinstance(value, str)
            case Kind.MAP:
                return isinstance(value, Mapping)
            case Kind.INTEGER:
                return isinstance(value, int)
            case Kind.BOOLEAN:
                return _reads_as_boolean(value)
            case _:
                return True


SHOW = "show"

BASE_ATTRIBUTES: Mapping[str, Attr] = {
    SHOW: Attr(
        description="Everything that the service tells about the object.",
        kind=Kind.MAP,
        cache=CacheMode.NONE,
    )
}
"""attributes of every type"""


def _reads_as_boolean(value: Any) -> bool:
    try:
        boolean_from_text(str(value))
    except ValueError:
        return False
    return True


def select_from_attribute(value: Any, path: Iterable[Any]) -> Any:
    """What stands at `path` inside an attribute's value; None when the path leads nowhere.

    Source: rules/d-properties.md#36.
    """
    for key in path:
        # Text is a sequence too: an index into it gives a character, as it always has.
        if not isinstance(value, Mapping | Sequence) or not isinstance(key, str | int):
            return None
        try:
            value = cast("Mapping[Any, Any]", value)[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value
