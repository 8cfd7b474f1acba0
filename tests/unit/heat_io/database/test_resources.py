"""The table `resource` and the lock of its rows, on every database."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from heat_core.stack.states import Action, Status
from heat_io.database import (
    Database,
    counting,
    properties_data,
    resource_data,
    resource_removal,
    resources,
    stacks,
)

ME, OTHER, DEAD = "e1", "e2", "dead"


async def test_many_rows_are_one_statement_and_ids_come_back_by_uuid(
    database: Database, build
) -> None:
    stack = await database.transaction(lambda connection: build.stack(connection))
    records = [build.resource(stack, f"r{number}") for number in range(50)]
    with counting(database.executor.engines) as counter:
        ids = await database.transaction(
            lambda connection: resources.insert_many(connection, records)
        )
    # SQLite is asked for the highest id first.
    looks = 2 if database.executor.engines[0].dialect.name == "sqlite" else 1
    assert counter.by_verb.total() == 1 + looks
    assert counter.by_verb["INSERT resource"] == 1
    assert counter.rows == 50 + looks
    found = await database.read(lambda connection: resources.fetch_by_stack(connection, stack.id))
    assert [record.id for record in found] == sorted(ids.values())
    assert {record.uuid: record.id for record in found} == ids
    assert [replace(record, created_at=None) for record in found] == [
        replace(record, id=ids[record.uuid]) for record in records
    ]


async def test_a_new_row_is_as_heat_writes_it(database: Database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        build.stored(connection, stack, requires=(1, 3, 2))
        query = text(
            "SELECT action, status, status_reason, rsrc_metadata, properties_data, requires,"
            " needed_by, atomic_key, engine_id, replaces, properties_data_encrypted"
            " FROM resource"
        )
        return tuple(connection.execute(query).one())

    assert await database.transaction(work) == (
        *("INIT", "COMPLETE", "", "null", "null", "[3, 2, 1]", "[]"),
        *(None, None, None, None),
    )


async def test_a_state_write_takes_and_frees_the_lock(database: Database, build) -> None:
    def work(connection):
        row = build.stored(connection, build.stack(connection))

        def write(expected, key, values, **options):
            return resources.update_if(
                connection, row.id, engine_id=expected, atomic_key=key, values=values, **options
            )

        taken = write(None, None, {"action": Action.CREATE, "engine_id": ME})
        again = write(None, None, {"action": Action.CREATE, "engine_id": OTHER})
        stale = write(ME, None, {"engine_id": None})
        held = resources.fetch(connection, row.id)
        freed = write(ME, 1, {"engine_id": None, "status": Status.FAILED})
        quiet = write(None, 2, {"metadata": {"a": 1}}, bump=False)
        return taken, again, stale, held, freed, quiet, resources.fetch(connection, row.id)

    taken, again, stale, held, freed, quiet, row = await database.transaction(work)
    assert (taken, again, stale, freed, quiet) == (True, False, False, True, True)
    assert (held.engine_id, held.atomic_key, held.action) == (ME, 1, Action.CREATE)
    assert (row.engine_id, row.atomic_key, row.status) == (None, 2, Status.FAILED)
    assert row.metadata == {"a": 1}


async def test_a_write_for_a_traversal_needs_it(database: Database, build) -> None:
    def work(connection):
        stack = build.stack(connection, current_traversal="one")
        row = build.stored(connection, stack)

        def stored(traversal, key):
            return resources.update_if(
                connection,
                row.id,
                engine_id=None,
                atomic_key=key,
                values={"status_reason": "written"},
                in_traversal=(stack.id, traversal),
            )

        first = stored("one", None), stored("one", None), stored("two", 1)
        stacks.soft_delete(connection, stack.id)
        return first, stored("one", 1), resources.fetch(connection, row.id).atomic_key

    assert await database.transaction(work) == ((True, False, False), False, 1)


async def test_the_physical_id_needs_the_lock_and_bumps_nothing(database: Database, build) -> None:
    def work(connection):
        row = build.stored(connection, build.stack(connection), engine_id=ME, atomic_key=4)
        wrong = resources.set_physical_id(connection, row.id, OTHER, "x")
        right = resources.set_physical_id(connection, row.id, ME, "phys")
        return wrong, right, resources.fetch(connection, row.id)

    wrong, right, row = await database.transaction(work)
    assert (wrong, right) == (False, True)
    assert (row.physical_id, row.atomic_key, row.engine_id) == ("phys", 4, ME)


async def test_a_row_is_taken_over_from_the_dead_only(database: Database, build) -> None:
    def work(connection):
        row = build.stored(
            connection,
            build.stack(connection),
            engine_id=DEAD,
            atomic_key=3,
            status=Status.IN_PROGRESS,
        )
        results = [
            resources.take_over(connection, row.id, dead, key, ME)
            for dead, key in ((OTHER, 3), (DEAD, 2), (DEAD, 3), (DEAD, 3))
        ]
        return results, resources.fetch(connection, row.id)

    results, row = await database.transaction(work)
    assert results == [False, False, True, False]
    assert (row.engine_id, row.atomic_key, row.status) == (ME, 4, Status.IN_PROGRESS)


async def test_a_replacement_points_both_ways(database: Database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        old = build.stored(connection, stack, atomic_key=2)
        fresh = build.resource(stack, replaces=old.id)
        lost = resources.insert_replacement(connection, fresh, replaced=old.id, atomic_key=1)
        made = resources.insert_replacement(connection, fresh, replaced=old.id, atomic_key=2)
        return old, lost, made, resources.fetch_by_name(connection, stack.id, "a")

    old, lost, made, rows = await database.transaction(work)
    assert lost is None
    assert [row.id for row in rows] == [old.id, made]
    assert (rows[0].replaced_by, rows[0].atomic_key) == (made, 3)
    assert rows[1].replaces == old.id


async def test_a_replacement_needs_its_template(database: Database, backend: str, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        old = build.stored(connection, stack)
        fresh = build.resource(stack, replaces=old.id, current_template_id=10**6)
        return resources.insert_replacement(connection, fresh, replaced=old.id, atomic_key=None)

    if backend == "sqlite":
        # Heat leaves foreign keys off on SQLite, and so does heat-trio.
        assert await database.transaction(work) is not None
        return
    with pytest.raises(IntegrityError):
        await database.transaction(work)
    query = text("SELECT count(*) FROM resource")
    assert await database.read(lambda connection: connection.execute(query).scalar()) == 0


async def test_what_belongs_to_rows_costs_one_statement_each(database: Database, build) -> None:
    def prepare(connection):
        stack = build.stack(connection)
        for number in range(5):
            row = build.stored(
                connection,
                stack,
                f"r{number}",
                properties_data_id=properties_data.insert(connection, {"n": number}),
                attributes_data_id=properties_data.insert(connection, {"a": number}),
            )
            resource_data.set_many(connection, row.id, {"k": str(number)})
        return stack

    stack = await database.transaction(prepare)
    with counting(database.executor.engines) as counter:
        rows = await database.read(
            lambda connection: resources.fetch_by_stack(
                connection, stack.id, with_properties=True, with_data=True, with_attributes=True
            )
        )
    assert counter.statements == 4
    assert [row.properties for row in rows] == [{"n": number} for number in range(5)]
    assert [row.attributes for row in rows] == [{"a": number} for number in range(5)]
    assert [row.data for row in rows] == [{"k": str(number)} for number in range(5)]
    plain = await database.read(lambda connection: resources.fetch(connection, rows[0].id))
    assert (plain.properties, plain.attributes, plain.data) == (None, None, {})


async def test_properties_of_old_releases_are_read(database: Database, build) -> None:
    def work(connection):
        row = build.stored(connection, build.stack(connection))
        connection.execute(
            text("UPDATE resource SET properties_data = :data"), {"data": '{"old": 1}'}
        )
        return resources.fetch(connection, row.id, with_properties=True)

    assert (await database.transaction(work)).properties == {"old": 1}


async def test_attributes_are_cached_on_a_free_unchanged_row(database: Database, build) -> None:
    def work(connection):
        row = build.stored(connection, build.stack(connection), atomic_key=None)
        first, second = (properties_data.insert(connection, {"a": n}) for n in (1, 2))
        results = [
            resources.set_attributes(connection, row.id, key, data_id)
            for key, data_id in ((7, first), (None, first), (1, second), (1, first))
        ]
        return results, first, resources.fetch(connection, row.id)

    results, first, row = await database.transaction(work)
    assert results == [False, True, False, True]
    assert (row.attributes_data_id, row.atomic_key) == (first, 2)


async def test_holders_and_stacks_under_a_root(database: Database, build) -> None:
    def work(connection):
        root = build.stack(connection)
        child = build.stack(connection, "child", owner_id=root.id)
        a = build.stored(connection, root, "a", engine_id=ME, atomic_key=3)
        b = build.stored(connection, root, "b", engine_id=ME, atomic_key=None)
        build.stored(connection, root, "c")
        build.stored(connection, child, "d", root_stack_id=root.id)
        return (
            resources.held_rows(connection, root.id),
            {(a.id, ME, 3), (b.id, ME, None)},
            resources.stacks_under(connection, root.id),
            {root.id, child.id},
        )

    held, expected_rows, under, expected = await database.transaction(work)
    assert held == expected_rows
    assert under == expected


async def test_rows_are_found_by_id_name_and_physical_id(database: Database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        one = build.stored(connection, stack, "a", physical_id="p")
        two = build.stored(connection, stack, "a")
        return (
            one,
            two,
            list(resources.fetch_many(connection, [two.id, one.id, 10**6])),
            [row.id for row in resources.fetch_by_name(connection, stack.id, "a")],
            [row.id for row in resources.fetch_by_physical_id(connection, "p")],
            resources.fetch(connection, 10**6),
            resources.update(connection, two.id, {"replaces": one.id}),
            resources.update(connection, 10**6, {"replaces": one.id}),
        )

    one, two, many, named, physical, missing, updated, nothing = await database.transaction(work)
    assert many == named == [one.id, two.id]
    assert physical == [one.id]
    assert (missing, updated, nothing) == (None, True, False)


async def test_the_id_of_a_removed_row_is_not_given_again(database: Database, build) -> None:
    # SQLite would; a graph that is stored goes on to mean the removed row by it.
    def work(connection):
        root = build.stack(connection)
        first = build.stored(connection, root, "a")
        last = build.stored(connection, root, "b")
        resource_removal.delete_rows(connection, [last.id])
        again = build.stored(connection, root, "b")
        return first.id, last.id, again.id

    first, last, again = await database.transaction(work)
    assert first < last < again
