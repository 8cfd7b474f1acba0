"""The table `stack` on every database."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest
from sqlalchemy import text

from heat_core.stack.states import Action, Status
from heat_io.database import Database, stacks
from heat_io.database.values import UnknownField


async def test_a_stored_stack_comes_back_whole(database: Database, build) -> None:
    def work(connection):
        record = build.stack(
            connection,
            current_deps={"edges": [[[1, True], None]]},
            timeout=5,
            username="u",
            nested_depth=2,
            parent_resource_name="r",
        )
        return record, stacks.fetch(connection, record.id)

    stored, found = await database.transaction(work)
    assert found.created_at is not None
    assert found == replace(stored, created_at=found.created_at)
    assert isinstance(found.created_at, datetime)
    assert found.status is Status.IN_PROGRESS


async def test_a_stack_without_graph_holds_the_text_null(database: Database, build) -> None:
    await database.transaction(lambda connection: build.stack(connection))
    query = text("SELECT current_deps, disable_rollback, backup, convergence FROM stack")
    row = await database.read(lambda connection: connection.execute(query).one())
    assert tuple(row) == ("null", 1, 0, 1)


async def test_the_graph_is_left_out_on_request(database: Database, build) -> None:
    record = await database.transaction(
        lambda connection: build.stack(connection, current_deps={"edges": []})
    )
    found = await database.read(
        lambda connection: stacks.fetch(connection, record.id, with_deps=False)
    )
    assert found.current_deps is None


async def test_a_write_needs_the_traversal_that_it_expects(database: Database, build) -> None:
    record = await database.transaction(lambda connection: build.stack(connection))

    def update(expected, status):
        return lambda connection: stacks.update_if_traversal(
            connection, record.id, expected, {"status": status, "status_reason": "x"}
        )

    assert not await database.transaction(update("another", Status.FAILED))
    assert not await database.transaction(update(None, Status.FAILED))
    assert await database.transaction(update(record.current_traversal, Status.COMPLETE))
    # The same values again: matched rows count, not changed ones.
    assert await database.transaction(update(record.current_traversal, Status.COMPLETE))
    found = await database.read(lambda connection: stacks.fetch(connection, record.id))
    assert (found.status, found.status_reason) == (Status.COMPLETE, "x")


async def test_no_traversal_is_a_condition_too(database: Database, build) -> None:
    record = await database.transaction(
        lambda connection: build.stack(connection, current_traversal=None)
    )

    def work(connection):
        return [
            stacks.update_if_traversal(connection, record.id, expected, {"timeout": 1})
            for expected in ("t", None)
        ]

    assert await database.transaction(work) == [False, True]


async def test_unknown_fields_are_refused(database: Database, build) -> None:
    def work(connection):
        record = build.stack(connection)
        stacks.update(connection, record.id, {"raw_template": 1})

    with pytest.raises(UnknownField):
        await database.transaction(work)


async def test_a_deleted_stack_is_found_by_id_on_request_only(database: Database, build) -> None:
    def work(connection):
        record = build.stack(connection, "gone")
        first = stacks.soft_delete(connection, record.id)
        second = stacks.soft_delete(connection, record.id)
        return (
            first,
            second,
            stacks.fetch(connection, record.id),
            stacks.fetch(connection, record.id, show_deleted=True),
            stacks.fetch_by_name(connection, "p1", "gone"),
            stacks.update(connection, record.id, {"timeout": 1}),
        )

    first, second, hidden, shown, named, updated = await database.transaction(work)
    assert (first, second, hidden, named, updated) == (True, False, None, None, False)
    assert shown.deleted_at is not None
    assert shown.user_creds_id is None


async def test_a_name_means_the_oldest_stack_that_the_project_sees(
    database: Database, build
) -> None:
    def work(connection):
        first = build.stack(connection, "same")
        second = build.stack(connection, "same")
        foreign = build.stack(connection, "other", tenant="p2", stack_user_project_id="p1")
        return (
            stacks.fetch_by_name(connection, "p1", "same").id == first.id,
            stacks.fetch_by_name(connection, "p1", "other").id == foreign.id,
            stacks.fetch_by_name(connection, "p3", "same"),
            stacks.is_earliest_of_its_name(connection, first),
            stacks.is_earliest_of_its_name(connection, second),
        )

    assert await database.transaction(work) == (True, True, None, True, False)


async def test_children_are_the_live_ones_without_backups(database: Database, build) -> None:
    def work(connection):
        parent = build.stack(connection, "p")
        child = build.stack(connection, "c", owner_id=parent.id)
        build.stack(connection, "c*", owner_id=parent.id, backup=True)
        gone = build.stack(connection, "g", owner_id=parent.id)
        stacks.soft_delete(connection, gone.id)
        again = stacks.fetch_by_name_and_owner(connection, "p1", "c", parent.id)
        return [found.id for found in stacks.children(connection, parent.id)], child.id, again.id

    children, child, again = await database.transaction(work)
    assert children == [child]
    assert again == child


async def test_states_of_many_stacks_come_by_one_query(database: Database, build) -> None:
    def work(connection):
        one = build.stack(connection, "1")
        two = build.stack(connection, "2", action=Action.DELETE, status=Status.FAILED)
        return one, two, stacks.states(connection, [one.id, two.id, "unknown"])

    one, two, states = await database.transaction(work)
    assert states == {
        one.id: (Action.CREATE, Status.IN_PROGRESS, "Stack CREATE started"),
        two.id: (Action.DELETE, Status.FAILED, "Stack CREATE started"),
    }


async def test_many_stacks_by_id(database: Database, build) -> None:
    def work(connection):
        one, two = build.stack(connection, "1"), build.stack(connection, "2")
        stacks.soft_delete(connection, two.id)
        return one, two, stacks.fetch_many(connection, [one.id, two.id, "unknown"])

    one, two, found = await database.transaction(work)
    assert {key: record.name for key, record in found.items()} == {one.id: "1", two.id: "2"}


async def test_a_reason_fits_its_column(database: Database, backend: str, build) -> None:
    reason = "é" * 40_000

    def work(connection):
        record = build.stack(connection, status_reason=reason)
        return stacks.fetch(connection, record.id).status_reason

    found = await database.transaction(work)
    assert found == ("é" * 32_767 if backend == "mariadb" else reason)
