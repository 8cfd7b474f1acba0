"""Counting statements."""

from __future__ import annotations

from sqlalchemy import text

from heat_io.database import counting


async def test_statements_rows_bytes_and_commits_are_counted(database, build) -> None:
    stack = await database.transaction(lambda connection: build.stack(connection))
    ids = [{"id": stack.id}, {"id": stack.id}]
    with counting(database.executor.engines) as counter:
        await database.transaction(
            lambda connection: (
                connection.execute(text("INSERT INTO stack_tag (stack_id) VALUES (:id)"), ids),
                connection.execute(text("SELECT id FROM stack_tag")),
            )
        )
        await database.read(lambda connection: connection.execute(text("SELECT 1")))
        assert counter.statements == 3
        assert counter.rows == 4
        assert counter.commits == 1
        assert counter.bytes > 100
        assert counter.by_verb == {"INSERT stack_tag": 1, "SELECT stack_tag": 1, "SELECT": 1}
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
