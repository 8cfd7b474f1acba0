"""Opening databases, reading and writing."""

from __future__ import annotations

import pytest
import trio
from sqlalchemy import text

from heat_io.database import Ambient, ConnectionLost, Database, UnsupportedDatabase, executor_for


async def test_what_a_unit_raises_comes_out_and_nothing_stays(database: Database, build) -> None:
    def work(connection):
        build.template(connection)
        raise LookupError("x")

    with pytest.raises(LookupError, match="x"):
        await database.transaction(work)
    query = text("SELECT count(*) FROM raw_template")
    assert await database.read(lambda connection: connection.execute(query).scalar()) == 0


def test_mariadb_needs_the_loop() -> None:
    with pytest.raises(AssertionError, match="asyncio loop"):
        executor_for("mysql://root@127.0.0.1/x", Ambient())
    with pytest.raises(UnsupportedDatabase):
        executor_for("oracle://x/y", Ambient())


async def test_a_database_can_be_opened_again(url: str, backend: str, build) -> None:
    if backend != "sqlite":
        return
    async with Database.open(url) as database:
        await database.transaction(lambda connection: build.template(connection))
    query = text("SELECT count(*) FROM raw_template")
    async with Database.open(url) as database:
        assert await database.read(lambda c: c.execute(query).scalar()) == 1


class Unreachable:
    """An executor whose server answers after some attempts."""

    max_lanes = 1
    engines = ()

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.asked = 0

    async def run(self, unit, *, begin, settle=False):
        self.asked += 1
        await trio.lowlevel.checkpoint()
        if self.asked <= self.refusals:
            raise ConnectionLost("nobody there")
        return 1

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


@pytest.mark.parametrize(("refusals", "retries"), [(0, 0), (3, 3), (9, -1)])
async def test_a_server_that_comes_late_is_waited_for(
    refusals: int, retries: int, autojump_clock: object
) -> None:
    executor = Unreachable(refusals)
    began = trio.current_time()
    async with Database.over(executor) as database:
        await database.wait_until_reachable(retries=retries, pause_seconds=10)
        assert trio.current_time() - began == pytest.approx(10 * refusals)
    assert executor.asked == refusals + 1


async def test_patience_ends(autojump_clock: object) -> None:
    executor = Unreachable(5)
    async with Database.over(executor) as database:
        with pytest.raises(ConnectionLost):
            await database.wait_until_reachable(retries=2, pause_seconds=10)
    assert executor.asked == 3
