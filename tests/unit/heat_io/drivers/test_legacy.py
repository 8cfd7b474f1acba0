"""Stacks of the legacy engine, with rows as Heat's leaves them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from site_of_tests import (
    CONTEXT,
    MINE,
    OTHER,
    AllAlive,
    Faults,
    Running,
    Site,
    a_test_resource,
    an_engine,
)
from sqlalchemy import select
from trio.testing import MockClock

from heat_core.errors import (
    ActionInProgress,
    ActionNotComplete,
    NotFound,
    NotSupported,
    StopActionFailed,
)
from heat_core.stack.ids import EngineId, StackId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Fault, stack_locks, stacks
from heat_io.database.schema import raw_template
from heat_io.messaging import LISTENER_TOPIC, Delivery

CHAIN = {
    "a": a_test_resource(value="1"),
    "b": {**a_test_resource(value="2"), "depends_on": ["a"]},
}


def legacy(site: Site, resources: Any = None, **fields: Any) -> StackRecord:
    """A complete stack of the legacy engine with its rows."""
    names = CHAIN if resources is None else resources
    values = {
        "action": Action.CREATE,
        "status": Status.COMPLETE,
        "convergence": False,
        "current_traversal": None,
        "raw_template_id": site.template(names),
    }
    stack = site.stack(**values | fields)
    for name in names:
        site.row(
            stack, name, current_template_id=None, requires=(), atomic_key=None, physical_id=name
        )
    return stack


@asynccontextmanager
async def listening(running: Running, stop: Callable[[], None]) -> AsyncIterator[list[Any]]:
    """OTHER, which is told to stop."""
    told: list[Any] = []

    async def stop_stack(delivery: Delivery) -> None:
        told.append(dict(delivery.arguments))
        await trio.lowlevel.checkpoint()
        stop()

    async with trio.open_nursery() as nursery:
        handlers = {"stop_stack": stop_stack}
        await nursery.start(running.bus.serve, LISTENER_TOPIC, OTHER, "1.0", handlers)
        yield told
        nursery.cancel_scope.cancel()


def lock(site: Site, stack: StackRecord, engine_id: EngineId = OTHER) -> None:
    assert (
        site.write(lambda connection: stack_locks.acquire(connection, stack.id, engine_id)) is None
    )


def holder(site: Site, stack: StackRecord) -> EngineId | None:
    return site.read(lambda connection: stack_locks.holder(connection, stack.id))


async def deleted(running: Running, stack: StackRecord) -> StackRecord:
    await running.begin(stack, Action.DELETE)
    return await running.ended(stack)


# --- deleting ----------------------------------------------------------------------------------


async def test_a_delete_is_like_any_other(site: Site, autojump_clock: MockClock) -> None:
    stack = legacy(site)
    async with an_engine(site) as running:
        ended = await deleted(running, stack)
    assert (ended.action, ended.status, ended.convergence) == (
        Action.DELETE,
        Status.COMPLETE,
        True,
    )
    assert site.rows(stack) == []
    done = [
        event.resource_name
        for event in site.events(stack)
        if event.resource_status == "COMPLETE" and event.resource_type != "OS::Heat::Stack"
    ]
    assert done == ["b", "a"], "in the order that the template says"


async def test_the_backup_of_an_interrupted_update_goes_with_it(
    site: Site, autojump_clock: MockClock
) -> None:
    before = site.template(CHAIN)
    stack = legacy(site, status=Status.FAILED, prev_raw_template_id=before)
    backup = legacy(site, name="st*", owner_id=stack.id, backup=True)
    child = legacy(site, {}, name="below", owner_id=backup.id)
    async with an_engine(site) as running:
        ended = await deleted(running, stack)
    assert ended.status is Status.COMPLETE
    assert site.rows(stack) == site.rows(backup) == []
    physical = {event.physical_resource_id for event in site.events(stack)}
    assert {"a", "b"} <= physical
    found = site.read(
        lambda connection: stacks.fetch_many(connection, [stack.id, backup.id, child.id])
    )
    assert found[backup.id].deleted_at is not None
    assert found[child.id].owner_id == stack.id
    left = site.read(
        lambda connection: connection.execute(select(raw_template.c.id)).scalars().all()
    )
    assert before not in left


async def test_a_template_that_cannot_be_read_keeps_nothing(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = legacy(site, {"a": a_test_resource(), "b": {"type": "OS::No::Such", "depends_on": "x"}})
    async with an_engine(site) as running:
        await running.begin(stack, Action.DELETE)
        await trio.sleep(60)
    found = site.stored_stack(stack)
    assert (found.action, found.convergence) == (Action.DELETE, True)


async def test_whoever_has_the_lock_is_told_to_stop(site: Site, autojump_clock: MockClock) -> None:
    stack = legacy(site, status=Status.IN_PROGRESS)
    lock(site, stack)
    async with (
        an_engine(site, liveness=AllAlive()) as running,
        listening(running, lambda: None) as told,
    ):
        ended = await deleted(running, stack)
    assert ended.status is Status.COMPLETE
    (arguments,) = told
    assert arguments["stack_identity"]["stack_id"] == stack.id
    assert holder(site, stack) is None


async def test_the_lock_of_the_dead_counts_for_nothing(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = legacy(site, status=Status.IN_PROGRESS)
    lock(site, stack)
    async with an_engine(site) as running:
        assert (await deleted(running, stack)).status is Status.COMPLETE
    assert holder(site, stack) is None


async def test_an_engine_that_does_not_stop_keeps_the_stack(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = legacy(site, status=Status.IN_PROGRESS)
    lock(site, stack)
    async with an_engine(site, liveness=AllAlive()) as running:
        with pytest.raises(StopActionFailed, match=OTHER):
            await running.begin(stack, Action.DELETE)
    assert not site.stored_stack(stack).convergence
    assert holder(site, stack) == OTHER


async def test_a_lock_that_a_third_engine_takes_meanwhile(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = legacy(site, status=Status.IN_PROGRESS)
    lock(site, stack)

    def change_hands() -> None:
        def unit(connection: Any) -> None:
            stack_locks.steal(connection, stack.id, OTHER, EngineId("third"))

        site.write(unit)

    async with (
        an_engine(site, liveness=AllAlive()) as running,
        listening(running, change_hands),
    ):
        with pytest.raises(StopActionFailed):
            await running.begin(stack, Action.DELETE)
    assert holder(site, stack) == "third"
    assert not site.stored_stack(stack).convergence


@pytest.mark.parametrize("fault", [Fault.LOST_AFTER_COMMIT, Fault.LOST])
async def test_a_lost_commit_is_settled(
    site: Site, faults: Faults, autojump_clock: MockClock, fault: Fault
) -> None:
    stack = legacy(site)
    async with an_engine(site, faults=faults) as running:
        faults.at_commit(fault)
        assert (await deleted(running, stack)).status is Status.COMPLETE
    assert faults.left == 0


# --- everything else ---------------------------------------------------------------------------


@pytest.mark.parametrize("action", [Action.UPDATE, Action.CHECK, Action.ROLLBACK])
async def test_other_actions_say_what_to_do(
    site: Site, autojump_clock: MockClock, action: Action
) -> None:
    stack = legacy(site)
    async with an_engine(site) as running:
        with pytest.raises(NotSupported) as raised:
            await running.begin(stack, action)
    assert str(raised.value) == (
        f"{action} of stack st, which was made without convergence, before"
        f" 'heat-manage migrate_convergence_1 {stack.id}' is not supported."
    )
    assert site.stored_stack(stack).action is Action.CREATE


async def test_what_the_legacy_engine_does_is_not_stopped(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = legacy(site, status=Status.IN_PROGRESS)
    async with an_engine(site) as running:
        with pytest.raises(NotSupported, match="To stop the CREATE of stack st"):
            await running.engine.operations.stop(CONTEXT, stack.id)
        await trio.sleep(60)
    assert site.stored_stack(stack).status is Status.IN_PROGRESS


# --- migrating ---------------------------------------------------------------------------------


async def test_a_tree_is_migrated_as_heat_does(site: Site, autojump_clock: MockClock) -> None:
    before = site.template()
    root = legacy(site, prev_raw_template_id=before)
    below = legacy(site, name="below", owner_id=root.id)
    other = site.stack(CHAIN, name="other", owner_id=root.id, status=Status.COMPLETE)
    stranger = site.row(root, "stranger", current_template_id=None)
    async with an_engine(site) as running:
        await running.engine.operations.migrate(root.id)
        await running.engine.operations.migrate(root.id)  # nothing is left to do
    for stack in (root, below):
        found = site.stored_stack(stack)
        assert (found.action, found.status) == (Action.CREATE, Status.COMPLETE)
        assert found.convergence
        assert found.current_traversal
        assert found.prev_raw_template_id is None
        rows = {row.name: row for row in site.rows(stack)}
        assert set(rows) == {"a", "b"}
        assert rows["b"].requires == (rows["a"].id,)
        assert rows["a"].requires == ()
        assert {row.current_template_id for row in rows.values()} == {stack.raw_template_id}
        assert {row.atomic_key for row in rows.values()} == {None}
    assert site.stored(stranger) is None
    assert site.stored_stack(other).current_traversal == other.current_traversal
    assert holder(site, root) is None
    async with an_engine(site) as running:
        await running.begin(root, Action.CHECK)
        assert (await running.ended(root)).status is Status.COMPLETE


@pytest.mark.parametrize(
    ("fields", "nested", "error", "text"),
    [
        ({"status": Status.FAILED}, {}, ActionNotComplete, "in progress or failed state"),
        ({}, {"status": Status.IN_PROGRESS}, ActionNotComplete, "Stack below has an action"),
        ({"owner_id": StackId("x")}, {}, NotSupported, "Migration of nested stack"),
    ],
)
async def test_only_whole_trees_at_rest(
    site: Site,
    autojump_clock: MockClock,
    fields: Mapping[str, Any],
    nested: Mapping[str, Any],
    error: type[Exception],
    text: str,
) -> None:
    root = legacy(site, **fields)
    legacy(site, name="below", owner_id=root.id, **nested)
    async with an_engine(site) as running:
        with pytest.raises(error, match=text):
            await running.engine.operations.migrate(root.id)
    assert not site.stored_stack(root).convergence


async def test_a_stack_that_is_being_worked_on_or_gone(
    site: Site, autojump_clock: MockClock
) -> None:
    root = legacy(site)
    below = legacy(site, name="below", owner_id=root.id)
    lock(site, below)
    async with an_engine(site) as running:
        with pytest.raises(ActionInProgress, match="Stack below already has an action"):
            await running.engine.operations.migrate(root.id)
        with pytest.raises(NotFound, match='No stack exists with id "gone"'):
            await running.engine.operations.migrate(StackId("gone"))
    assert not site.stored_stack(root).convergence
    assert holder(site, root) is None
    assert holder(site, below) == OTHER != MINE


async def test_a_lost_commit_of_a_migration_is_settled(
    site: Site, faults: Faults, autojump_clock: MockClock
) -> None:
    root = legacy(site)
    async with an_engine(site, faults=faults) as running:
        faults.at_commit(Fault.LOST_AFTER_COMMIT)
        await running.engine.operations.migrate(root.id)
    assert site.stored_stack(root).convergence
