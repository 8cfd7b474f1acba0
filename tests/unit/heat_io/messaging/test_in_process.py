from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest
import trio
import trio.testing

from heat_core import errors
from heat_core.rpc import RemoteError, RequestContext
from heat_io.messaging import (
    ENGINE,
    ENGINE_WORKER,
    Bus,
    CallTimeout,
    Cast,
    Deliver,
    Delivery,
    Handler,
    InProcessBus,
    Posted,
    Target,
)

_CONTEXT = RequestContext(request_id="req-1", project_id="p", roles=("member",))


def _ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"{next(numbers):032x}"


@asynccontextmanager
async def _serving(
    bus: Bus, topic: str, server: str, handlers: Mapping[str, Handler], **options: Any
) -> AsyncIterator[None]:
    async with trio.open_nursery() as nursery:

        async def serve(task_status: trio.TaskStatus[None]) -> None:
            await bus.serve(topic, server, "1.36", handlers, task_status=task_status, **options)

        await nursery.start(serve)
        yield
        nursery.cancel_scope.cancel()


def _worker(name: str = "check_resource", **arguments: Any) -> Cast:
    return Cast(ENGINE_WORKER, name, arguments, _CONTEXT)


async def test_a_call_is_answered_through_the_codec() -> None:
    bus = InProcessBus()
    seen: list[Delivery] = []

    async def echo(delivery: Delivery) -> Any:
        seen.append(delivery)
        return {"got": delivery.arguments["value"], "more": (1, 2)}

    async with _serving(bus, "engine", "host", {"echo": echo}):
        answer = await bus.call(ENGINE, "echo", {"value": {1: (1, 2)}}, _CONTEXT)
    assert answer == {"got": {"1": [1, 2]}, "more": [1, 2]}
    assert seen[0].context == _CONTEXT
    assert seen[0].method == "echo"
    assert len(seen[0].unique_id) == 32


async def test_a_failure_is_raised_at_the_caller() -> None:
    bus = InProcessBus()

    async def fail(delivery: Delivery) -> Any:
        raise errors.EntityNotFound(entity="Stack", name="s")

    async with _serving(bus, "engine", "host", {"fail": fail}):
        with pytest.raises(errors.EntityNotFound, match=r"The Stack \(s\) could not be found."):
            await bus.call(ENGINE, "fail", {}, _CONTEXT)


async def test_a_result_that_cannot_cross_is_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    bus = InProcessBus()

    async def wrong(delivery: Delivery) -> Any:
        return object()

    async with _serving(bus, "engine", "host", {"wrong": wrong}):
        with pytest.raises(TypeError, match="object cannot cross the bus"):
            await bus.call(ENGINE, "wrong", {}, _CONTEXT)
        with pytest.raises(TypeError, match="object cannot cross the bus"):
            await bus.call(ENGINE, "wrong", {"a": object()}, _CONTEXT)
    assert [record.message for record in caplog.records] == ["message handler failed"]


@pytest.mark.parametrize(
    ("target", "method", "text"),
    [
        (ENGINE, "nothing", "NoSuchMethod Endpoint does not support RPC method nothing"),
        (ENGINE, "_hidden", "NoSuchMethod Endpoint does not support RPC method _hidden"),
        (
            Target("engine", version="1.99"),
            "echo",
            "UnsupportedVersion Endpoint does not support RPC version 1.99. Attempted method: echo",
        ),
    ],
)
async def test_unknown_methods_and_versions(target: Target, method: str, text: str) -> None:
    bus = InProcessBus()

    async def echo(delivery: Delivery) -> Any:
        raise AssertionError("not reached")

    async with _serving(bus, "engine", "host", {"echo": echo, "_hidden": echo}):
        with pytest.raises(RemoteError) as caught:
            await bus.call(target, method, {}, _CONTEXT)
    assert str(caught.value).startswith(f"Remote error: {text}\n")


async def test_a_call_that_nobody_answers_times_out(autojump_clock: trio.testing.MockClock) -> None:
    bus = InProcessBus()
    start = trio.current_time()
    with pytest.raises(CallTimeout, match=r"^Timed out waiting for a reply to message ID "):
        await bus.call(ENGINE, "m", {}, _CONTEXT)
    assert trio.current_time() - start == 60
    with pytest.raises(CallTimeout):
        await bus.call(Target("engine", "gone"), "m", {}, _CONTEXT, timeout_seconds=2)
    assert trio.current_time() - start == 62


