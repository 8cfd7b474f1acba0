"""The sweeper: what a stack is owed, it gives, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import Any
from uuid import UUID

import pytest
import trio
import trio.testing
from site_of_tests import MINE, OTHER, AllAlive, Site, a_test_resource, an_engine
from site_of_tests import NOW as SITE_NOW

from heat_core.convergence import Node, SwitchTraversal, TemplateChange
from heat_core.errors import AuthorizationFailure
from heat_core.rpc import RequestContext
from heat_core.stack import (
    Action,
    EngineId,
    StackId,
    StackRecord,
    Status,
    TraversalId,
)
from heat_io.database import (
    Ambient,
    Database,
    InlineExecutor,
    memory_engine,
    recovery,
    resources,
    stacks,
    templates,
)
from heat_io.database.schema import metadata
from heat_io.drivers import (
    Engine,
    NoCloud,
    NoStoredCredentials,
    OnlyEngine,
    Surroundings,
    traversal_store,
)
from heat_io.drivers.definitions import build_definition
from heat_io.drivers.sweeper import BEGINNING_SECONDS
from heat_io.drivers.traversal_store import Stamp
from heat_io.messaging import InProcessBus

NOW = datetime(2026, 11, 29)
ME = EngineId("e1")
CUT = StackRecord(
    id=StackId("s"),
    name="st1",
    tenant="PID",
    raw_template_id=0,
    action=Action.CREATE,
    status=Status.IN_PROGRESS,
    current_traversal=TraversalId("not begun"),
)


@dataclass
class Projects(NoStoredCredentials):
    """Makes stacks' projects, or can't."""

    refused: bool = False
    asked: list[tuple[str | None, StackId]] = field(default_factory=list)

    async def create_project(self, context: RequestContext, stack_id: StackId) -> str | None:
        self.asked.append((context.project_id, stack_id))
        if self.refused:
            raise AuthorizationFailure()
        return "project"


@asynccontextmanager
async def _opened(projects: Projects, stack: StackRecord) -> AsyncIterator[tuple[Engine, Database]]:
    """An engine on a database in which somebody has left a stack of no resources."""
    engine = memory_engine(Ambient(now=lambda: NOW, random=lambda: 1.0))
    numbers = count(1)
    with engine.begin() as connection:
        metadata.create_all(connection)
        row = templates.insert(connection, {"heat_template_version": "2018-08-31"}, {})
        stacks.insert(connection, stack.__replace__(raw_template_id=row.id))
    async with Database.over(InlineExecutor(engine)) as database:
        around = Surroundings(
            engine_id=ME,
            database=database,
            bus=InProcessBus(),
            cloud=NoCloud(),
            credentials=projects,
            liveness=OnlyEngine(ME),
            now=lambda: NOW,
            new_uuid=lambda: str(UUID(int=next(numbers))),
            entropy=bytes,
            resume=False,
        )
        async with Engine.open(around) as opened:
            yield opened, database
    engine.dispose()


async def _swept(projects: Projects, stack: StackRecord) -> StackRecord:
    async with _opened(projects, stack) as (engine, database):
        assert await engine.sweeper.sweep() == 1
        await trio.testing.wait_all_tasks_blocked()
        found = await database.read(lambda connection: stacks.fetch(connection, stack.id))
        assert found is not None
        return found


async def test_a_cut_create_gets_the_project_that_it_was_about_to_store() -> None:
    projects = Projects()
    stack = await _swept(projects, CUT)
    assert projects.asked == [("PID", StackId("s"))]
    assert stack.stack_user_project_id == "project"
    assert (stack.action, stack.status) == (Action.CREATE, Status.COMPLETE)


async def test_a_project_that_is_stored_stays() -> None:
    projects = Projects()
    stack = await _swept(projects, CUT.__replace__(stack_user_project_id="stored"))
    assert projects.asked == []
    assert stack.stack_user_project_id == "stored"


async def test_a_stack_completes_without_a_project_when_none_can_be_made() -> None:
    stack = await _swept(Projects(refused=True), CUT)
    assert stack.stack_user_project_id is None
    assert (stack.action, stack.status) == (Action.CREATE, Status.COMPLETE)


# --- what each window of a traversal is owed ---------------------------------------------------


def begun(site: Site, names: Mapping[str, Any], action: Action = Action.UPDATE) -> StackRecord:
    """A stack whose traversal has been stored, by an engine that is gone since."""
    stack = site.stack(names, status=Status.COMPLETE)
    effect = SwitchTraversal(stack, action, TemplateChange.KEEP, None, {})
    stamp = Stamp(SITE_NOW, site.uuid(), TraversalId(site.uuid()))
    moved = site.write(lambda connection: traversal_store.switch(connection, effect, stamp))
    assert moved is not None
    return moved


def prepared(site: Site, names: Mapping[str, Any]) -> StackRecord:
    """The same, its graph stored, nothing cast."""
    stack = begun(site, names)
    record = site.read(lambda connection: templates.fetch(connection, stack.raw_template_id))
    assert record is not None
    definition = build_definition(record, {}, stack.id, stack.name, stack.tenant)
    site.write(lambda c: traversal_store.prepare(c, stack, definition, site.uuid, SITE_NOW))
    return stack


NODE_DATA = {
    "reference_id": "ref",
    "attrs": {},
    "status": "COMPLETE",
    "action": "CREATE",
    "uuid": "u",
}
A = {"a": a_test_resource()}
A_THEN_B = A | {"b": {**a_test_resource(), "depends_on": "a"}}


async def test_a_traversal_that_was_never_prepared(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = begun(site, A_THEN_B)
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 1
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE
    assert sorted(row.name for row in site.rows(stack)) == ["a", "b"]


async def test_leaves_that_were_never_cast(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = prepared(site, A_THEN_B)
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 1
        ended = await running.ended(stack)
        assert running.engine.sweeper.resumed == 1
    assert ended.status is Status.COMPLETE
    assert {row.status for row in site.rows(stack)} == {Status.COMPLETE}


async def test_a_node_that_was_completed_and_never_cast(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = prepared(site, A_THEN_B)
    by_name = {row.name: row for row in site.rows(stack)}
    a, b = Node(by_name["a"].id, True), Node(by_name["b"].id, True)
    done = {"engine_id": None, "action": Action.CREATE, "status": Status.COMPLETE}
    site.write(lambda connection: resources.update(connection, by_name["a"].id, done))
    site.arrived(stack, b, a, {**NODE_DATA, "id": a.id, "name": "a"})
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 1
        await running.ended(stack)
        assert running.casts("check_resource") == []
    stored = site.stored(by_name["b"])
    assert stored is not None
    assert (stored.status, stored.requires) == (Status.COMPLETE, (a.id,))


async def test_roots_that_arrived_and_were_never_counted(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = prepared(site, A)
    (row,) = site.rows(stack)
    site.arrived(stack, None, Node(row.id, True), None)
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 1
        ended = await running.ended(stack)
    assert ended.status_reason == "Stack UPDATE completed successfully"


async def test_an_end_whose_purge_never_began(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = prepared(site, A)
    site.write(lambda c: stacks.update(c, stack.id, {"status": Status.COMPLETE}))
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 1
    assert site.points(stack) == []


async def test_a_failure_whose_rollback_never_began(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = prepared(site, A)
    failed = {"status": Status.FAILED, "disable_rollback": False}
    site.write(lambda connection: stacks.update(connection, stack.id, failed))
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 1
        ended = await running.ended(stack)
    assert (ended.action, ended.status) == (Action.ROLLBACK, Status.COMPLETE)
    assert site.rows(stack) == []


async def test_an_operation_out_of_time(site: Site, autojump_clock: trio.testing.MockClock) -> None:
    stack = prepared(site, A)
    site.write(lambda c: stacks.update(c, stack.id, {"timeout": 1}))
    await trio.sleep(120)
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 1
        ended = await running.ended(stack)
    assert (ended.status, ended.status_reason) == (Status.FAILED, "Timed out")


async def test_a_clean_up_whose_row_is_gone_is_reported(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = site.stack({})
    site.graph(stack, [(Node(77, False), None)])
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 1
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE


async def test_a_dead_engines_lock_on_a_stack_at_rest(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = site.stack(A, status=Status.COMPLETE)
    row = site.row(
        stack, engine_id=OTHER, action=Action.UPDATE, status=Status.IN_PROGRESS, atomic_key=3
    )
    done = site.row(stack, "b", engine_id=OTHER)
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 2
    stored = [site.stored(row), site.stored(done)]
    assert [one and (one.engine_id, one.status, one.status_reason) for one in stored] == [
        (None, Status.FAILED, "Worker went down during resource UPDATE"),
        (None, Status.COMPLETE, "state changed"),
    ]


async def test_our_own_lock_without_a_visit_is_a_left_over_one(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = site.stack(A, status=Status.COMPLETE)
    row = site.row(stack, engine_id=MINE)
    async with an_engine(site) as running:
        assert await running.engine.sweeper.sweep() == 1
    stored = site.stored(row)
    assert stored is not None
    assert stored.engine_id is None


async def test_a_living_engines_lock_is_left_alone(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = site.stack(A, status=Status.COMPLETE)
    row = site.row(stack, engine_id=OTHER)
    site.row(stack, "b", engine_id=OTHER)
    async with an_engine(site, liveness=AllAlive()) as running:
        assert await running.engine.sweeper.sweep() == 0
    assert site.stored(row) == row


# --- patience ----------------------------------------------------------------------------------


async def test_later_sweeps_act_only_on_what_stays_owed(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    async with an_engine(site) as running:
        sweep = running.engine.sweeper.sweep
        assert await sweep() == 0
        stack = prepared(site, A)  # its messages may be on their way
        assert await sweep() == 0  # seen for the first time
        assert await sweep() == 0  # owed for the first time
        assert await sweep() == 1
        await running.ended(stack)
        assert await sweep() == 0


async def test_among_others_the_first_sweep_is_as_patient(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = prepared(site, A)  # another engine may have just sent its messages
    async with an_engine(site, alone=False) as running:
        sweep = running.engine.sweeper.sweep
        assert [await sweep() for _ in range(3)] == [0, 0, 1]
        await running.ended(stack)


async def test_what_heat_may_be_preparing_gets_time(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    # Heat has no mark, and prepares in many steps.
    stack = site.stack(A, action=Action.UPDATE)
    async with an_engine(site, alone=False) as running:
        sweeper = running.engine.sweeper
        for _ in range(3):
            assert await sweeper.sweep() == 0
        await trio.sleep(BEGINNING_SECONDS)
        assert await sweeper.sweep() == 1
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE


@pytest.mark.parametrize("may_abandon", [True, False])
async def test_a_delete_of_heats_goes_on_where_nobody_abandons(
    site: Site, autojump_clock: trio.testing.MockClock, may_abandon: bool
) -> None:
    stack = site.stack({}, action=Action.DELETE)
    site.row(stack, "a", current_template_id=site.template(A))
    async with an_engine(site, may_abandon=may_abandon) as running:
        given = await running.engine.sweeper.sweep()
        if may_abandon:
            assert given == 0
            return
        assert given == 1
        ended = await running.ended(stack)
    assert ended.deleted_at is not None


async def test_a_traversal_that_makes_progress_is_left_alone(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    async with an_engine(site) as running:
        sweep = running.engine.sweeper.sweep
        await sweep()
        stack = prepared(site, A_THEN_B)
        (first, _) = site.rows(stack)
        for key in range(5):
            site.write(lambda c, key=key: resources.update(c, first.id, {"atomic_key": key}))
            assert await sweep() == 0


async def test_a_visit_under_way_is_not_doubled(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = site.stack({"a": a_test_resource(wait_secs=100)}, action=Action.CREATE)
    async with an_engine(site, nodes_in_flight=1) as running:
        await running.engine.sweeper.sweep()
        await running.begin(stack, Action.CREATE)
        await trio.sleep(1)
        for _ in range(5):
            await running.engine.sweeper.sweep()
        assert running.engine.nodes.busy == 1
        await running.ended(stack)
    (row,) = site.rows(stack)
    assert row.atomic_key == 2


async def test_what_waits_for_a_place_is_not_doubled(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = prepared(site, A)
    async with an_engine(site) as running:
        for _ in range(3):
            await running.engine.sweeper.attend(stack.id)
        assert running.engine.nodes.busy == 1
        await running.ended(stack)


async def test_a_stack_that_moved_on_is_owed_nothing_of_the_past(
    site: Site, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = prepared(site, A)
    fetch = recovery.fingerprint

    def moves_on(*arguments: Any) -> Any:
        found = fetch(*arguments)
        monkeypatch.setattr(recovery, "fingerprint", fetch)
        return found

    async with an_engine(site) as running:
        await running.engine.sweeper.sweep()
        await running.ended(stack)
        older = replace(stack, current_traversal=TraversalId("older"))
        monkeypatch.setattr(recovery, "unfinished", lambda connection: [older])
        monkeypatch.setattr(recovery, "fingerprint", moves_on)
        assert await running.engine.sweeper.sweep() == 0
        assert await running.engine.sweeper.sweep() == 0


async def test_attending_to_what_is_gone_or_being_attended_to(
    site: Site, autojump_clock: trio.testing.MockClock
) -> None:
    stack = site.stack(A, status=Status.COMPLETE)
    site.row(stack, engine_id=OTHER)
    async with an_engine(site, liveness=AllAlive()) as running:
        assert await running.engine.sweeper.attend(StackId("gone")) == ()
        await running.begin(stack, Action.DELETE)
        await trio.sleep(1)  # it waits for the other engine to let go of the row
        assert await running.engine.sweeper.attend(stack.id) == ()
        assert await running.engine.sweeper.sweep() == 0


async def test_sweeps_go_on_after_an_error(
    site: Site,
    autojump_clock: trio.testing.MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    stack = prepared(site, A)
    unfinished = recovery.unfinished

    def fails_once(connection: Any) -> Any:
        monkeypatch.setattr(recovery, "unfinished", unfinished)
        raise RuntimeError("bad luck")

    monkeypatch.setattr(recovery, "unfinished", fails_once)
    async with an_engine(site, resume=True, sweep_interval_seconds=5.0) as running:
        ended = await running.ended(stack)
        assert trio.current_time() < 10
    assert ended.status is Status.COMPLETE
    assert "a sweep ended in an unexpected error" in [r.message for r in caplog.records]
