"""The last event of an answer survives what it brings about."""

from __future__ import annotations

import socket
from typing import Any

import pytest
import trio
import trio.testing
from quart.wrappers import Request
from trio.testing import MockClock

from heat_app.config import Settings
from heat_app.processes.http_server import HttpSettings, serve_http
from heat_app.web.answers import Answer, json_answer
from heat_app.web.app import StagedApi
from heat_app.web.finishing import Finishing
from heat_app.web.request import ApiRequest

SCOPE: Any = {"type": "http", "http_version": "1.1"}
LAST = {"type": "http.response.body", "body": b"x", "more_body": False}
PIECE = {"type": "http.response.body", "body": b"x", "more_body": True}


async def _sent(event: dict[str, Any], *, cancelled_before: bool = False) -> list[str]:
    """What a server gets done of an event whose sending cancels the handler."""
    done: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if cancelled_before:
            handler.cancel()
        await send(event)

    async def send(event: Any) -> None:
        done.append("told")
        handler.cancel()
        await trio.lowlevel.checkpoint()
        done.append("made ready")

    with trio.CancelScope() as handler:
        await Finishing(app, 5.0)(SCOPE, None, send)  # type: ignore[arg-type] # only passed on
    return done


async def test_the_last_event_is_sent_whole() -> None:
    assert await _sent(LAST) == ["told", "made ready"]
    assert await _sent(PIECE) == ["told"]


async def test_one_that_was_cancelled_before_is_not_begun() -> None:
    assert await _sent(LAST, cancelled_before=True) == []


async def test_it_has_an_end(autojump_clock: MockClock) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(LAST)

    async def send(event: Any) -> None:
        await trio.sleep_forever()

    await Finishing(app, 5.0)(SCOPE, None, send)  # type: ignore[arg-type] # only passed on
    assert trio.current_time() == pytest.approx(5.0, abs=0.1)


async def test_on_http2_the_end_of_the_body_is_waited_for(autojump_clock: MockClock) -> None:
    sent: list[tuple[float, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        async def read() -> None:
            while (await receive())["more_body"]:
                pass

        async with trio.open_nursery() as nursery:
            nursery.start_soon(read)
            await send(PIECE)
            await send(LAST)

    async def receive() -> Any:
        await trio.sleep(1)
        return {"type": "http.request", "body": b"", "more_body": trio.current_time() < 2.5}

    async def send(event: Any) -> None:
        sent.append((round(trio.current_time()), event))

    await Finishing(app, 5.0)(SCOPE | {"http_version": "2"}, receive, send)
    assert sent == [(0, PIECE), (3, LAST)]
    sent.clear()
    await Finishing(app, 5.0)(SCOPE, receive, send)
    assert sent == [(3, PIECE), (3, LAST)]


class Answering(StagedApi):
    async def operate(self, request: Request, api_request: ApiRequest) -> Answer:
        return json_answer({})


@pytest.fixture
def clock() -> MockClock:
    return MockClock(rate=1.0)


async def test_a_connection_that_was_used_is_closed_when_it_is_idle(
    clock: MockClock, nursery: trio.Nursery
) -> None:
    sock = socket.create_server(("127.0.0.1", 0))
    sock.setblocking(False)
    settings = HttpSettings(keep_alive_seconds=5.0, client_seconds=60.0, max_head_bytes=4096)

    async def serve(*, task_status: trio.TaskStatus[Any]) -> None:
        await serve_http(
            Answering(Settings()),
            sock,
            settings,
            ending=trio.Event(),
            grace_seconds=60.0,
            task_status=task_status,
        )

    await nursery.start(serve)
    async with await trio.open_tcp_stream(*sock.getsockname()) as stream:
        for path in (b"/healthcheck", b"/v1/x"):
            await stream.send_all(b"GET %b HTTP/1.1\r\nHost: h\r\n\r\n" % path)
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 200")
            await trio.testing.wait_all_tasks_blocked(0.05)
        clock.jump(5.1)
        with trio.fail_after(30.0):
            while await stream.receive_some():
                pass
    nursery.cancel_scope.cancel()
    sock.close()
