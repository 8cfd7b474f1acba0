"""SQLite in a file: durability, one writer, readers beside it."""

from __future__ import annotations

import sqlite3

import pytest
import trio
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from heat_io.database import Ambient, Conflict, Database, driver_url, resources, stacks
from heat_io.database.sqlite import SqliteExecutor


@pytest.fixture
def backend() -> str:
    return "sqlite"


async def test_commits_are_durable_and_foreign_keys_as_heat_has_them(database: Database) -> None:
    def settings(connection):
        return [
            connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]

    assert await database.transaction(settings) == ["wal", 2, 0]
    assert database.executor.max_lanes == 1


async def test_reads_can_not_write(database: Database, build) -> None:
    with pytest.raises(OperationalError, match="readonly"):
        await database.read(lambda connection: build.template(connection))


async def test_a_reader_sees_one_state_while_the_writer_goes_on(database: Database, build) -> None:
    stack = await database.transaction(lambda connection: build.stack(connection))
    reading, written = trio.Event(), trio.Event()
    counts: list[int] = []

    def look(connection) -> None:
        counts.append(len(resources.fetch_by_stack(connection, stack.id)))
        trio.from_thread.run_sync(reading.set)
        trio.from_thread.run(written.wait)
        counts.append(len(resources.fetch_by_stack(connection, stack.id)))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(database.read, look)
        await reading.wait()
        await database.transaction(lambda connection: build.stored(connection, stack))
        written.set()
    assert counts == [0, 0]
    after = await database.read(lambda connection: resources.fetch_by_stack(connection, stack.id))
    assert len(after) == 1


async def test_a_failed_unit_leaves_nothing(database: Database, build) -> None:
    def work(connection):
        build.stack(connection, "x")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await database.transaction(work)
    assert await database.read(lambda c: stacks.fetch_by_name(c, "p1", "x")) is None


async def test_another_process_that_writes_is_a_conflict(url: str, build) -> None:
    executor = SqliteExecutor(driver_url(url), Ambient(), busy_timeout_seconds=0.0)
    path = url.removeprefix("sqlite:///")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Conflict, match="locked"):
        await executor.run(lambda connection: build.template(connection), begin=True)
    other.execute("ROLLBACK")
    other.close()
    assert await executor.run(lambda connection: build.template(connection), begin=True) == 1
    await executor.aclose()


async def test_a_cancelled_waiter_has_done_nothing_and_a_started_unit_ends(
    database: Database, build
) -> None:
    entered, go_on = trio.Event(), trio.Event()

    def slow(connection):
        trio.from_thread.run_sync(entered.set)
        trio.from_thread.run(wait_shielded, go_on)
        return build.template(connection)

    results: list[int] = []
    async with trio.open_nursery() as nursery:
        scope = trio.CancelScope()

        async def started() -> None:
            with scope:
                results.append(await database.executor.run(slow, begin=True))

        nursery.start_soon(started)
        await entered.wait()
        with trio.CancelScope() as waiting:
            waiting.cancel()
            await database.executor.run(lambda c: build.template(c, waited=True), begin=True)
        scope.cancel()
        go_on.set()
    assert results == [1]
    query = text("SELECT count(*) FROM raw_template")
    assert await database.read(lambda connection: connection.execute(query).scalar()) == 1


async def wait_shielded(event: trio.Event) -> None:
    with trio.CancelScope(shield=True):
        await event.wait()


@pytest.mark.parametrize(("synchronous", "level"), [(True, 2), (False, 0)])
async def test_whether_commits_survive_a_power_cut(url: str, synchronous: bool, level: int) -> None:
    async with Database.open(url, sqlite_synchronous=synchronous) as database:
        pragma = text("PRAGMA synchronous")
        assert await database.read(lambda c: c.execute(pragma).scalar()) == level
        assert await database.transaction(lambda c: c.execute(pragma).scalar()) == level
