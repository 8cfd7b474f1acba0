from __future__ import annotations

import uuid
from typing import Any

import pytest
import trio
import trio.testing

from heat_core.rpc import Reply, Request, RequestContext, seal, unseal
from heat_io.messaging import Cast, Delivery, Target
from heat_io.messaging.amqp.server import Service, TopicServer
from heat_io.messaging.amqp.session import Posting
from heat_io.messaging.serving import RecentIds
from tests.broker import VirtualHost, until

_CONTEXT = RequestContext()


async def _down_and_up(bus: Any) -> None:
    await until(lambda: not bus.is_up)
    await until(lambda: bus.is_up)


async def test_a_held_cast_is_handled_once_although_the_connection_was_cut(
    gated: Any, open_direct: Any, serving: Any, seen: Any, topic: str
) -> None:
    """And its acknowledgement reaches the broker on the new connection."""
    go = trio.Event()

    async def work(delivery: Delivery) -> None:
        seen.append(delivery.unique_id)
        await go.wait()
        await delivery.acknowledge()
        seen.append("acknowledged")

    handlers = {"work": work}
    async with gated() as (bus, gate):
        async with serving(bus, topic, "s", handlers):
            await bus.cast(Cast(Target(topic), "work", {}, _CONTEXT))
            await seen.until(1)
            gate.cut()
            await _down_and_up(bus)
            await trio.sleep(0.2)  # the second copy comes
            assert len(seen) == 1
            go.set()
            await seen.until(2)
        async with serving(bus, topic, "s2", handlers):
            await trio.sleep(0.2)
    assert seen[1:] == ["acknowledged"]


async def test_a_cast_acknowledged_while_the_connection_is_away_stays_done(
    gated: Any, serving: Any, seen: Any, topic: str
) -> None:
    go = trio.Event()

    async def work(delivery: Delivery) -> None:
        seen.append(delivery.unique_id)
        await go.wait()
        await delivery.acknowledge()
        seen.append("acknowledged")

    handlers = {"work": work}
    async with gated() as (bus, gate):
        async with serving(bus, topic, "s", handlers):
            await bus.cast(Cast(Target(topic), "work", {}, _CONTEXT))
            await seen.until(1)
            gate.refusing = True
            gate.cut()
            await until(lambda: not bus.is_up)
            go.set()
            await seen.until(2)
            gate.refusing = False
            await until(lambda: bus.is_up)
            await trio.sleep(0.2)  # the copy comes, and is acknowledged at once
        async with serving(bus, topic, "s2", handlers):
            await trio.sleep(0.2)
    assert seen[1:] == ["acknowledged"]


async def test_serving_goes_on_after_the_broker_closed_the_connections(
    place: VirtualHost, open_direct: Any, serving: Any, topic: str
) -> None:
    async def echo(delivery: Delivery) -> Any:
        return delivery.arguments["n"]

    async with open_direct() as bus, serving(bus, topic, "s", {"echo": echo}):
        assert await bus.call(Target(topic), "echo", {"n": 1}, _CONTEXT) == 1
        await trio.to_thread.run_sync(place.cut_connections)
        assert await bus.call(Target(topic), "echo", {"n": 2}, _CONTEXT) == 2
        assert await bus.call(Target(topic, "s"), "echo", {"n": 3}, _CONTEXT) == 3


async def test_a_queue_that_was_deleted_is_made_again(
    open_direct: Any, serving: Any, topic: str
) -> None:
    async def echo(delivery: Delivery) -> Any:
        return delivery.arguments["n"]

    async with open_direct() as bus, serving(bus, topic, "s", {"echo": echo}):
        await (await bus._listening.session()).delete_queue(topic)
        with trio.fail_after(10):
            while True:
                with trio.move_on_after(0.3):
                    assert await bus.call(Target(topic), "echo", {"n": 1}, _CONTEXT) == 1
                    break


