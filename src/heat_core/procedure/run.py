"""Step a procedure by hand: the driver and the unit tests both use this."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from heat_core.procedure.requests import Request


@dataclass(frozen=True, slots=True)
class Finished:
    """The procedure returned this value."""

    value: Any


class ProcedureRun:
    """One run of a procedure: `start`, then `answer` or `throw` until Finished comes back.

    Whatever the procedure raises comes out of the same call.
    """

    __slots__ = ("_coroutine",)

    def __init__(self, coroutine: Coroutine[Request, Any, Any]) -> None:
        self._coroutine = coroutine

    def start(self) -> Request | Finished:
        return self.answer(None)

    def answer(self, value: Any) -> Request | Finished:
        try:
            return _checked(self._coroutine.send(value))
        except StopIteration as stop:
            return Finished(stop.value)

    def throw(self, error: BaseException) -> Request | Finished:
        try:
            return _checked(self._coroutine.throw(error))
        except StopIteration as stop:
            return Finished(stop.value)

    def close(self) -> None:
        self._coroutine.close()


def _checked(asked: Any) -> Request:
    """Whoever awaits anything else, an event loop's sleep for one, shall know at once."""
    if not isinstance(asked, Request.__value__):
        raise AssertionError(f"a procedure awaits {asked!r}, which is no request of heat_core")
    request: Request = asked
    return request
