from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest
import trio
import trio.testing

from heat_core.rpc import LISTENER_METHODS
from heat_core.stack.ids import EngineId
from heat_core.stack.records import ServiceRecord
from heat_io.database import Database, Fault, services
from heat_io.database.schema import service
from heat_io.drivers.liveness import FleetLiveness
from heat_io.messaging import Delivery, Handler, InProcessBus

US, OTHER = EngineId("us"), EngineId("other")
LEASE_SECONDS = 15.0
ANSWER_SECONDS = 2.0


class Fleet:
    """Engines that sign and answer until they are told not to."""

    def __init__(self, database: Database, nursery: trio.Nursery) -> None:
        self.database = database
        self.bus = InProcessBus()
        self.asked: list[str] = []
        self._nursery = nursery
        self._listeners: dict[str, trio.CancelScope] = {}
        self.liveness = FleetLiveness(
            database, self.bus, US, lease_seconds=LEASE_SECONDS, answer_seconds=ANSWER_SECONDS
        )

    async def listen(self, engine_id: EngineId) -> None:
        """Answer under that name from now on."""

        async def listening(delivery: Delivery) -> bool:
            self.asked.append(engine_id)
            return True

        handlers: Mapping[str, Handler] = {"listening": listening}
        scope = self._listeners[engine_id] = trio.CancelScope()

        async def serve(task_status: trio.TaskStatus[None]) -> None:
            with scope:
                await self.bus.serve(
                    LISTENER_METHODS.name, engine_id, "1.0", handlers, task_status=task_status
                )

        await self._nursery.start(serve)

    def fall_silent(self, engine_id: EngineId) -> None:
        """Answer no more."""
        self._listeners[engine_id].cancel()

    async def write(self, unit: Any) -> None:
        await self.database.transaction(unit)

    async def register(self, engine_id: EngineId) -> None:
        """Store the engine's row."""
        record = ServiceRecord(
            id=engine_id,
            engine_id=engine_id,
            host="h",
            hostname="h",
            binary="heat-engine",
            topic="engine",
            report_interval=60,
        )
        await self.write(lambda connection: services.insert(connection, record))

    async def sign(self, engine_id: EngineId) -> None:
        """A sign of life, years off: wall clocks don't count."""
        wall = datetime(2020, 1, 1) + timedelta(seconds=trio.current_time())
        row = service.update().where(service.c.engine_id == engine_id)
        await self.write(lambda connection: connection.execute(row.values(updated_at=wall)))

    async def is_still_dead(self, engine_id: EngineId) -> bool:
        return await self.database.read(
            lambda connection: self.liveness.is_still_dead(connection, engine_id)
        )

    async def say_goodbye(self, engine_id: EngineId) -> None:
        await self.write(lambda connection: services.soft_delete(connection, engine_id))


@asynccontextmanager
async def _fleet(database: Database) -> AsyncIterator[Fleet]:
    async with trio.open_nursery() as nursery:
        fleet = Fleet(database, nursery)
        await fleet.listen(US)
        await fleet.listen(OTHER)
        await fleet.register(OTHER)
        yield fleet
        nursery.cancel_scope.cancel()


async def found_dead(fleet: Fleet) -> None:
    """OTHER falls silent, and is found dead after a lease."""
    fleet.fall_silent(OTHER)
    assert not await fleet.liveness.is_dead(OTHER)
    await trio.sleep(LEASE_SECONDS)
    assert await fleet.liveness.is_dead(OTHER)


