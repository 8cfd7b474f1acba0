"""Updates of many rows by one statement do what as many statements would have done."""

from __future__ import annotations

import pytest

from heat_core.stack.ids import EngineId
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Database,
    HeldId,
    HeldUpdate,
    counting,
    resources,
    set_all_physical_ids,
    update_all_if,
)

ME, OTHER = EngineId("me"), EngineId("other")


async def rows(database: Database, build, count: int, **fields):
    def work(connection):
        stack = build.stack(connection)
        return stack, [
            build.stored(connection, stack, f"r{number}", **fields) for number in range(count)
        ]

    return await database.transaction(work)


def fetched(stack):
    return lambda connection: resources.fetch_by_stack(connection, stack.id)


async def test_each_row_gets_its_own_values_by_one_statement(database: Database, build) -> None:
    stack, found = await rows(database, build, 4)
    updates = [
        HeldUpdate(
            row.id,
            None,
            None,
            {
                "engine_id": ME,
                "action": Action.CREATE,
                "requires": (number, 7),
                "metadata": {"number": number} if number else None,
                "physical_id": None if number == 2 else f"p{number}",
            },
            (stack.id, stack.current_traversal),
        )
        for number, row in enumerate(found)
    ]
    with counting(database.executor.engines) as counter:
        assert await database.transaction(lambda c: update_all_if(c, updates))
    assert counter.statements == 1
    after = await database.read(fetched(stack))
    assert [row.requires for row in after] == [(7, 0), (7, 1), (7, 2), (7, 3)]
    assert [row.metadata for row in after] == [None, {"number": 1}, {"number": 2}, {"number": 3}]
    assert [row.physical_id for row in after] == ["p0", "p1", None, "p3"]
    assert {(row.engine_id, row.action, row.atomic_key) for row in after} == {
        (ME, Action.CREATE, 1)
    }


async def test_rows_in_different_states_are_told_apart(database: Database, build) -> None:
    stack, free = await rows(database, build, 2)
    held = await database.transaction(
        lambda c: [
            build.stored(c, stack, f"h{number}", engine_id=ME, atomic_key=number)
            for number in (3, 3, 4)
        ]
    )
    updates = [
        *(HeldUpdate(row.id, None, None, {"status": Status.FAILED}) for row in free),
        *(HeldUpdate(row.id, ME, row.atomic_key, {"engine_id": None}) for row in held),
        HeldUpdate(held[0].id, None, 4, {"status_reason": "afterwards"}, bump=False),
    ]
    with counting(database.executor.engines) as counter:
        assert await database.transaction(lambda c: update_all_if(c, updates))
    assert counter.statements == 4
    after = await database.read(fetched(stack))
    assert [(row.status, row.atomic_key) for row in after[:2]] == [(Status.FAILED, 1)] * 2
    assert [(row.engine_id, row.atomic_key) for row in after[2:]] == [
        (None, 4),
        (None, 4),
        (None, 5),
    ]
    assert [row.status_reason for row in after[2:]].count("afterwards") == 1


@pytest.mark.parametrize("what", ["engine", "key", "traversal", "gone"])
async def test_one_that_is_not_as_expected_fails_all(database: Database, build, what: str) -> None:
    stack, found = await rows(database, build, 3)
    bad = found[1]
    updates = [
        HeldUpdate(
            bad.id + 1000 if what == "gone" and row is bad else row.id,
            ME if what == "engine" and row is bad else None,
            9 if what == "key" and row is bad else None,
            {"status": Status.FAILED},
            (stack.id, "another" if what == "traversal" else stack.current_traversal),
        )
        for row in found
    ]
    assert not await database.transaction(lambda c: update_all_if(c, updates))


async def test_physical_ids_are_stored_by_one_statement_without_a_bump(
    database: Database, build
) -> None:
    stack, found = await rows(database, build, 3, engine_id=ME, atomic_key=2)
    ids = [HeldId(row.id, ME, f"id-{row.name}") for row in found]
    with counting(database.executor.engines) as counter:
        assert await database.transaction(lambda c: set_all_physical_ids(c, ids))
    assert counter.statements == 1
    after = await database.read(fetched(stack))
    assert [(row.physical_id, row.atomic_key) for row in after] == [
        ("id-r0", 2),
        ("id-r1", 2),
        ("id-r2", 2),
    ]
    stolen = [HeldId(found[0].id, ME, "x"), HeldId(found[1].id, OTHER, "x")]
    assert not await database.transaction(lambda c: set_all_physical_ids(c, stolen))
    await database.transaction(lambda c: resources.update(c, found[2].id, {"engine_id": OTHER}))
    assert not await database.transaction(lambda c: set_all_physical_ids(c, ids))
