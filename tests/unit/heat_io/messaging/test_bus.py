"""What every kind of bus keeps to; in process and on a broker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio

from heat_core import errors
from heat_core.rpc import RemoteError, RequestContext
from heat_io.messaging import CallTimeout, Cast, Delivery, Handler, Target

_CONTEXT = RequestContext(request_id="req-1", project_id="p", roles=("member",))


def _of_ours(caplog: pytest.LogCaptureFixture) -> list[str]:
    return sorted(
        record.message for record in caplog.records if record.name == "heat_io.messaging.serving"
    )


async def test_a_call_is_answered_through_the_codec(
    stage: Any, clock: Any, serving: Any, seen: Any
) -> None:
    async def echo(delivery: Delivery) -> Any:
        seen.append(delivery)
        return {"got": delivery.arguments["value"], "more": (1, 2)}

    async with stage.open_bus() as bus, serving(bus, stage.topic, "host", {"echo": echo}):
        target = Target(stage.topic, version="1.36")
        answer = await bus.call(target, "echo", {"value": {1: (1, 2)}}, _CONTEXT)
    assert answer == {"got": {"1": [1, 2]}, "more": [1, 2]}
    assert seen[0].context == _CONTEXT
    assert seen[0].method == "echo"
    assert len(seen[0].unique_id) == 32


async def test_a_failure_is_raised_at_the_caller(stage: Any, clock: Any, serving: Any) -> None:
    async def fail(delivery: Delivery) -> Any:
        raise errors.EntityNotFound(entity="Stack", name="s")

    async with stage.open_bus() as bus, serving(bus, stage.topic, "host", {"fail": fail}):
        with pytest.raises(errors.EntityNotFound, match=r"The Stack \(s\) could not be found."):
            await bus.call(Target(stage.topic), "fail", {}, _CONTEXT)


async def test_what_cannot_cross_is_a_failure(
    stage: Any, clock: Any, serving: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def wrong(delivery: Delivery) -> Any:
        return object()

    async with stage.open_bus() as bus, serving(bus, stage.topic, "host", {"wrong": wrong}):
        with pytest.raises(TypeError, match="object cannot cross the bus"):
            await bus.call(Target(stage.topic), "wrong", {}, _CONTEXT)
        with pytest.raises(TypeError, match="object cannot cross the bus"):
            await bus.call(Target(stage.topic), "wrong", {"a": object()}, _CONTEXT)
        with pytest.raises(TypeError, match="object cannot cross the bus"):
            await bus.cast(Cast(Target(stage.topic), "wrong", {"a": object()}, _CONTEXT))
    assert _of_ours(caplog) == ["message handler failed"]


async def test_unknown_methods_and_versions(stage: Any, clock: Any, serving: Any) -> None:
    async def echo(delivery: Delivery) -> Any:
        raise AssertionError("not reached")

    cases = [
        ("1.0", "nothing", "NoSuchMethod Endpoint does not support RPC method nothing"),
        ("1.0", "_hidden", "NoSuchMethod Endpoint does not support RPC method _hidden"),
        (
            "1.99",
            "echo",
            "UnsupportedVersion Endpoint does not support RPC version 1.99. Attempted method: echo",
        ),
    ]
    handlers = {"echo": echo, "_hidden": echo}
    async with stage.open_bus() as bus, serving(bus, stage.topic, "host", handlers):
        for version, method, text in cases:
            with pytest.raises(RemoteError) as caught:
                await bus.call(Target(stage.topic, version=version), method, {}, _CONTEXT)
            assert str(caught.value).startswith(f"Remote error: {text}\n")


async def test_a_call_that_nobody_answers_times_out(stage: Any, clock: Any) -> None:
    async with stage.open_bus(call_timeout_seconds=stage.short_seconds) as bus:
        start = trio.current_time()
        with pytest.raises(CallTimeout, match=r"^Timed out waiting for a reply to message ID "):
            await bus.call(Target(stage.topic), "m", {}, _CONTEXT)
        assert 0 <= trio.current_time() - start - stage.short_seconds < 5
        start, gone = trio.current_time(), Target(stage.topic, "gone")
        with pytest.raises(CallTimeout):
            await bus.call(gone, "m", {}, _CONTEXT, timeout_seconds=0.1)
        assert 0 <= trio.current_time() - start - 0.1 < 5


async def test_a_call_that_expired_in_the_queue_is_not_handled(
    stage: Any, clock: Any, serving: Any, seen: Any
) -> None:
    async def note(delivery: Delivery) -> None:
        seen.append(delivery.arguments["name"])

    target = Target(stage.topic)
    async with stage.open_bus() as bus:
        async with serving(bus, stage.topic, "host", {"note": note}):
            pass  # a broker's queue is made by who serves it first
        with pytest.raises(CallTimeout):
            await bus.call(target, "note", {"name": "late"}, _CONTEXT, timeout_seconds=0.2)
        await trio.sleep(0.1)
        async with serving(bus, stage.topic, "host", {"note": note}):
            await bus.call(target, "note", {"name": "fresh"}, _CONTEXT)
            await stage.settle()
    assert seen == ["fresh"]


async def test_an_answer_that_comes_too_late_is_dropped(
    stage: Any, clock: Any, serving: Any
) -> None:
    go = trio.Event()

    async def slow(delivery: Delivery) -> int:
        await go.wait()
        return 1

    target = Target(stage.topic)
    async with stage.open_bus() as bus, serving(bus, stage.topic, "host", {"slow": slow}):
        with pytest.raises(CallTimeout):
            await bus.call(target, "slow", {}, _CONTEXT, timeout_seconds=stage.short_seconds)
        go.set()
        await stage.settle()
        assert await bus.call(target, "slow", {}, _CONTEXT) == 1


async def test_topic_server_and_fanout(stage: Any, clock: Any, serving: Any, seen: Any) -> None:
    def noting(server: str) -> Mapping[str, Handler]:
        async def note(delivery: Delivery) -> None:
            seen.append((server, delivery.arguments["name"]))

        return {"note": note}

    topic = stage.topic
    async with (
        stage.open_bus() as bus,
        serving(bus, topic, "a", noting("a")),
        serving(bus, topic, "b", noting("b")),
    ):
        for name in ("1", "2"):
            await bus.call(Target(topic), "note", {"name": name}, _CONTEXT)
        assert sorted(name for _, name in seen) == ["1", "2"]
        seen.clear()
        await bus.call(Target(topic, "b"), "note", {"name": "to b"}, _CONTEXT)
        assert seen == [("b", "to b")]
        seen.clear()
        await bus.cast(Cast(Target(topic, "a"), "note", {"name": "to a"}, _CONTEXT))
        await bus.cast(Cast(Target(topic, fanout=True), "note", {"name": "all"}, _CONTEXT))
        await seen.until(3)
        await stage.settle()
        assert sorted(seen) == [("a", "all"), ("a", "to a"), ("b", "all")]


async def test_what_goes_to_nobody_is_lost(stage: Any, clock: Any, serving: Any) -> None:
    async with stage.open_bus() as bus:
        await bus.cast(Cast(Target(stage.topic, "nobody"), "m", {}, _CONTEXT))
        await bus.cast(Cast(Target(stage.topic, fanout=True), "m", {}, _CONTEXT))
        with pytest.raises(CallTimeout):
            await bus.call(Target(stage.topic, "nobody"), "m", {}, _CONTEXT, timeout_seconds=0.2)


async def test_casts_wait_for_a_server(stage: Any, clock: Any, serving: Any, seen: Any) -> None:
    async def note(delivery: Delivery) -> None:
        seen.append(delivery.arguments["n"])

    casts = [Cast(Target(stage.topic), "note", {"n": n}, _CONTEXT) for n in range(30)]
    async with stage.open_bus() as bus:
        async with serving(bus, stage.topic, "e1", {"note": note}):
            pass
        await bus.cast_many([])
        await bus.cast_many(casts)
        async with serving(bus, stage.topic, "e1", {"note": note}):
            await seen.until(30)
    assert sorted(seen) == list(range(30))


async def test_an_unacknowledged_cast_goes_to_another_server(
    stage: Any, clock: Any, serving: Any, seen: Any
) -> None:
    async def hang(delivery: Delivery) -> None:
        seen.append(("hang", delivery.unique_id))
        await trio.sleep_forever()

    async def finish(delivery: Delivery) -> None:
        seen.append(("finish", delivery.unique_id))

    async with stage.open_bus() as bus:
        async with serving(bus, stage.topic, "e1", {"check_resource": hang}):
            await bus.cast(Cast(Target(stage.topic), "check_resource", {}, _CONTEXT))
            await seen.until(1)
        async with serving(bus, stage.topic, "e2", {"check_resource": finish}):
            await seen.until(2)
    assert [kind for kind, _ in seen] == ["hang", "finish"]
    assert seen[0][1] == seen[1][1]


async def test_an_acknowledged_cast_stays_with_its_server(
    stage: Any, clock: Any, serving: Any, seen: Any
) -> None:
    async def claim(delivery: Delivery) -> None:
        await delivery.acknowledge()
        await delivery.acknowledge()
        seen.append("claim")
        await trio.sleep_forever()

    async def again(delivery: Delivery) -> None:
        seen.append("again")

    async with stage.open_bus() as bus:
        async with serving(bus, stage.topic, "e1", {"check_resource": claim}):
            await bus.cast(Cast(Target(stage.topic), "check_resource", {}, _CONTEXT))
            await seen.until(1)
        async with serving(bus, stage.topic, "e2", {"check_resource": again}):
            await stage.settle()
    assert seen == ["claim"]


async def test_a_cast_whose_handler_fails_is_logged_and_gone(
    stage: Any, clock: Any, serving: Any, seen: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(delivery: Delivery) -> None:
        seen.append(delivery.unique_id)
        raise ValueError("boom")

    handlers = {"check_resource": fail}
    async with stage.open_bus() as bus:
        async with serving(bus, stage.topic, "e1", handlers):
            await bus.cast(Cast(Target(stage.topic), "check_resource", {}, _CONTEXT))
            await bus.cast(Cast(Target(stage.topic), "unknown", {}, _CONTEXT))
            await seen.until(1)
            await stage.settle()
        async with serving(bus, stage.topic, "e2", handlers):
            await stage.settle()
    assert len(seen) == 1
    assert _of_ours(caplog) == ["message could not be handled", "message handler failed"]


async def test_a_bounded_number_of_casts_is_held(
    stage: Any, clock: Any, serving: Any, seen: Any
) -> None:
    may_end = trio.Semaphore(0)

    async def work(delivery: Delivery) -> None:
        seen.append(delivery.arguments["n"])
        await may_end.acquire()

    casts = [Cast(Target(stage.topic), "check_resource", {"n": n}, _CONTEXT) for n in range(8)]
    handlers = {"check_resource": work}
    async with stage.open_bus() as bus, serving(bus, stage.topic, "e", handlers, concurrency=3):
        await bus.cast_many(casts)
        await seen.until(3)
        await stage.settle()
        assert len(seen) == 3
        may_end.release()
        await seen.until(4)
        await stage.settle()
        assert len(seen) == 4
        for _ in range(7):
            may_end.release()
        await seen.until(8)


async def test_what_one_server_cannot_hold_is_another_ones(
    stage: Any, clock: Any, serving: Any, seen: Any
) -> None:
    def holding(server: str) -> Mapping[str, Handler]:
        async def hold(delivery: Delivery) -> None:
            seen.append(server)
            await trio.sleep_forever()

        return {"check_resource": hold}

    casts = [Cast(Target(stage.topic), "check_resource", {}, _CONTEXT) for _ in range(4)]
    async with (
        stage.open_bus() as bus,
        serving(bus, stage.topic, "a", holding("a"), concurrency=2),
    ):
        await bus.cast_many(casts)
        await seen.until(2)
        await stage.settle()
        async with serving(bus, stage.topic, "b", holding("b"), concurrency=2):
            await seen.until(4)
    assert sorted(seen) == ["a", "a", "b", "b"]


async def test_an_acknowledged_cast_holds_no_slot(
    stage: Any, clock: Any, serving: Any, seen: Any
) -> None:
    async def work(delivery: Delivery) -> None:
        await delivery.acknowledge()
        seen.append(1)
        await trio.sleep_forever()

    casts = [Cast(Target(stage.topic), "check_resource", {}, _CONTEXT) for _ in range(5)]
    handlers = {"check_resource": work}
    async with stage.open_bus() as bus, serving(bus, stage.topic, "e", handlers, concurrency=1):
        await bus.cast_many(casts)
        await seen.until(5)


async def test_calls_free_their_slot_when_answered(stage: Any, clock: Any, serving: Any) -> None:
    async def quick(delivery: Delivery) -> int:
        return 1

    handlers = {"quick": quick}
    async with stage.open_bus() as bus, serving(bus, stage.topic, "h", handlers, concurrency=1):
        for _ in range(3):
            assert await bus.call(Target(stage.topic), "quick", {}, _CONTEXT) == 1


async def test_a_server_that_stops_ends_what_it_has_begun(
    stage: Any, clock: Any, seen: Any, serving: Any
) -> None:
    go, stopping = trio.Event(), trio.Event()

    async def work(delivery: Delivery) -> str:
        seen.append(delivery.arguments["n"])
        await go.wait()
        await delivery.acknowledge()
        return "done"

    async def other(delivery: Delivery) -> None:
        seen.append(f"other {delivery.arguments['n']}")

    answers: list[str] = []
    target = Target(stage.topic)

    async with stage.open_bus() as bus, trio.open_nursery() as nursery:

        async def call() -> None:
            answers.append(await bus.call(target, "work", {"n": 0}, _CONTEXT))

        async def serve(task_status: trio.TaskStatus[None]) -> None:
            await bus.serve(
                stage.topic,
                "s",
                "1.0",
                {"work": work},
                concurrency=2,
                stopping=stopping,
                task_status=task_status,
            )
            seen.append("stopped")

        await nursery.start(serve)
        nursery.start_soon(call)
        await seen.until(1)
        await bus.cast_many([Cast(target, "work", {"n": n}, _CONTEXT) for n in (1, 2)])
        await seen.until(2)  # the third message waits for a place
        stopping.set()
        await stage.settle()
        assert seen == [0, 1]
        go.set()
        await seen.until(3)
        assert seen[2] == "stopped"
        await stage.settle()
        assert answers == ["done"]
        async with serving(bus, stage.topic, "s2", {"work": other}):
            await seen.until(4)
            await stage.settle()
    assert seen[3:] == ["other 2"]
