"""Drives an application over plain ASGI: raw paths, exact headers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import trio


@dataclass(slots=True)
class Answered:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> Any:
        return self.json["error"].get("message")


@dataclass(slots=True)
class Driven:
    """An application under test."""

    app: Any
    default_headers: Mapping[str, str]

    async def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        chunks: Sequence[bytes] | None = None,
    ) -> Answered:
        """One request; `body` bytes as they are, anything else as JSON."""
        sent = {**self.default_headers, **(headers or {})}
        data = b""
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            if not isinstance(body, bytes):
                sent.setdefault("Content-Type", "application/json")
        if data:
            sent.setdefault("Content-Length", str(len(data)))
        return await self._ask(method, path, sent, [data] if chunks is None else list(chunks))

    async def _ask(
        self, method: str, path: str, headers: Mapping[str, str], chunks: Sequence[bytes]
    ) -> Answered:
        raw_path, _, query = path.encode().partition(b"?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.1"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": "/ignored",
            "raw_path": raw_path,
            "query_string": query,
            "root_path": "",
            "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
            "client": ("127.0.0.1", 1234),
            "server": ("127.0.0.1", 8004),
            "state": {},
            "extensions": {},
        }
        waiting = [
            {"type": "http.request", "body": chunk, "more_body": place < len(chunks) - 1}
            for place, chunk in enumerate(chunks)
        ]
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not waiting:
                await trio.sleep_forever()
            return waiting.pop(0)

        async def send(message: dict[str, Any]) -> None:
            await trio.lowlevel.checkpoint()
            sent.append(message)

        await self.app(scope, receive, send)
        start = sent[0]
        body = b"".join(message["body"] for message in sent[1:])
        names = {key.decode(): value.decode() for key, value in start["headers"]}
        return Answered(start["status"], names, body)
