from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from heat_app.web.slow_clients import BodyPatience

SECONDS = 60.0


class Exchange:
    """A request whose pieces come after so many seconds each, the last one without more to come."""

    def __init__(self, *delays: float) -> None:
        self._delays = list(delays)
        self.sent: list[Any] = []

    async def receive(self) -> Any:
        if not self._delays:
            await trio.sleep_forever()
        await trio.sleep(self._delays.pop(0))
        return {"type": "http.request", "body": b"x", "more_body": bool(self._delays)}

    async def send(self, event: Any) -> None:
        self.sent.append(event)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])


class App:
    """Reads the body, thinks, and answers with its length."""

    def __init__(self, thinks: float = 0) -> None:
        self._thinks = thinks
        self.cut = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            length, more = 0, True
            while more:
                event = await receive()
                length, more = length + len(event["body"]), event["more_body"]
            with trio.move_on_after(self._thinks):
                await receive()
        except trio.Cancelled:
            self.cut = True
            raise
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * length})


async def run(app: App, exchange: Exchange) -> None:
    scope: Any = {"type": "http"}
    await BodyPatience(app, SECONDS)(scope, exchange.receive, exchange.send)


@pytest.mark.parametrize("delays", [(0,), (59, 59, 59), (0, *[55] * 10)])
async def test_who_goes_on_is_served(delays: Sequence[float], autojump_clock: MockClock) -> None:
    exchange = Exchange(*delays)
    await run(App(), exchange)
    assert exchange.status == 200
    assert exchange.sent[1]["body"] == b"x" * len(delays)


async def test_the_answer_may_take_longer_than_the_client(autojump_clock: MockClock) -> None:
    exchange = Exchange(0)
    await run(App(thinks=1000), exchange)
    assert exchange.status == 200
    assert trio.current_time() == pytest.approx(1000)


@pytest.mark.parametrize(("delays", "after"), [((61,), 60), ((0, 10, 61), 70), ([59] * 20, 600)])
async def test_who_does_not_is_told_so(
    delays: Sequence[float], after: float, autojump_clock: MockClock
) -> None:
    app, exchange = App(), Exchange(*delays)
    await run(app, exchange)
    assert app.cut
    assert exchange.status == 408
    assert (b"connection", b"close") in exchange.sent[0]["headers"]
    assert exchange.sent[1]["body"] == b"The request's body did not come in time."
    assert trio.current_time() == pytest.approx(after)


async def test_an_answer_that_has_begun_is_not_followed_by_another(
    autojump_clock: MockClock,
) -> None:
    async def hasty(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await receive()

    exchange = Exchange(61)
    scope: Any = {"type": "http"}
    await BodyPatience(hasty, SECONDS)(scope, exchange.receive, exchange.send)
    assert [event["type"] for event in exchange.sent] == ["http.response.start"]


async def test_other_connections_pass(autojump_clock: MockClock) -> None:
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope, receive, send))

    exchange = Exchange()
    scope: Any = {"type": "lifespan"}
    await BodyPatience(app, SECONDS)(scope, exchange.receive, exchange.send)
    assert seen == [(scope, exchange.receive, exchange.send)]