async def test_a_call_that_expired_in_the_queue_is_not_handled(
    autojump_clock: trio.testing.MockClock,
) -> None:
    bus = InProcessBus()
    handled: list[str] = []

    async def note(delivery: Delivery) -> None:
        handled.append(delivery.arguments["name"])

    with pytest.raises(CallTimeout):
        await bus.call(ENGINE, "note", {"name": "late"}, _CONTEXT, timeout_seconds=1)
    await trio.sleep(1)
    async with _serving(bus, "engine", "host", {"note": note}):
        await bus.call(ENGINE, "note", {"name": "fresh"}, _CONTEXT)
    assert handled == ["fresh"]


async def test_an_answer_that_comes_too_late_is_dropped(
    autojump_clock: trio.testing.MockClock,
) -> None:
    bus = InProcessBus()

    async def slow(delivery: Delivery) -> int:
        await trio.sleep(5)
        return 1

    async with _serving(bus, "engine", "host", {"slow": slow}):
        with pytest.raises(CallTimeout):
            await bus.call(ENGINE, "slow", {}, _CONTEXT, timeout_seconds=1)
        await trio.sleep(10)
        assert await bus.call(ENGINE, "slow", {}, _CONTEXT) == 1


async def test_topic_server_and_fanout(autojump_clock: trio.testing.MockClock) -> None:
    bus = InProcessBus()
    seen: list[tuple[str, str]] = []

    def noting(server: str) -> Mapping[str, Handler]:
        async def note(delivery: Delivery) -> None:
            seen.append((server, delivery.arguments["name"]))

        return {"note": note}

    async with (
        _serving(bus, "engine", "a", noting("a")),
        _serving(bus, "engine", "b", noting("b")),
    ):
        for name in ("1", "2"):
            await bus.call(ENGINE, "note", {"name": name}, _CONTEXT)
        assert sorted(name for _, name in seen) == ["1", "2"]
        seen.clear()
        await bus.call(Target("engine", "b"), "note", {"name": "to b"}, _CONTEXT)
        assert seen == [("b", "to b")]
        seen.clear()
        await bus.cast(Cast(Target("engine", fanout=True), "note", {"name": "all"}, _CONTEXT))
        await trio.sleep(1)
        assert sorted(seen) == [("a", "all"), ("b", "all")]


async def test_casts_wait_for_a_server(autojump_clock: trio.testing.MockClock) -> None:
    bus = InProcessBus()
    seen: list[int] = []

    async def note(delivery: Delivery) -> None:
        seen.append(delivery.arguments["n"])

    await bus.cast_many([_worker("note", n=n) for n in range(3)])
    async with _serving(bus, "engine_worker", "e1", {"note": note}):
        await trio.sleep(1)
    assert sorted(seen) == [0, 1, 2]


async def test_an_unacknowledged_cast_goes_to_another_server(
    autojump_clock: trio.testing.MockClock,
) -> None:
    bus = InProcessBus()
    taken: list[tuple[str, str]] = []

    async def hang(delivery: Delivery) -> None:
        taken.append(("hang", delivery.unique_id))
        await trio.sleep_forever()

    async def finish(delivery: Delivery) -> None:
        taken.append(("finish", delivery.unique_id))

    async with _serving(bus, "engine_worker", "e1", {"check_resource": hang}):
        await bus.cast(_worker())
        await trio.sleep(1)
    async with _serving(bus, "engine_worker", "e2", {"check_resource": finish}):
        await trio.sleep(1)
    assert [kind for kind, _ in taken] == ["hang", "finish"]
    assert taken[0][1] == taken[1][1]


async def test_an_acknowledged_cast_stays_with_its_server(
    autojump_clock: trio.testing.MockClock,
) -> None:
    bus = InProcessBus()
    taken: list[str] = []

    async def claim(delivery: Delivery) -> None:
        await delivery.acknowledge()
        await delivery.acknowledge()
        taken.append("claim")
        await trio.sleep_forever()

    async def again(delivery: Delivery) -> None:
        taken.append("again")

    async with _serving(bus, "engine_worker", "e1", {"check_resource": claim}):
        await bus.cast(_worker())
        await trio.sleep(1)
    async with _serving(bus, "engine_worker", "e2", {"check_resource": again}):
        await trio.sleep(1)
    assert taken == ["claim"]


