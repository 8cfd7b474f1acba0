"""Errors on the bus: how one is described to the caller, and how it becomes an error again there.

A description names class and module, so that a caller can rebuild the error from the classes that
it trusts: the builtins and those of one Heat module. Anything else comes back as RemoteError.
Errors that have travelled keep their description (`remote_failure`): its text and its traceback
are the server's, while the error's own message is computed again from its arguments. The two
differ for errors with a path, whose parts get their colons twice; clients know that text.
Source: facts/rpc.json (failure_json, rebuilt_exception), facts/errors.json.
"""

from __future__ import annotations

import builtins
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from heat_core import errors
from heat_core.rpc import codec

REMOTE_SUFFIX = "_Remote"
HEAT_MODULE = "heat.common.exception"
_BUILTIN_MODULES = frozenset({"builtins", "exceptions"})
_MESSAGING_MODULE = "oslo_messaging.exceptions"
_DISPATCHER_MODULE = "oslo_messaging.rpc.dispatcher"


class MessagingError(Exception):
    """Base of what goes wrong between caller and server."""

    wire_module: ClassVar[str] = _MESSAGING_MODULE
    wire_class: ClassVar[str | None] = None
    safe: ClassVar[bool] = False


class CallTimeout(MessagingError):
    """No answer came in time: the server may be gone, or still at it."""

    wire_class = "MessagingTimeout"


class RemoteError(MessagingError):
    """The server failed with an error that has no class here.

    `kind` is the class name there and `value` its text.
    """

    wire_module = "oslo_messaging.rpc.client"

    def __init__(
        self, kind: str | None = None, value: str | None = None, trace: Sequence[str] = ()
    ) -> None:
        self.kind = kind
        self.value = value
        self.trace = list(trace)
        super().__init__(f"Remote error: {kind} {value}\n{self.trace}.")


class NoSuchMethod(MessagingError):
    """The topic's servers have no such method."""

    wire_module = _DISPATCHER_MODULE

    def __init__(self, method: str) -> None:
        self.method = method
        super().__init__(f"Endpoint does not support RPC method {method}")


class UnsupportedVersion(MessagingError):
    """The topic's servers are older, or of another kind, than the message wants."""

    wire_module = _DISPATCHER_MODULE

    def __init__(self, version: str, method: str) -> None:
        self.version = version
        self.method = method
        super().__init__(
            f"Endpoint does not support RPC version {version}. Attempted method: {method}"
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as described on the bus. `trace` are the lines of the server's traceback."""

    kind: str
    module: str
    message: str
    trace: tuple[str, ...] = ()
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Describe an error that was raised here."""
        args, kwargs = _constructor_arguments(error)
        return cls(
            getattr(error, "wire_class", None) or type(error).__name__,
            getattr(error, "wire_module", type(error).__module__),
            str(error),
            tuple(traceback.format_exception(error)),
            args,
            kwargs,
        )._without_suffix()

    @classmethod
    def from_text(cls, text: str) -> Failure:
        """Read the JSON text of a reply's `failure`; ValueError when it is none."""
        data = codec.loads(text)
        return cls(
            data.get("class") or "",
            data.get("module") or "",
            data.get("message") or "",
            tuple(data.get("tb") or ()),
            tuple(data.get("args") or ()),
            data.get("kwargs") or {},
        )._without_suffix()

    def to_text(self) -> str:
        """The JSON text for a reply's `failure`."""
        return codec.dumps(
            {
                "class": self.kind,
                "module": self.module,
                "message": self.message,
                "tb": self.trace,
                "args": self.args,
                "kwargs": self.kwargs or {},
            }
        )

    def rebuild(self) -> Exception:
        """The error to raise at the caller; it carries this description."""
        kind = self._trusted_class()
        error: Exception = RemoteError(self.kind, self.message, self.trace)
        if kind is not None:
            # An unknown constructor made it: RemoteError says what came.
            with suppress(TypeError, KeyError):
                error = kind(*self.args, **_readable(kind, self.kwargs or {}))
        error.__dict__["remote_failure"] = self
        return error

    def _trusted_class(self) -> type[Exception] | None:
        if self.module in _BUILTIN_MODULES:
            kind = getattr(builtins, self.kind, None)
        elif self.module == HEAT_MODULE:
            kind = getattr(errors, self.kind, None)
        elif self.module == _MESSAGING_MODULE and self.kind == CallTimeout.wire_class:
            kind = CallTimeout
        else:
            return None
        if not isinstance(kind, type) or not issubclass(kind, Exception):
            return None
        # Its constructor wants the resource itself, so no caller has ever got it back.
        return None if issubclass(kind, errors.ResourceFailure) else kind

    def _without_suffix(self) -> Failure:
        if self.kind.endswith(REMOTE_SUFFIX) and self.module.endswith(REMOTE_SUFFIX):
            return Failure(
                self.kind.removesuffix(REMOTE_SUFFIX),
                self.module.removesuffix(REMOTE_SUFFIX),
                self.message,
                self.trace,
                self.args,
                self.kwargs,
            )
        return self


def remote_failure(error: BaseException) -> Failure | None:
    """The server's description of an error that came over the bus; None for one raised here."""
    failure = getattr(error, "remote_failure", None)
    return failure if isinstance(failure, Failure) else None


def _constructor_arguments(error: Exception) -> tuple[tuple[Any, ...], dict[str, Any]]:
    match error:
        case errors.HeatExceptionWithPath():
            return (), _path_arguments(error)
        case errors.NotFound():
            return (error.message,), {}
        case errors.HeatException():
            return (), _crossing(error.kwargs)
        case NoSuchMethod() | UnsupportedVersion():
            return (str(error),), {}
    return tuple(_crossing(dict(enumerate(error.args))).values()), {}


def _path_arguments(error: errors.HeatExceptionWithPath) -> dict[str, Any]:
    """The three parts, each already joined to what follows it, as callers have always got them."""
    path = errors.HeatExceptionWithPath(path=error.path).message
    return {
        "error": f"{error.error}: " if error.error else "",
        "path": f"{path}: " if path else "",
        "message": error.error_message,
    }


def _readable(kind: type[Exception], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    values = dict(kwargs)
    if issubclass(kind, errors.HeatExceptionWithPath) and isinstance(values.get("path"), str):
        values["path"] = [values["path"]] if values["path"] else []
    return values


def _crossing(values: Mapping[Any, Any]) -> dict[Any, Any]:
    """The values as they can cross the bus; what cannot goes as its text."""
    crossing = {}
    for name, value in values.items():
        try:
            codec.dumps(value)
        except (TypeError, ValueError):
            value = str(value)
        crossing[name] = value
    return crossing
