"""Removing rows with what only they refer to, on every database."""

from __future__ import annotations

from sqlalchemy import text

from heat_core.stack.records import EventRecord
from heat_io.database import (
    events,
    properties_data,
    resource_data,
    resource_removal,
    resources,
)


def count(connection, table: str) -> int:
    return connection.execute(text(f"SELECT count(*) FROM {table}")).scalar()


async def test_rows_go_with_their_data(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        kept, shared, lone, attributes = (
            properties_data.insert(connection, {"n": n}) for n in range(4)
        )
        one = build.stored(
            connection, stack, "a", properties_data_id=kept, attributes_data_id=attributes
        )
        two = build.stored(connection, stack, "b", properties_data_id=shared)
        three = build.stored(connection, stack, "c", properties_data_id=shared)
        four = build.stored(connection, stack, "d", properties_data_id=lone)
        event = EventRecord(
            uuid=build.uuid(),
            stack_id=stack.id,
            resource_action="CREATE",
            resource_status="COMPLETE",
            resource_name="a",
            physical_resource_id=None,
            resource_status_reason="",
            resource_type=None,
            properties_data_id=kept,
        )
        events.insert_many(connection, [event])
        for row in (one, three):
            resource_data.set_many(connection, row.id, {"k": "v"})
        gone = resource_removal.delete_rows(connection, [four.id, one.id, two.id, 10**6])
        left = properties_data.fetch_many(connection, [kept, shared, lone, attributes])
        return gone, set(left) == {kept, shared}, resources.fetch_by_stack(connection, stack.id)

    gone, left, rows = await database.transaction(work)
    assert (gone, left, [row.name for row in rows]) == (3, True, ["c"])
    assert await database.read(lambda connection: count(connection, "resource_data")) == 1
    assert await database.transaction(lambda c: resource_removal.delete_rows(c, [])) == 0


async def test_a_held_row_is_not_deleted(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        held = build.stored(connection, stack, "a", engine_id="me")
        free = build.stored(connection, stack, "b")
        return [resource_removal.delete_free_row(connection, row.id) for row in (held, free, free)]

    assert await database.transaction(work) == [False, True, False]


async def test_all_rows_of_a_stack(database, build) -> None:
    def work(connection):
        stack, other = build.stack(connection), build.stack(connection, "other")
        for name in "ab":
            build.stored(connection, stack, name)
        build.stored(connection, other)
        return resource_removal.delete_by_stack(connection, stack.id), count(connection, "resource")

    assert await database.transaction(work) == (2, 1)
