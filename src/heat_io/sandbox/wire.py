"""Plain data as bytes between a process and its sandbox workers.

JSON, in which what JSON lacks is an object with the one key "!": tuples, sets, bytes, dates, keys
that are no text, and integers of any size. Nothing but data comes out of `decode`: a worker that a
hostile text has taken over cannot make its parent do anything.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime, time
from typing import Any

_MARK = "!"
_SMALL = 1 << 63


def encode(value: Any) -> bytes:
    """The bytes of `value`. TypeError for what is no plain data, RecursionError if it is deep."""
    return json.dumps(_packed(value), separators=(",", ":")).encode("ascii")


def decode(data: bytes) -> Any:
    """The value in the bytes. ValueError for bytes that `encode` has not made."""
    return json.loads(data, object_hook=_unpacked)


def _packed(value: Any) -> Any:
    kind = type(value)
    if kind is str or kind is bool or value is None or kind is float:
        return value
    if kind is int:
        # Text of a large integer would be refused by the reader.
        return value if -_SMALL < value < _SMALL else {_MARK: ["int", hex(value)]}
    if kind is list:
        return [_packed(item) for item in value]
    if isinstance(value, Mapping):
        if _MARK not in value and all(type(key) is str for key in value):
            return {key: _packed(item) for key, item in value.items()}
        return {_MARK: ["dict", [[_packed(key), _packed(item)] for key, item in value.items()]]}
    return _packed_rare(value)


def _packed_rare(value: Any) -> Any:
    match value:
        case tuple():
            return {_MARK: ["tuple", [_packed(item) for item in value]]}
        case frozenset():
            return {_MARK: ["frozenset", [_packed(item) for item in value]]}
        case set():
            return {_MARK: ["set", [_packed(item) for item in value]]}
        case bytes():
            return {_MARK: ["bytes", base64.b64encode(value).decode("ascii")]}
        case datetime():
            return {_MARK: ["datetime", value.isoformat()]}
        case date():
            return {_MARK: ["date", value.isoformat()]}
        case time():
            return {_MARK: ["time", value.isoformat()]}
        case str():
            return str(value)
        case int():
            return _packed(int(value))
        case float():
            return float(value)
        case Iterable():
            return [_packed(item) for item in value]
    raise TypeError(f"a {type(value).__name__} is no plain data")


_READERS: Mapping[str, Any] = {
    "int": lambda text: int(text, 16),
    "dict": dict,
    "tuple": tuple,
    "frozenset": frozenset,
    "set": set,
    "bytes": base64.b64decode,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
}


def _unpacked(value: dict[str, Any]) -> Any:
    if len(value) != 1 or _MARK not in value:
        return value
    kind, packed = value[_MARK]
    try:
        return _READERS[kind](packed)
    except (KeyError, TypeError) as error:
        raise ValueError(f"not made by a worker: {error}") from None
