"""JSON as it crosses the bus, in one process and between processes alike.

Plain data passes unchanged; tuples and sets become lists, times text with microseconds, UUIDs and
enumeration members text. Anything else is refused: what cannot cross the bus must not seem to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID

TIME_FORMAT = "%Y-%m-%dT%H:%M:%S.%f"


def dumps(value: Any) -> str:
    """The JSON text of a message; TypeError for a value that has no form on the bus."""
    return json.dumps(value, default=_plain)


def loads(text: str | bytes) -> Any:
    """The value of a JSON text; ValueError when it is none."""
    return json.loads(text)


def _plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.strftime(TIME_FORMAT)
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case Mapping():
            return dict(value)
        case set() | frozenset():
            return sorted(value, key=repr)
        case bytes():
            return value.decode("utf-8")
    raise TypeError(f"{type(value).__name__} cannot cross the bus")
