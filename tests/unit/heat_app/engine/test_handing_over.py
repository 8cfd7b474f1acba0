"""How an engine leaves: what it does before its good-bye, and what only after it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from heat_app.config import Settings
from heat_app.engine import assembly
from heat_app.engine.assembly import CALLS_SECONDS, HAND_OVER_SECONDS, Ground, engine_serving
from heat_core.rpc import RequestContext
from heat_core.stack import EngineId
from heat_io.drivers.check_messages import CHECK_RESOURCE
from heat_io.messaging import ENGINE_WORKER, LISTENER_TOPIC, Cast, Delivery, InProcessBus, Target

USER = RequestContext(user_id="u")
MINE = Target(LISTENER_TOPIC, "e")


class _Anything:
    def __getattr__(self, name: str) -> Any:
        return _Anything()


class Bus(InProcessBus):
    """Tells what is sent in a batch; `is_away` takes none."""

    def __init__(self, told: list[str]) -> None:
        super().__init__()
        self.told = told
        self.is_away = False

    async def cast_many(self, casts: Sequence[Cast]) -> None:
        if self.is_away:
            await trio.sleep_forever()
        self.told.extend(f"cast {cast.arguments['resource_id']}" for cast in casts)

    async def give_work(self) -> None:
        """A message for the engine, from somebody else."""
        work = Cast(ENGINE_WORKER, CHECK_RESOURCE, {"resource_id": 7}, USER)
        await super().cast_many((work,))


class Engine(_Anything):
    """Has two visits to hand over, and one message at work until `go`."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self.go = trio.Event()
        self.begun = trio.Event()

    @property
    def worker_handlers(self) -> Any:
        async def check_resource(delivery: Delivery) -> None:
            self.begun.set()
            await self.go.wait()
            self._bus.told.append("handled")

        return {CHECK_RESOURCE: check_resource}

    async def hand_over(self) -> tuple[Cast, ...]:
        alive = await self._bus.call(MINE, "listening", {}, USER)
        self._bus.told.append("handed over, alive" if alive else "handed over")
        return tuple(
            Cast(ENGINE_WORKER, CHECK_RESOURCE, {"resource_id": number}, USER) for number in (1, 2)
        )


@pytest.fixture
def bus() -> Bus:
    return Bus([])


@pytest.fixture
def engine(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> Engine:
    made = Engine(bus)

    @asynccontextmanager
    async def opened(around: Any) -> AsyncIterator[Engine]:
        yield made
        bus.told.append("closed")

    async def report(*about: Any, task_status: trio.TaskStatus[None], **more: Any) -> None:
        task_status.started()
        try:
            await trio.sleep_forever()
        finally:
            bus.told.append("good-bye")

    monkeypatch.setattr(assembly.Engine, "open", opened)
    monkeypatch.setattr(assembly, "report", report)
    return made


@pytest.fixture
def ground(bus: Bus) -> Ground:
    anything: Any = _Anything()
    return Ground(
        settings=Settings(host="h"),
        policy=anything,
        engine_id=EngineId("e"),
        database=anything,
        bus=bus,
        openstack=anything,
        liveness=anything,
        alone=False,
    )


async def test_messages_go_out_once_nobody_takes_the_engine_for_alive(
    ground: Ground, bus: Bus, engine: Engine
) -> None:
    async with engine_serving(ground):
        assert bus.told == []
    assert bus.told == ["handed over, alive", "good-bye", "cast 1", "cast 2", "closed"]


async def test_what_was_taken_is_handled_before_the_good_bye(
    ground: Ground, bus: Bus, engine: Engine, nursery: trio.Nursery
) -> None:
    stopping, ended = trio.Event(), trio.Event()
    async with engine_serving(ground, stopping=stopping, work_ended=ended.set):
        await bus.give_work()
        await engine.begun.wait()
        stopping.set()
        await trio.testing.wait_all_tasks_blocked()
        assert not ended.is_set()
        nursery.start_soon(_let_go, engine)
    assert ended.is_set()
    assert bus.told[:3] == ["handed over, alive", "handled", "good-bye"]


async def _let_go(engine: Engine) -> None:
    await trio.testing.wait_all_tasks_blocked()
    engine.go.set()


async def test_what_is_not_handled_in_time_is_left(
    ground: Ground, bus: Bus, engine: Engine, autojump_clock: MockClock
) -> None:
    stopping = trio.Event()
    async with engine_serving(ground, stopping=stopping):
        await bus.give_work()
        await engine.begun.wait()
        stopping.set()
        began_at = trio.current_time()
    assert trio.current_time() - began_at == pytest.approx(CALLS_SECONDS, abs=0.5)
    assert bus.told == ["handed over, alive", "good-bye", "cast 1", "cast 2", "closed"]


async def test_a_broker_that_is_away_is_not_waited_for(
    ground: Ground, bus: Bus, engine: Engine, autojump_clock: MockClock
) -> None:
    bus.is_away = True
    async with engine_serving(ground):
        began_at = trio.current_time()
    assert trio.current_time() - began_at == pytest.approx(HAND_OVER_SECONDS, abs=0.5)
    assert bus.told == ["handed over, alive", "good-bye", "closed"]


async def test_an_engine_that_is_alone_hands_nothing_over(
    ground: Ground, bus: Bus, engine: Engine
) -> None:
    async with engine_serving(replace(ground, alone=True)):
        pass
    assert bus.told == ["good-bye", "closed"]


async def test_an_engine_that_is_cut_off_hands_nothing_over(
    ground: Ground, bus: Bus, engine: Engine
) -> None:
    with trio.CancelScope() as cut:
        async with engine_serving(ground):
            cut.cancel()
            await trio.lowlevel.checkpoint()
    assert bus.told == ["good-bye"]
