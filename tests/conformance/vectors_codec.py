"""How vectors write what JSON cannot say, and errors; when an outcome is the one expected."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from heat_core.errors import StackValidationFailed
from heat_core.template import OMITTED, Function, Macro

INTERNAL = ("AttributeError", "TypeError", "KeyError", "RecursionError")


def decode(value: Any) -> Any:
    """A value of a vector's input as Python data."""
    if isinstance(value, list):
        return [decode(member) for member in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((key, content),) = value.items()
        match key:
            case "$map":
                return {_key(decode(name)): decode(item) for name, item in content}
            case "$float":
                return float(content)
            case "$bytes":
                return base64.b64decode(content)
            case "$set":
                return {decode(member) for member in content}
            case "$surrogates":
                return bytes.fromhex(content).decode("utf-16-be", "surrogatepass")
            case "$time":
                return datetime.fromisoformat(content)
            case "$omitted":
                return OMITTED
    return {key: decode(content) for key, content in value.items()}


def _key(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key


def encode(value: Any) -> Any:
    """Data as vectors write it."""
    if value is OMITTED:
        return {"$omitted": True}
    if isinstance(value, Macro):
        return encode(value.parsed)
    if isinstance(value, Function):
        return {"$function": value.name, "args": encode(value.args)}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {_text(key): encode(item) for key, item in value.items()}
        return {"$map": [[encode(key), encode(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [encode(member) for member in value]
    if isinstance(value, set | frozenset):
        return {"$set": [encode(member) for member in value]}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"$float": str(value)}
    if isinstance(value, date):
        return {"$time": value.isoformat()}
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return {"$repr": repr(value)}


def _text(value: str) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:
        return {"$surrogates": value.encode("utf-16-be", "surrogatepass").hex()}
    return value


def error_form(error: BaseException, **more: Any) -> dict[str, Any]:
    """An exception as vectors write it."""
    # The class of the regular expressions' errors has another name from Python 3.13 on.
    name = "error" if isinstance(error, re.error) else type(error).__name__
    form: dict[str, Any] = {"type": name, "message": str(error), **more}
    if isinstance(error, StackValidationFailed):
        form["path"] = list(error.path)
        if error.error:
            form["error"] = error.error
    return form


def attempt(work: Callable[[], Any], **more: Any) -> dict[str, Any]:
    """{"value"} or {"error"} of a piece of work."""
    try:
        return {"value": encode(work())}
    except Exception as error:  # every outcome is compared with the vector's
        return {"error": error_form(error, **more)}


def fault(work: Callable[[], Any]) -> dict[str, Any] | None:
    """None when the work succeeds, else the error."""
    error: dict[str, Any] | None = attempt(work).get("error")
    return error


def differences(vector: Mapping[str, Any], outcome: Any) -> list[str]:
    """Where an outcome is not what the vector expects; empty when it is."""
    varying = {item["path"]: item for item in vector.get("varying", ())}
    expected = dict(vector["expect"])
    if expected.pop("python_text", False) and "Error" in expected.get("value", ()):
        # The text in the answer is Python's own.
        varying["/value/Error"] = {}
    return _compare(expected, outcome, "", varying)


def _compare(expected: Any, got: Any, path: str, varying: Mapping[str, Any]) -> list[str]:
    if path in varying:
        return _compare_varying(varying[path], expected, got, path)
    if isinstance(expected, dict):
        if "$repr" in expected and len(expected) == 1:
            return []
        if "$http" in expected and isinstance(got, str):
            # An HTTP error that is returned, not raised, arrives as its printed form.
            return [] if got.startswith("<HTTP") else [_differ(path, expected, got)]
        if "$set" in expected:
            return _compare_sets(expected, got, path, varying)
        if "$map" in expected:
            return _compare_maps(expected, got, path, varying)
        if "type" in expected and "message" in expected and _is_error(got):
            return _compare_errors(expected, got, path, varying)
        if not isinstance(got, dict) or _is_error(got) != _is_error(expected):
            return [_differ(path, expected, got)]
        found = []
        for key in sorted(expected.keys() | got.keys(), key=str):
            here = f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"
            if key not in got or key not in expected:
                found.append(_differ(here, expected.get(key, "(absent)"), got.get(key, "(absent)")))
            else:
                found += _compare(expected[key], got[key], here, varying)
        return found
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            return [_differ(path, expected, got)]
        return [
            found
            for index, (one, other) in enumerate(zip(expected, got, strict=True))
            for found in _compare(one, other, f"{path}/{index}", varying)
        ]
    if type(expected) is not type(got) or expected != got:
        return [_differ(path, expected, got)]
    return []


def _differ(path: str, expected: Any, got: Any) -> str:
    return f"{path or '/'}: expected {expected!r}, got {got!r}"


def _is_error(value: Any) -> bool:
    return isinstance(value, dict) and "type" in value and "message" in value


def _compare_errors(
    expected: dict[str, Any], got: dict[str, Any], path: str, varying: Mapping[str, Any]
) -> list[str]:
    if expected.get("python_text"):
        if expected.get("phase") != got.get("phase"):
            return [_differ(path, expected, got)]
        if expected["type"] in INTERNAL or got["type"] == expected["type"]:
            return []
        return [_differ(path, expected, got)]
    found = []
    if "path" in expected and list(map(str, expected["path"])) != list(
        map(str, got.get("path") or [])
    ):
        found.append(_differ(f"{path}/path", expected["path"], got.get("path")))
    for key in ("type", "message", "error", "phase"):
        if key in expected:
            found += _compare(expected[key], got.get(key), f"{path}/{key}", varying)
    return found


def _compare_varying(item: Mapping[str, Any], expected: Any, got: Any, path: str) -> list[str]:
    if isinstance(expected, str):
        prefix, suffix = item.get("prefix", ""), item.get("suffix", "")
        right = (
            isinstance(got, str)
            and got.startswith(prefix)
            and got.endswith(suffix)
            and len(got) >= len(prefix) + len(suffix)
        )
        return [] if right else [_differ(path, expected, got)]
    if isinstance(expected, list) and isinstance(got, list):
        return (
            []
            if sorted(map(repr, expected)) == sorted(map(repr, got))
            else [_differ(path, expected, got)]
        )
    return [] if type(expected) is type(got) else [_differ(path, expected, got)]


def _compare_sets(
    expected: dict[str, Any], got: Any, path: str, varying: Mapping[str, Any]
) -> list[str]:
    if not isinstance(got, dict) or "$set" not in got:
        return [_differ(path, expected, got)]
    one, other = (sorted(map(repr, side["$set"])) for side in (expected, got))
    return [] if one == other else [_differ(path, expected, got)]


def _compare_maps(
    expected: dict[str, Any], got: Any, path: str, varying: Mapping[str, Any]
) -> list[str]:
    if not isinstance(got, dict) or "$map" not in got:
        return [_differ(path, expected, got)]
    ordered = [sorted(side["$map"], key=lambda pair: repr(pair[0])) for side in (expected, got)]
    return _compare(ordered[0], ordered[1], path, varying)