async def test_what_is_no_request_is_dropped(
    open_direct: Any, serving: Any, seen: Any, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def note(delivery: Delivery) -> None:
        seen.append(delivery.unique_id)

    async with open_direct() as bus, serving(bus, topic, "s", {"note": note}):
        exchange = bus._topology.topic_exchange()
        for body in (b"nonsense", b'{"no": "method"}'):
            await bus._publisher.publish([Posting(exchange, topic, body)])
        await bus.cast(Cast(Target(topic), "note", {}, _CONTEXT))
        await seen.until(1)
    assert [one.message for one in caplog.records].count("a malformed message") == 2


async def test_a_copy_is_dropped_and_messages_without_an_id_are_all_new(
    open_direct: Any, serving: Any, seen: Any, topic: str
) -> None:
    async def note(delivery: Delivery) -> None:
        seen.append(delivery.unique_id)

    def posting(unique_id: str) -> Posting:
        request = Request(method="note", arguments={}, context=_CONTEXT, unique_id=unique_id)
        return Posting(None, topic, seal(request.to_payload()).encode())

    once = uuid.uuid4().hex
    async with open_direct() as bus, serving(bus, topic, "s", {"note": note}):
        await bus._publisher.publish([posting(once), posting(once), posting(""), posting("")])
        await seen.until(3)
        await trio.sleep(0.1)
    assert sorted(seen) == ["", "", once]


async def test_queues_that_cannot_be_had_are_tried_again(
    open_direct: Any, serving: Any, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Another service has declared the queue in a way that ours contradicts."""

    async def echo(delivery: Delivery) -> Any:
        return delivery.arguments["n"]

    async with open_direct(auto_delete=False) as bus:
        async with serving(bus, topic, "s", {}):
            pass
        async with open_direct(control_exchange=f"x_{topic}", auto_delete=True) as other:

            async def drop_it() -> None:
                await until(lambda: "a topic's queues can't be had" in caplog.text)
                session = await bus._listening.session()
                for name in (topic, f"{topic}.s"):
                    await session.delete_queue(name)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(drop_it)
                async with serving(other, topic, "s", {"echo": echo}):
                    assert await other.call(Target(topic), "echo", {"n": 1}, _CONTEXT) == 1


async def test_a_queue_without_durability_is_used_as_it_is(
    open_direct: Any, serving: Any, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def echo(delivery: Delivery) -> Any:
        return delivery.arguments["n"]

    exchange = f"x_{topic}"
    async with (
        open_direct(control_exchange=exchange) as before,
        serving(before, topic, "s", {"echo": echo}),
        open_direct(control_exchange=exchange, durable=True) as bus,
        serving(bus, topic, "s2", {"echo": echo}),
    ):
        for n in range(4):
            assert await bus.call(Target(topic), "echo", {"n": n}, _CONTEXT) == n
    texts = {one.message for one in caplog.records}
    assert "the queue or its exchange is there without durability: used as it is" in texts
    assert "the exchange is there without durability: used as it is" in texts


class _Answers:
    """Takes answers instead of a broker."""

    def __init__(self) -> None:
        self.sent: list[tuple[float, Reply]] = []

    async def send(self, queue: str, body: str) -> bool:
        await trio.lowlevel.checkpoint()
        assert queue == "reply_1"
        self.sent.append((trio.current_time(), Reply.from_payload(unseal(body))))
        return True


@pytest.mark.parametrize(("patience", "signs_at"), [(None, []), (1, []), (4, [2, 4])])
async def test_signs_of_life_of_a_monitored_call(
    autojump_clock: trio.testing.MockClock, patience: float | None, signs_at: list[float]
) -> None:
    async def slow(delivery: Delivery) -> str:
        await trio.sleep(5)
        return "done"

    answers = _Answers()
    service = Service([], "1.0", {"slow": slow}, concurrency=1, prefetch=1)
    server = TopicServer(service, None, answers, RecentIds(1), lambda: "u")  # type: ignore[arg-type] # a fake
    request = Request(
        method="slow",
        arguments={},
        context=_CONTEXT,
        unique_id="u",
        message_id="m",
        reply_queue="reply_1",
        monitor_timeout_seconds=patience,
    )
    async with trio.open_nursery() as nursery:
        await server._answer(request, trio.Semaphore(0), nursery)
    assert [at for at, reply in answers.sent if not reply.ending] == signs_at
    assert answers.sent[-1][1].ending
    assert answers.sent[-1][1].result == "done"
