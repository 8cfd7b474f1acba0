"""Counting statements."""

from __future__ import annotations

from sqlalchemy import text

from heat_io.database import counting


async def test_statements_rows_bytes_and_commits_are_counted(database, build) -> None:
    stack = await database.transaction(lambda connection: build.stack(connection))
    with counting(database.executor.engines) as counter:
        await database.transaction(lambda connection: build.stored(connection, stack))
        await database.read(lambda connection: connection.execute(text("SELECT 1")))
        assert counter.statements == 3
        assert counter.rows == 3
        assert counter.commits == 1
        assert counter.bytes > 300
        assert counter.by_verb == {"INSERT resource": 1, "SELECT resource": 1, "SELECT": 1}
        counter.clear()
        await database.transaction(
            lambda connection: (
                connection.execute(text("UPDATE stack SET timeout = 1")),
                connection.execute(text("DELETE FROM stack_tag")),
            )
        )
        assert counter.by_verb == {"UPDATE stack": 1, "DELETE stack_tag": 1}
    await database.read(lambda connection: connection.execute(text("SELECT 1")))
    assert counter.statements == 2
