"""Event sinks: where a stack's events go besides the database (facts/events-notifications.json)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_OPTIONS: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "zaqar-queue": (frozenset({"target"}), frozenset({"target", "ttl"})),
}
"""type -> (required, allowed) options"""


def check_sink(sink: Any) -> None:
    """Raise KeyError for a type that is missing or unknown, TypeError for wrong options."""
    if not isinstance(sink, Mapping):
        raise TypeError(f"an event sink must be a map, not {sink!r}")
    required, allowed = _OPTIONS[sink["type"]]
    options = set(sink) - {"type"}
    for option in sorted(map(str, options - allowed)):
        raise TypeError(f"event sink {sink['type']!r} has no option {option!r}")
    for option in sorted(required - options):
        raise TypeError(f"event sink {sink['type']!r} needs the option {option!r}")
