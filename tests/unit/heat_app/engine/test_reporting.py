from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import trio
import trio.testing
from sqlalchemy import Connection, select

from heat_app.engine.reporting import report, service_record
from heat_core.stack import EngineId
from heat_io.database import ConnectionLost, services
from heat_io.database.schema import service

RECORD = service_record(
    service_id="s1", engine_id=EngineId("e1"), host="h", hostname="hn", report_interval=60
)


async def _rows(world: Any) -> list[Any]:
    found: list[Any] = await world.database.read(
        lambda connection: connection.execute(select(service).order_by(service.c.id)).all()
    )
    return found


async def test_a_row_lives_as_long_as_its_engine(
    world: Any, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(report, world.database, RECORD, interval_seconds=5))
        (row,) = await _rows(world)
        assert (row.engine_id, row.binary, row.topic) == ("e1", "heat-engine", "engine")
        assert (row.report_interval, row.updated_at) == (60, None)
        await trio.sleep(6)
        (row,) = await _rows(world)
        first = row.updated_at
        assert first is not None
        await trio.sleep(5)
        (row,) = await _rows(world)
        assert row.updated_at > first
        nursery.cancel_scope.cancel()
    (row,) = await _rows(world)
    assert row.deleted_at is not None


async def test_each_stored_sign_tells_when_its_write_began(
    world: Any, autojump_clock: trio.testing.MockClock
) -> None:
    signed: list[float] = []
    began = trio.current_time()
    reporting = partial(report, world.database, RECORD, interval_seconds=5, signed=signed.append)
    async with trio.open_nursery() as nursery:
        await nursery.start(reporting)
        await trio.sleep(11)
        nursery.cancel_scope.cancel()
    assert signed == [began, began + 5, began + 10]


async def test_rows_of_earlier_lives_are_marked(
    world: Any, autojump_clock: trio.testing.MockClock
) -> None:
    def before(connection: Connection) -> None:
        for name in ("old", "other"):
            host = "h" if name == "old" else "elsewhere"
            services.insert(connection, replace(RECORD, id=name, host=host))
            services.touch(connection, name)

    await world.database.transaction(before)
    for _ in range(200):
        world.parts.now()
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(report, world.database, RECORD, interval_seconds=5))
        old, other, mine = await _rows(world)
        assert (old.id, other.id, mine.id) == ("old", "other", "s1")
        assert old.deleted_at is not None
        assert other.deleted_at is None
        nursery.cancel_scope.cancel()


async def test_a_row_that_was_removed_comes_back(
    world: Any, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(report, world.database, RECORD, interval_seconds=5))
        await world.database.transaction(lambda connection: connection.execute(service.delete()))
        await trio.sleep(6)
        assert [row.id for row in await _rows(world)] == ["s1"]
        nursery.cancel_scope.cancel()


async def test_a_lost_sign_is_no_end(
    world: Any,
    autojump_clock: trio.testing.MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with trio.open_nursery() as nursery:
        await nursery.start(partial(report, world.database, RECORD, interval_seconds=5))
        monkeypatch.setattr(world.database, "transaction", _failing_once(world.database))
        await trio.sleep(11)
        (row,) = await _rows(world)
        assert row.updated_at is not None
        nursery.cancel_scope.cancel()
    assert [record.message for record in caplog.records] == ["a sign of life could not be stored"]


def _failing_once(database: Any) -> Any:
    transaction = database.transaction
    failed = False

    async def wrapped(unit: Any) -> Any:
        nonlocal failed
        if not failed:
            failed = True
            raise ConnectionLost("gone")
        return await transaction(unit)

    return wrapped
