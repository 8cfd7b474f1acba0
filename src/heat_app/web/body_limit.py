"""How much of a request's body is kept (rules/f-redirects.md#18)."""

from __future__ import annotations

from typing import Any

from hypercorn.typing import ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, Scope

__all__ = ["SIZE_KEY", "BodyLimit"]

SIZE_KEY = "heat_trio.body_size"
"""where the scope says how many bytes the body had"""


class BodyLimit:
    """ASGI middleware that keeps at most `limit` bytes of a body and counts all of them.

    The framework would hold a chunked body whole before it looked at its size. What comes after
    the limit is read and dropped, so that the client gets to read the answer.
    """

    def __init__(self, app: Any, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(
        self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        counted: dict[str, Any] = scope  # type: ignore[assignment] # a TypedDict with a key more
        counted[SIZE_KEY] = 0

        async def limited() -> ASGIReceiveEvent:
            event = await receive()
            if event["type"] == "http.request":
                body = event["body"]
                room = max(self._limit - counted[SIZE_KEY], 0)
                counted[SIZE_KEY] += len(body)
                if len(body) > room:
                    event["body"] = body[:room]
            return event

        await self._app(scope, limited, send)