async def test_one_is_never_dead_oneself(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        await trio.sleep(100)
        assert not await fleet.liveness.is_dead(US)


async def test_who_signs_is_not_asked(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        fleet.fall_silent(OTHER)
        for _ in range(10):
            await trio.sleep(10)
            await fleet.sign(OTHER)
            assert not await fleet.liveness.is_dead(OTHER)
        assert fleet.asked == []


async def test_who_answers_is_alive_and_is_not_asked_all_the_time(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        assert not await fleet.liveness.is_dead(OTHER)
        for _ in range(12):
            await trio.sleep(5)
            assert not await fleet.liveness.is_dead(OTHER)
        assert 2 <= fleet.asked.count(OTHER) <= 4


async def test_who_neither_signs_nor_answers_for_a_lease_is_dead(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        fleet.fall_silent(OTHER)
        assert not await fleet.liveness.is_dead(OTHER)
        await trio.sleep(LEASE_SECONDS - 1)
        assert not await fleet.liveness.is_dead(OTHER)
        await trio.sleep(1)
        assert await fleet.liveness.is_dead(OTHER)
        assert await fleet.is_still_dead(OTHER)
        assert await fleet.liveness.is_dead(OTHER)
        assert fleet.asked == [US]


async def test_who_was_cut_off_and_signs_again_is_alive(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        await found_dead(fleet)
        await fleet.sign(OTHER)
        assert not await fleet.is_still_dead(OTHER)
        assert not await fleet.liveness.is_dead(OTHER)
        # And nobody takes anything of one that is not known to be dead.
        assert not await fleet.is_still_dead(OTHER)
        await trio.sleep(LEASE_SECONDS)
        assert await fleet.liveness.is_dead(OTHER)


async def test_that_a_dead_engines_row_goes_is_no_sign_of_life(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        await found_dead(fleet)
        await fleet.say_goodbye(OTHER)
        assert await fleet.is_still_dead(OTHER)
        assert await fleet.liveness.is_dead(OTHER)


async def test_who_signs_while_it_is_asked_is_alive(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet, trio.open_nursery() as nursery:
        fleet.fall_silent(OTHER)
        assert not await fleet.liveness.is_dead(OTHER)
        await trio.sleep(LEASE_SECONDS)

        async def sign_and_be_seen() -> None:
            await trio.sleep(ANSWER_SECONDS / 2)
            await fleet.sign(OTHER)
            await fleet.liveness.is_dead(OTHER)

        nursery.start_soon(sign_and_be_seen)
        assert not await fleet.liveness.is_dead(OTHER)


async def test_ones_own_lock_may_always_be_taken(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        assert await fleet.is_still_dead(US)


async def test_signs_seen_before_count(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet, trio.open_nursery() as nursery:
        nursery.start_soon(fleet.liveness.observe, 5.0)
        fleet.fall_silent(OTHER)
        await trio.sleep(LEASE_SECONDS)
        assert await fleet.liveness.is_dead(OTHER)
        nursery.cancel_scope.cancel()


async def test_nobody_is_dead_while_ones_own_listener_is_silent(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        fleet.fall_silent(OTHER)
        fleet.fall_silent(US)
        assert not await fleet.liveness.is_dead(OTHER)
        await trio.sleep(100)
        assert not await fleet.liveness.is_dead(OTHER)
        await fleet.listen(US)
        assert await fleet.liveness.is_dead(OTHER)


async def test_who_has_said_goodbye_has_no_lease(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        await fleet.say_goodbye(OTHER)
        assert not await fleet.liveness.is_dead(OTHER)  # it is still at something
        fleet.fall_silent(OTHER)
        began = trio.current_time()
        assert await fleet.liveness.is_dead(OTHER)
        assert trio.current_time() - began < LEASE_SECONDS


async def test_an_engine_without_a_row_has_a_lease(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        unknown = EngineId("unknown")
        assert not await fleet.liveness.is_dead(unknown)
        await trio.sleep(LEASE_SECONDS)
        assert await fleet.liveness.is_dead(unknown)


async def test_many_who_ask_ask_once(
    database: Database, autojump_clock: trio.testing.MockClock
) -> None:
    async with _fleet(database) as fleet:
        fleet.fall_silent(OTHER)
        await fleet.liveness.is_dead(OTHER)
        await trio.sleep(LEASE_SECONDS)
        answers: list[bool] = []

        async def ask() -> None:
            answers.append(await fleet.liveness.is_dead(OTHER))

        async with trio.open_nursery() as nursery:
            for _ in range(20):
                nursery.start_soon(ask)
        assert answers == [True] * 20
        assert fleet.asked == [US]


async def test_observing_survives_the_database(
    database: Database,
    autojump_clock: trio.testing.MockClock,
    faults: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with _fleet(database) as fleet, trio.open_nursery() as nursery:
        faults.before_read(Fault.LOST, times=40)
        nursery.start_soon(fleet.liveness.observe, 5.0)
        await trio.sleep(1000)
        assert faults.left == 0
        fleet.fall_silent(OTHER)
        await trio.sleep(5 + LEASE_SECONDS)
        assert await fleet.liveness.is_dead(OTHER)
        nursery.cancel_scope.cancel()
    texts = {record.message for record in caplog.records}
    assert texts == {"the engines' signs of life could not be read"}
