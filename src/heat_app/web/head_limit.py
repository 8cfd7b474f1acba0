"""How long the line and the headers of a request may be.

Bounds and statuses are those of the server that Heat brought for its API (eventlet's wsgi, with
rules/f-redirects.md#28 for the line): each counts with its line end, and the connection is closed
after the answer. A head without an end is bounded by the web server, which reads it.
"""

from __future__ import annotations

from typing import Any

from hypercorn.typing import ASGIReceiveCallable, ASGISendCallable, HTTPScope, Scope

__all__ = ["HeadLimit", "whole_head_bytes"]

LINE_BYTES = 50000
HEADERS_BYTES = 65536
"""all headers together, unless max_header_line lets a single one have more"""
END = len("\r\n")


def whole_head_bytes(max_header_line: int) -> int:
    """What a head may have that HeadLimit lets through."""
    return LINE_BYTES + max(HEADERS_BYTES, max_header_line)


class HeadLimit:
    """ASGI middleware that refuses heads with a header of `max_header_line` bytes or more."""

    def __init__(self, app: Any, max_header_line: int) -> None:
        self._app = app
        self._max_header_line = max_header_line
        self._headers_bytes = max(HEADERS_BYTES, max_header_line)

    async def __call__(
        self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        """Serve one request."""
        status = self._refusal(scope) if scope["type"] == "http" else None
        if status is None:
            await self._app(scope, receive, send)
            return
        headers = [(b"content-length", b"0")]
        if scope["type"] == "http" and scope["http_version"].startswith("1"):
            headers.append((b"connection", b"close"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _refusal(self, scope: HTTPScope) -> int | None:
        """The status of the answer to a head that is too long, None for one that is not."""
        query = scope["query_string"]
        target = len(scope["raw_path"]) + (len("?") + len(query) if query else 0)
        line = len(scope["method"]) + target + len("  HTTP/1.1") + END
        if line >= LINE_BYTES:
            return 414
        lines = [len(name) + len(": ") + len(value) + END for name, value in scope["headers"]]
        if any(length >= self._max_header_line for length in lines):
            return 400
        return 400 if sum(lines) + END > self._headers_bytes else None