async def test_a_cast_whose_handler_fails_is_logged_and_gone(
    autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    bus = InProcessBus()
    calls: list[str] = []

    async def fail(delivery: Delivery) -> None:
        calls.append(delivery.unique_id)
        raise ValueError("boom")

    async with _serving(bus, "engine_worker", "e1", {"check_resource": fail}):
        await bus.cast(_worker())
        await bus.cast(_worker("unknown"))
        await trio.sleep(1)
    async with _serving(bus, "engine_worker", "e2", {"check_resource": fail}):
        await trio.sleep(1)
    assert len(calls) == 1
    assert sorted(record.message for record in caplog.records) == [
        "message could not be handled",
        "message handler failed",
    ]


async def test_a_bounded_number_of_casts_is_held(autojump_clock: trio.testing.MockClock) -> None:
    bus = InProcessBus()
    held = 0
    most = 0

    async def work(delivery: Delivery) -> None:
        nonlocal held, most
        held += 1
        most = max(most, held)
        await trio.sleep(1)
        held -= 1

    async with _serving(bus, "engine_worker", "e1", {"check_resource": work}, concurrency=3):
        await bus.cast_many([_worker(n=n) for n in range(10)])
        await trio.sleep(3.5)
        assert most == 3
        await trio.sleep(1)
        assert held == 0


async def test_an_acknowledged_cast_holds_no_slot(autojump_clock: trio.testing.MockClock) -> None:
    bus = InProcessBus()
    running = 0

    async def work(delivery: Delivery) -> None:
        nonlocal running
        await delivery.acknowledge()
        running += 1
        await trio.sleep_forever()

    async with _serving(bus, "engine_worker", "e1", {"check_resource": work}, concurrency=1):
        await bus.cast_many([_worker(n=n) for n in range(5)])
        await trio.sleep(1)
        assert running == 5


async def test_calls_free_their_slot_when_answered(autojump_clock: trio.testing.MockClock) -> None:
    bus = InProcessBus()

    async def quick(delivery: Delivery) -> int:
        return 1

    async with _serving(bus, "engine", "h", {"quick": quick}, concurrency=1):
        for _ in range(3):
            assert await bus.call(ENGINE, "quick", {}, _CONTEXT, timeout_seconds=1) == 1


async def test_a_router_may_repeat_delay_and_lose(autojump_clock: trio.testing.MockClock) -> None:
    held: list[Posted] = []
    seen: list[str] = []

    def router(message: Posted, deliver: Deliver) -> None:
        if message.method == "lost":
            return
        if message.method == "late":
            held.append(message)
            return
        deliver(message)
        deliver(message)

    bus = InProcessBus(router=router, new_id=_ids())

    async def note(delivery: Delivery) -> str:
        seen.append(delivery.arguments["n"])
        return "ok"

    names = {"note": note, "lost": note, "late": note}
    async with _serving(bus, "engine", "h", names):
        await bus.cast(Cast(ENGINE, "late", {"n": "late"}, _CONTEXT))
        await bus.cast(Cast(ENGINE, "lost", {"n": "lost"}, _CONTEXT))
        assert await bus.call(ENGINE, "note", {"n": "twice"}, _CONTEXT) == "ok"
        await trio.sleep(1)
        assert seen == ["twice"]  # the second of the two was dropped as a duplicate
        bus.deliver(held[0])
        await trio.sleep(1)
        assert seen == ["twice", "late"]


async def test_a_duplicate_reaches_another_server(autojump_clock: trio.testing.MockClock) -> None:
    """Only one server's own memory protects it: another one is told the thing again."""

    def router(message: Posted, deliver: Deliver) -> None:
        deliver(message)
        deliver(message)

    bus = InProcessBus(router=router)
    seen: list[str] = []

    def noting(server: str) -> Mapping[str, Handler]:
        async def note(delivery: Delivery) -> None:
            seen.append(server)

        return {"note": note}

    async with (
        _serving(bus, "engine_worker", "a", noting("a")),
        _serving(bus, "engine_worker", "b", noting("b")),
    ):
        await trio.sleep(1)
        await bus.cast(_worker("note"))
        await trio.sleep(1)
    assert sorted(seen) == ["a", "b"]
