from __future__ import annotations

import logging
from typing import Any

import pytest
import trio
import trio.testing

from heat_core.rpc import CallTimeout, Reply, RequestContext, seal
from heat_io.messaging import Delivery, Target
from heat_io.messaging.amqp.replies import GONE_CALLERS, GONE_SECONDS, ReplySender, Waiter
from heat_io.messaging.amqp.session import Posting
from tests.broker import until

_CONTEXT = RequestContext()


class _NoQueues:
    """A publisher on a broker without reply queues."""

    def __init__(self) -> None:
        self.published: list[str] = []
        self.there: set[str] = set()

    async def publish(self, postings: Any) -> list[bool]:
        await trio.lowlevel.checkpoint()
        self.published += [one.routing_key for one in postings]
        assert all(one.mandatory and one.exchange is None for one in postings)
        return [one.routing_key in self.there for one in postings]


def _sender(publisher: _NoQueues) -> ReplySender:
    return ReplySender(publisher, missing_seconds=60)  # type: ignore[arg-type] # a fake


async def test_an_answer_comes_although_the_callers_connection_was_cut(
    gated: Any, open_direct: Any, serving: Any, seen: Any, topic: str
) -> None:
    go = trio.Event()

    async def slow(delivery: Delivery) -> str:
        seen.append(1)
        await go.wait()
        return "at last"

    async with (
        open_direct() as server,
        serving(server, topic, "s", {"slow": slow}),
        gated() as (bus, gate),
        trio.open_nursery() as nursery,
    ):
        answers: list[str] = []

        async def call() -> None:
            answers.append(await bus.call(Target(topic), "slow", {}, _CONTEXT))

        nursery.start_soon(call)
        await seen.until(1)
        gate.cut()
        go.set()
        await until(lambda: answers)
    assert answers == ["at last"]


async def test_an_answer_to_nobody_is_offered_for_a_while(
    autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    publisher = _NoQueues()
    sender = _sender(publisher)
    assert not await sender.send("reply_1", "{}")
    await sender.insist("reply_1", "{}")
    assert 60 <= trio.current_time() < 62
    assert len(publisher.published) > 100
    assert [one.message for one in caplog.records] == ["an answer's queue is gone"]
    publisher.published.clear()
    assert await sender.send("reply_1", "{}")  # not offered any more
    assert publisher.published == []
    await trio.sleep(GONE_SECONDS + 1)
    assert not await sender.send("reply_1", "{}")
    assert publisher.published == ["reply_1"]


async def test_an_answer_arrives_when_its_queue_is_back(
    autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    publisher = _NoQueues()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_sender(publisher).insist, "reply_1", "{}")
        await trio.sleep(5)
        publisher.there.add("reply_1")
    assert trio.current_time() < 6
    assert caplog.records == []


async def test_a_bounded_number_of_gone_callers_is_remembered(
    autojump_clock: trio.testing.MockClock,
) -> None:
    sender = ReplySender(_NoQueues(), missing_seconds=0)  # type: ignore[arg-type] # a fake
    for n in range(GONE_CALLERS + 5):
        await sender.insist(f"reply_{n}", "{}")
    assert len(sender._gone) == GONE_CALLERS


async def test_signs_of_life_keep_a_waiter_patient(
    autojump_clock: trio.testing.MockClock,
) -> None:
    waiter = Waiter()
    sign = Reply(message_id="m", unique_id="u", ending=False)

    async def live() -> None:
        for _ in range(5):
            await trio.sleep(3)
            waiter.take(sign)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(live)
        with pytest.raises(CallTimeout):
            await waiter.wait(4)
    assert trio.current_time() == 19


async def test_signs_of_life_are_no_answer(autojump_clock: trio.testing.MockClock) -> None:
    waiter = Waiter()
    waiter.take(Reply(message_id="m", unique_id="u", ending=False))
    assert waiter.reply is None
    waiter.take(Reply(message_id="m", unique_id="u", result=1))
    await waiter.wait(4)
    assert waiter.reply is not None


async def test_malformed_and_unexpected_answers_are_dropped(
    open_direct: Any, serving: Any, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def echo(delivery: Delivery) -> int:
        return 1

    async with open_direct() as bus, serving(bus, topic, "s", {"echo": echo}):
        assert await bus.call(Target(topic), "echo", {}, _CONTEXT) == 1
        stray = seal(Reply(message_id="x", unique_id="y", result=2).to_payload())
        for body in (b"nonsense", stray.encode()):
            (routed,) = await bus._publisher.publish(
                [Posting(None, bus._box.queue_name, body, mandatory=True)]
            )
            assert routed
        assert await bus.call(Target(topic), "echo", {}, _CONTEXT) == 1
    warned = [one.message for one in caplog.records if one.levelno >= logging.WARNING]
    assert warned == ["a malformed answer"]


async def test_a_callers_queue_that_is_gone_holds_no_slot(
    open_direct: Any, serving: Any, seen: Any, topic: str
) -> None:
    go = trio.Event()

    async def slow(delivery: Delivery) -> int:
        seen.append(1)
        await go.wait()
        return 1

    handlers = {"slow": slow}
    async with open_direct() as server, serving(server, topic, "s", handlers, concurrency=1):
        async with open_direct() as gone:
            with pytest.raises(CallTimeout):
                await gone.call(Target(topic), "slow", {}, _CONTEXT, timeout_seconds=0.3)
            await seen.until(1)
        go.set()
        assert await server.call(Target(topic), "slow", {}, _CONTEXT, timeout_seconds=5) == 1
