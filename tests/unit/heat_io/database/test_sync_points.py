"""Sync points, on every database."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import text

from heat_core.stack.records import SyncPointRecord
from heat_io.database import counting, sync_points


def point(stack, entity: object, is_update: bool = True, **fields) -> SyncPointRecord:
    return SyncPointRecord(
        entity_id=str(entity),
        traversal_id=stack.current_traversal,
        is_update=is_update,
        stack_id=stack.id,
        **fields,
    )


async def test_many_are_one_statement_and_come_back(database, build) -> None:
    stack = await database.transaction(lambda connection: build.stack(connection))
    points = [point(stack, n, flag) for n in (1, 2, 10) for flag in (False, True)]
    points.append(point(stack, stack.id, extra_data={"ours": 1}))
    with counting(database.executor.engines) as counter:
        await database.transaction(lambda c: sync_points.insert_many(c, points))
    assert counter.by_verb == {"INSERT sync_point": 1}
    found = await database.read(
        lambda c: sync_points.fetch_for_traversal(c, stack.id, stack.current_traversal)
    )
    assert {(p.entity_id, p.is_update): p for p in found} == {
        (p.entity_id, p.is_update): p for p in points
    }
    query = text("SELECT input_data, extra_data, atomic_key FROM sync_point WHERE entity_id = '1'")
    row = await database.read(lambda connection: connection.execute(query).first())
    assert tuple(row) == ("{}", "null", 0)
    await database.transaction(lambda connection: sync_points.insert_many(connection, []))


async def test_a_merge_needs_the_key_it_read(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        sync_points.insert_many(connection, [point(stack, 7), point(stack, 7, False)])
        key = ("7", stack.current_traversal, True)
        data = {"tuple:(3, True, 'resource')": {"id": 3}}
        results = [
            sync_points.update_if(connection, *key, atomic_key=0, input_data=data),
            sync_points.update_if(connection, *key, atomic_key=0, input_data={}),
            sync_points.update_if(connection, *key, atomic_key=1, extra_data={"x": 1}),
        ]
        return (
            results,
            data,
            sync_points.fetch(connection, *key),
            sync_points.fetch(connection, "7", stack.current_traversal, False),
        )

    results, data, found, other = await database.transaction(work)
    assert results == [True, False, True]
    assert (found.atomic_key, found.input_data, found.extra_data) == (2, data, {"x": 1})
    assert other == replace(found, is_update=False, atomic_key=0, input_data={}, extra_data=None)


async def test_what_was_deleted_does_not_come_back(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        sync_points.insert_many(connection, [point(stack, 1), point(stack, 2)])
        key = ("1", stack.current_traversal, True)
        counts = [
            sync_points.delete_for_traversal(connection, stack.id, traversal)
            for traversal in ("another", stack.current_traversal)
        ]
        return (
            counts,
            sync_points.update_if(connection, *key, atomic_key=0, input_data={}),
            sync_points.fetch(connection, *key),
        )

    assert await database.transaction(work) == ([0, 2], False, None)


async def test_a_stacks_go_whatever_their_traversal(database, build) -> None:
    def work(connection):
        stack, other = build.stack(connection), build.stack(connection)
        sync_points.insert_many(connection, [point(stack, 1), point(other, 2)])
        return sync_points.delete_for_stack(connection, stack.id), [
            len(sync_points.fetch_for_traversal(connection, one.id, one.current_traversal))
            for one in (stack, other)
        ]

    assert await database.transaction(work) == (1, [0, 1])
