from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest
import trio
import trio.testing

from heat_core.rpc import RequestContext
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


async def test_a_call_that_nobody_answers_times_out(autojump_clock: trio.testing.MockClock) -> None:
    bus = InProcessBus()
    start = trio.current_time()
    with pytest.raises(CallTimeout, match=r"^Timed out waiting for a reply to message ID "):
        await bus.call(ENGINE, "m", {}, _CONTEXT)
    assert trio.current_time() - start == 60
    with pytest.raises(CallTimeout):
        await bus.call(Target("engine", "gone"), "m", {}, _CONTEXT, timeout_seconds=2)
    assert trio.current_time() - start == 62


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
