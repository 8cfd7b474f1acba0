"""The end of an answer is sent whole, also when that ends the handler.

What the web server does after the last piece of an answer it does in the task that has sent it: it
tells the application that the exchange is over, then makes the connection ready for the next
request and starts its idle time. Quart cancels the handler when it hears the first, in the middle
of the rest: the connection would never be closed for being idle, and a process that ends would wait
for it.

On HTTP/2 the end of an answer also waits for the end of the request's body. The web server takes
what comes after an answer for an error, and the connection, on which others ask too, would be lost.
"""

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

__all__ = ["Finishing"]


class Finishing:
    """ASGI middleware that keeps the last event of an answer from being cancelled half-way.

    It may take `seconds`; one that was cancelled before is not begun. The application goes on to
    read the body while it answers, as Quart does.
    """

    def __init__(self, app: Any, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(
        self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Serve one connection."""

        has_ended = trio.Event()

        async def receive_noting() -> ASGIReceiveEvent:
            event = await receive()
            if event["type"] != "http.request" or not event["more_body"]:
                has_ended.set()
            return event

        async def send_whole(event: ASGISendEvent) -> None:
            if event["type"] != "http.response.body" or event.get("more_body", False):
                await send(event)
                return
            if scope["type"] == "http" and scope["http_version"] == "2":
                with trio.move_on_after(self._seconds):
                    await has_ended.wait()
            await trio.lowlevel.checkpoint_if_cancelled()
            with trio.move_on_after(self._seconds, shield=True):
                await send(event)

        await self._app(scope, receive_noting, send_whole)
