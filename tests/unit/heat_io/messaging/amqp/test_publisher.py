from __future__ import annotations

from typing import Any

import pytest
import trio

from heat_core.rpc import RequestContext
from heat_io.messaging import Cast, Delivery, Target
from heat_io.messaging.amqp.publisher import AT_ONCE
from heat_io.messaging.amqp.session import Posting
from tests.broker import until

_CONTEXT = RequestContext()


async def test_casts_outlive_cuts(
    gated: Any, open_direct: Any, serving: Any, seen: Any, topic: str
) -> None:
    async def note(delivery: Delivery) -> None:
        seen.append(delivery.arguments["n"])

    async with (
        open_direct() as other,
        serving(other, topic, "s", {"note": note}, concurrency=1000),
        gated(confirm_seconds=0.5) as (bus, gate),
        trio.open_nursery() as nursery,
    ):
        sent: list[int] = []

        async def send() -> None:
            for first in range(0, 200, 20):
                batch = range(first, first + 20)
                await bus.cast_many(
                    [Cast(Target(topic), "note", {"n": n}, _CONTEXT) for n in batch]
                )
                sent.extend(batch)

        nursery.start_soon(send)
        for count in (40, 100):
            await until(lambda count=count: len(sent) >= count)
            gate.cut()
        await until(lambda: len(sent) >= 140)
        gate.freeze()  # the confirmation does not come: given up after its time
        await trio.sleep(0.6)
        gate.thaw()
        await until(lambda: len(sent) == 200, seconds=20)
        await seen.until(200)
    # A copy that was published again has the same unique id, and was dropped.
    assert sorted(seen) == list(range(200))


async def test_a_batch_larger_than_what_goes_at_once(
    open_direct: Any, serving: Any, seen: Any, topic: str
) -> None:
    async def note(delivery: Delivery) -> None:
        seen.append(delivery.arguments["n"])

    count = AT_ONCE + 10
    async with open_direct() as bus, serving(bus, topic, "s", {"note": note}):
        await bus.cast_many([Cast(Target(topic), "note", {"n": n}, _CONTEXT) for n in range(count)])
        await seen.until(count)
    assert sorted(seen) == list(range(count))


async def test_what_can_never_be_published_is_an_error(open_direct: Any) -> None:
    async with open_direct() as bus:
        with pytest.raises(ValueError, match="Routing key too long"):
            await bus.cast(Cast(Target("t" * 300), "m", {}, _CONTEXT))


async def test_a_caller_who_goes_away_waits_for_nobody(gated: Any, topic: str) -> None:
    async with gated(confirm_seconds=100.0) as (bus, gate):
        await bus.cast(Cast(Target(topic), "m", {}, _CONTEXT))
        gate.freeze()
        start = trio.current_time()
        with trio.move_on_after(0.1):
            await bus.cast(Cast(Target(topic), "m", {}, _CONTEXT))
        assert trio.current_time() - start < 5
        gate.cut()


async def test_an_exchange_that_went_away_is_made_again(
    open_direct: Any, serving: Any, seen: Any, topic: str
) -> None:
    """A fanout's exchange goes with its last queue."""

    async def note(delivery: Delivery) -> None:
        seen.append(1)

    cast = Cast(Target(topic, fanout=True), "note", {}, _CONTEXT)
    async with open_direct() as bus:
        for _ in range(2):
            async with serving(bus, topic, "s", {"note": note}):
                await bus.cast(cast)
                await seen.until(1)
            seen.clear()
            await bus.cast(cast)


async def test_a_refused_message_is_tried_again(
    open_direct: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_direct() as bus:
        exchange = bus._topology.topic_exchange()
        wrong = Posting(type(exchange)("amq.direct", "topic", True, False), "k", b"")
        with trio.move_on_after(0.5):
            await bus._publisher.publish([wrong])
        with trio.fail_after(10):
            await bus._publisher.publish([Posting(exchange, "k", b"")])
    assert "the broker did not take a message" in caplog.text
