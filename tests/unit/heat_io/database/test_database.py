"""Opening databases, reading and writing."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from heat_io.database import Ambient, Database, UnsupportedDatabase, executor_for


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
