"""The body of a request: how much of it is kept, and when it is JSON.

Source: rules/f-redirects.md#16-18.
"""

from __future__ import annotations

import json
from typing import Any

from hypercorn.typing import ASGIReceiveCallable, ASGIReceiveEvent, ASGISendCallable, Scope

from heat_app.native.faults import HTTPBadRequest
from heat_app.native.parameters import Parameters
from heat_app.native.request import ApiRequest
from heat_core.errors import RequestLimitExceeded

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


def json_body(request: ApiRequest, parameters: Parameters, *, limit: int) -> dict[str, Any] | None:
    """The JSON object in the body; None when there is none.

    There is none without a Content-Length, with a type that is not JSON's, or when the text does
    not begin with a brace. Raises HTTPBadRequest with the parser's text for bad JSON,
    RequestLimitExceeded for too much of it.
    """
    if request.content_length <= 0 or not _is_json(request, parameters):
        return None
    if request.body_size > limit:
        raise RequestLimitExceeded(
            message=f"JSON body size ({request.body_size} bytes) exceeds maximum allowed size "
            f"({limit} bytes)."
        )
    try:
        document: dict[str, Any] = json.loads(request.body.decode())
    except ValueError as error:
        raise HTTPBadRequest(str(error)) from None
    return document


def _is_json(request: ApiRequest, parameters: Parameters) -> bool:
    kind = request.content_type
    if request.method == "GET":
        kind = parameters.get("ContentType") or kind
    if not kind or kind.startswith("text/plain"):
        kind = "application/json"
    return kind in {"JSON", "application/json"} and request.body.startswith(b"{")
