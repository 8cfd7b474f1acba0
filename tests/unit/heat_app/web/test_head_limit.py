"""Heads at their bounds, and over them."""

from __future__ import annotations

from typing import Any

import pytest

from heat_app.web.head_limit import HeadLimit, whole_head_bytes


async def asked(
    *,
    path: bytes = b"/",
    query: bytes = b"",
    headers: list[tuple[bytes, bytes]] | None = None,
    limit: int = 100,
    version: str = "1.1",
) -> list[Any]:
    """What is sent for a request."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send("answered")

    async def send(event: Any) -> None:
        sent.append(event)

    scope: dict[str, Any] = {
        "type": "http",
        "http_version": version,
        "method": "GET",
        "raw_path": path,
        "query_string": query,
        "headers": headers or [],
    }
    await HeadLimit(app, limit)(scope, None, send)  # type: ignore[arg-type] # plain dicts
    return sent


def refusal(status: int) -> list[Any]:
    headers = [(b"content-length", b"0"), (b"connection", b"close")]
    return [
        {"type": "http.response.start", "status": status, "headers": headers},
        {"type": "http.response.body", "body": b"", "more_body": False},
    ]


# "GET / HTTP/1.1\r\n" and "x: \r\n"
@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ({}, ["answered"]),
        ({"path": b"/" + b"a" * (49999 - 16)}, ["answered"]),
        ({"path": b"/" + b"a" * (50000 - 16)}, refusal(414)),
        ({"query": b"a" * (50000 - 17)}, refusal(414)),
        ({"headers": [(b"x", b"a" * 94)]}, ["answered"]),
        ({"headers": [(b"x", b"a" * 95)]}, refusal(400)),
        ({"headers": [(b"x", b"a" * 59)] * 1023}, ["answered"]),
        ({"headers": [(b"x", b"a" * 59)] * 1024}, refusal(400)),
        ({"headers": [(b"x", b"a" * 70000)], "limit": 80000}, ["answered"]),
        ({"headers": [(b"x", b"a" * 59)] * 1100, "limit": 80000}, ["answered"]),
    ],
)
async def test_bounds(head: dict[str, Any], wanted: list[Any]) -> None:
    assert await asked(**head) == wanted


async def test_http2_has_no_connection_header() -> None:
    start, _ = await asked(headers=[(b"x", b"a" * 100)], version="2")
    assert (start["status"], start["headers"]) == (400, [(b"content-length", b"0")])


async def test_other_scopes_pass() -> None:
    passed = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope)

    await HeadLimit(app, 10)({"type": "lifespan"}, None, None)  # type: ignore[arg-type, typeddict-item] # only passed on
    assert passed == [{"type": "lifespan"}]


def test_the_whole() -> None:
    assert whole_head_bytes(16384) == 50000 + 65536
    assert whole_head_bytes(70000) == 50000 + 70000
