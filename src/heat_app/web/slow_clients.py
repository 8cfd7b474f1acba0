"""Clients that begin a request and don't go on with it."""

from __future__ import annotations

from typing import Any

import trio
from hypercorn.typing import (
    ASGIReceiveCallable,
    ASGIReceiveEvent,
    ASGISendCallable,
    ASGISendEvent,
    Scope,
)

WHOLE = 10
"""a whole body may take as often as long as a piece of it"""


class BodyPatience:
    """ASGI middleware that waits `seconds` for each piece of a body, and ten times that for all.

    Then the request is answered with 408 and its connection closed, as the rest of the body can't
    be told from a next request.
    """

    def __init__(self, app: Any, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(
        self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = _Exchange(receive, send, self._seconds, trio.CancelScope())
        with exchange.handling:
            await self._app(scope, exchange.receive, exchange.send)
        if exchange.is_given_up and not exchange.is_answered:
            await _answer(send)


class _Exchange:
    """One request and its answer, watched until the body is there."""

    def __init__(
        self,
        receive: ASGIReceiveCallable,
        send: ASGISendCallable,
        seconds: float,
        handling: trio.CancelScope,
    ) -> None:
        self._receive = receive
        self._send = send
        self._seconds = seconds
        self._whole_by = trio.current_time() + WHOLE * seconds
        self._is_whole = False
        self.handling = handling
        self.is_answered = False
        self.is_given_up = False

    async def receive(self) -> ASGIReceiveEvent:
        if self._is_whole:
            return await self._receive()
        by = min(trio.current_time() + self._seconds, self._whole_by)
        with trio.CancelScope(deadline=by) as patience:
            event = await self._receive()
            self._is_whole = event["type"] != "http.request" or not event["more_body"]
            return event
        assert patience.cancelled_caught, "a scope that is left without a value was cancelled"
        self.is_given_up = True
        self.handling.cancel()
        await trio.sleep_forever()
        raise AssertionError("the handling is cancelled")

    async def send(self, event: ASGISendEvent) -> None:
        self.is_answered = True
        await self._send(event)


async def _answer(send: ASGISendCallable) -> None:
    body = b"The request's body did not come in time."
    headers = [
        (b"content-type", b"text/plain; charset=UTF-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 408, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
