"""What is only added is gathered over a transaction, in order, and stored at its end."""

from __future__ import annotations

import uuid

import pytest

from heat_core.stack.ids import StackId
from heat_core.stack.records import EventRecord
from heat_io.database import Database, counting, events, resource_data
from heat_io.database.appends import append, gathering


def event_of(stack_id: StackId, name: str) -> EventRecord:
    return EventRecord(
        uuid=str(uuid.uuid4()),
        stack_id=stack_id,
        resource_action="CREATE",
        resource_status="COMPLETE",
        resource_name=name,
        physical_resource_id=None,
        resource_status_reason="",
        resource_type="T",
    )


async def test_events_and_data_of_many_are_two_inserts(database: Database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        return stack, [build.stored(connection, stack, f"r{number}") for number in range(3)]

    stack, rows = await database.transaction(work)

    def added(connection):
        with gathering(connection):
            for row in rows:
                resource_data.set_many(connection, row.id, {"k": row.name, "l": "1"}, redact={"l"})
                events.insert_many(connection, [event_of(stack.id, row.name)])
            resource_data.set_many(connection, rows[0].id, {"k": "last"})
            assert events.list_for_stack(connection, stack.id) == []

    with counting(database.executor.engines) as counter:
        await database.transaction(added)
    assert counter.by_verb["INSERT event"] == counter.by_verb["INSERT resource_data"] == 1
    found = await database.read(
        lambda c: (
            sorted((event.id, event.resource_name) for event in events.list_for_stack(c, stack.id)),
            resource_data.fetch_many(c, [row.id for row in rows]),
        )
    )
    assert [name for _, name in found[0]] == ["r0", "r1", "r2"]
    assert found[1] == {
        rows[0].id: {"k": "last", "l": "1"},
        rows[1].id: {"k": "r1", "l": "1"},
        rows[2].id: {"k": "r2", "l": "1"},
    }


async def test_nothing_is_stored_of_what_raised(database: Database) -> None:
    stored = []

    def work(connection) -> None:
        with gathering(connection):
            append(connection, lambda c, rows: stored.extend(rows), [1])
            raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        await database.transaction(work)
    assert stored == []


async def test_without_a_gathering_it_is_stored_at_once(database: Database) -> None:
    stored = []

    def work(connection) -> int:
        append(connection, lambda c, rows: stored.extend(rows), [1, 2])
        return len(stored)

    assert await database.transaction(work) == 2
