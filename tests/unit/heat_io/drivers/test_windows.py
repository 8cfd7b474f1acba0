"""The windows of resume: an engine dies exactly between two steps, and another one goes on.

Each test lets the production drivers run on a database and a cloud until the one moment is there,
kills them (nothing that the dead engine would still do has an effect, its messages are lost), looks
at what it has left, and starts another engine, which has to end the operation by itself. Where two
steps of Heat are one transaction of ours there is no window: then the engine is killed in the
middle of that transaction, and the state in which Heat's engine would have left the database is
gone on with as well.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
import trio
from site_of_tests import (
    MINE,
    NOW,
    OTHER,
    AllAlive,
    Running,
    Site,
    a_test_resource,
    an_engine,
)
from sqlalchemy import Connection
from trio.testing import MockClock

from heat_core.convergence import Node, encode_deps, new_sync_points
from heat_core.graph import Graph
from heat_core.procedure import HttpCall
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Fault, FaultPoint, Killed, stacks, sync_points
from heat_io.database.lanes import LanesClosed
from tests.simulation.cloud import FakeCloud

PROJECT = {"type": "OS::Keystone::Project", "properties": {}}
ONE = {"a": PROJECT}
CHAIN = {"a": PROJECT, "b": {**PROJECT, "depends_on": "a"}}
IN_PROGRESS = Status.IN_PROGRESS


class Death:
    """The end of one engine: at the first commit after which `moment` holds, or when told to.

    With `before_commit` it dies in the middle of its transaction of that number (from 0) instead,
    and nothing of it is applied.
    """

    def __init__(
        self, moment: Callable[[], bool] = lambda: False, *, before_commit: int | None = None
    ) -> None:
        self._moment = moment
        self._before_commit = before_commit
        self._commits = count()
        self.has_come = False

    def come(self) -> None:
        self.has_come = True
        raise Killed

    def __call__(self, point: FaultPoint, begin: bool) -> Fault | None:
        """What a transaction meets, as a FaultHook."""
        if point is FaultPoint.AT_COMMIT and next(self._commits) == self._before_commit:
            self.has_come = True
        return Fault.KILL if self.has_come else None

    def look(self) -> None:
        """Called after each commit, before anybody goes on."""
        if not self.has_come and self._moment():
            self.come()


@pytest.fixture
def cloud(site: Site) -> FakeCloud:
    """Projects that outlive engines."""
    return FakeCloud(new_id=site.uuid, latency=lambda: 0.1)


async def until_it_dies(
    site: Site, death: Death, cloud: FakeCloud, act: Callable[[Running], Awaitable[None]]
) -> None:
    """Let an engine do something until it is killed."""
    try:
        async with an_engine(
            site, cloud=cloud, faults=death, watch=death.look, engine_id=MINE
        ) as running:
            await act(running)
            with trio.move_on_after(600):
                await trio.sleep_forever()
    except* (Killed, LanesClosed):
        pass
    assert death.has_come, "the engine lives: the moment never came"


async def gone_on_with(site: Site, stack: StackRecord, cloud: FakeCloud) -> StackRecord:
    """The stack, once another engine has ended its operation; nobody holds anything then."""
    async with an_engine(site, cloud=cloud, engine_id=OTHER, resume=True) as running:
        ended = await running.ended(stack)
        await trio.sleep(30)  # what would come late has come
        assert running.engine.busy == 0
    assert site.points(ended) == []
    assert [row.name for row in site.rows(stack) if row.engine_id is not None] == []
    return ended


def begins(stack: StackRecord, action: Action) -> Callable[[Running], Awaitable[None]]:
    async def act(running: Running) -> None:
        await running.begin(stack, action)

    return act


def created(site: Site, names: Mapping[str, Any], **fields: Any) -> StackRecord:
    """The row of a stack that is to be created, as the endpoint inserts it."""
    return site.stack(names, action=Action.CREATE, **fields)


def row_of(site: Site, stack: StackRecord, name: str) -> ResourceRecord:
    (found,) = [row for row in site.rows(stack) if row.name == name]
    return found


def states(site: Site, stack: StackRecord) -> dict[str, tuple[Action, Status]]:
    return {row.name: (row.action, row.status) for row in site.rows(stack)}


def assert_created_once(
    site: Site, stack: StackRecord, cloud: FakeCloud, names: Mapping[str, Any]
) -> None:
    """The stack has exactly one row and one project for each name, and the cloud has no more."""
    ended = site.stored_stack(stack)
    assert (ended.action, ended.status) == (Action.CREATE, Status.COMPLETE)
    assert states(site, stack) == dict.fromkeys(names, (Action.CREATE, Status.COMPLETE))
    assert len(site.rows(stack)) == len(names)
    assert {row.physical_id for row in site.rows(stack)} == set(cloud.projects)
    assert len(cloud.created) == len(names)


@dataclass(frozen=True, slots=True)
class Chain:
    """A stack of two projects, the second of which needs the first, to be created."""

    site: Site
    cloud: FakeCloud
    stack: StackRecord

    async def is_cut(self, death: Death) -> None:
        """An engine creates it until it dies."""
        await until_it_dies(self.site, death, self.cloud, begins(self.stack, Action.CREATE))

    async def is_created_by_another(self) -> None:
        """Another engine goes on, and in the end all is there, once."""
        await gone_on_with(self.site, self.stack, self.cloud)
        assert_created_once(self.site, self.stack, self.cloud, CHAIN)


@pytest.fixture
def chain(site: Site, cloud: FakeCloud) -> Chain:
    return Chain(site, cloud, created(site, CHAIN))


# --- the beginning -----------------------------------------------------------------------------


async def test_row_before_traversal(site: Site, chain: Chain, autojump_clock: MockClock) -> None:
    stack = chain.stack
    await chain.is_cut(Death(before_commit=0))
    assert site.stored_stack(stack).current_traversal == stack.current_traversal
    assert site.points(stack) == []
    await chain.is_created_by_another()


async def test_traversal_before_rows(site: Site, chain: Chain, autojump_clock: MockClock) -> None:
    stack = chain.stack
    begun = Death(lambda: site.stored_stack(stack).current_traversal != stack.current_traversal)
    await chain.is_cut(begun)
    assert site.rows(stack) == []
    assert len(site.points(site.stored_stack(stack))) == 1  # its own, with our mark
    await chain.is_created_by_another()


async def test_rows_before_deps_and_deps_before_sync_points_are_one_transaction(
    site: Site, chain: Chain, autojump_clock: MockClock
) -> None:
    stack = chain.stack
    await chain.is_cut(Death(before_commit=1))
    cut = site.stored_stack(stack)
    assert cut.current_traversal != stack.current_traversal
    assert site.rows(stack) == []
    assert cut.current_deps is None
    assert len(site.points(cut)) == 1
    await chain.is_created_by_another()


def heats_rows(site: Site, stack: StackRecord) -> tuple[ResourceRecord, ResourceRecord]:
    """The rows that Heat inserts for CHAIN, one after the other."""
    made = [
        site.row(
            stack,
            name,
            action=Action.INIT,
            status_reason="",
            physical_id=None,
            atomic_key=0,
        )
        for name in CHAIN
    ]
    return made[0], made[1]


def chain_graph(a: ResourceRecord, b: ResourceRecord) -> Graph[Node]:
    return Graph.from_edges([(Node(b.id, True), Node(a.id, True))])


async def test_rows_before_deps_as_heat_leaves_it(
    site: Site, chain: Chain, autojump_clock: MockClock
) -> None:
    stack = chain.stack
    rows = heats_rows(site, stack)
    await chain.is_created_by_another()
    assert {row.id for row in site.rows(stack)} == {row.id for row in rows}


@pytest.mark.parametrize("points_made", [0, 1, 2])
async def test_deps_before_sync_points_as_heat_leaves_it(
    site: Site, chain: Chain, autojump_clock: MockClock, points_made: int
) -> None:
    # Heat makes a sync point a node, one after the other, and the stack's at last.
    stack = chain.stack
    rows = heats_rows(site, stack)
    graph = chain_graph(*rows)
    traversal = stack.current_traversal
    assert traversal is not None
    points = [
        point
        for point in new_sync_points(stack.id, traversal, graph, None)
        if point.entity_id != stack.id
    ]
    assert len(points) == 2

    def unit(connection: Connection) -> None:
        stacks.update(connection, stack.id, {"current_deps": encode_deps(graph)})
        sync_points.insert_many(connection, points[:points_made])

    site.write(unit)
    await chain.is_created_by_another()
    assert {row.id for row in site.rows(stack)} == {row.id for row in rows}


async def test_sync_points_before_casts(
    site: Site, chain: Chain, autojump_clock: MockClock
) -> None:
    stack = chain.stack
    prepared = Death(lambda: len(site.rows(stack)) == 2)
    await chain.is_cut(prepared)
    cut = site.stored_stack(stack)
    assert len(site.points(cut)) == 3
    assert cut.current_deps is not None
    assert set(states(site, stack).values()) == {(Action.INIT, Status.COMPLETE)}
    await chain.is_created_by_another()


async def test_sync_points_before_casts_as_heat_leaves_it(
    site: Site, chain: Chain, autojump_clock: MockClock
) -> None:
    # Its sync points have no mark of ours.
    stack = chain.stack
    rows = heats_rows(site, stack)
    graph = chain_graph(*rows)
    traversal = stack.current_traversal
    assert traversal is not None
    points = new_sync_points(stack.id, traversal, graph, None)

    def unit(connection: Connection) -> None:
        stacks.update(connection, stack.id, {"current_deps": encode_deps(graph)})
        sync_points.insert_many(connection, list(points))

    site.write(unit)
    await chain.is_created_by_another()
    assert {row.id for row in site.rows(stack)} == {row.id for row in rows}


# --- a node ------------------------------------------------------------------------------------


def in_state(site: Site, stack: StackRecord, name: str, *state: Any) -> Callable[[], bool]:
    """Whether the row is in that action and status, and whether somebody holds it."""

    def holds() -> bool:
        return any(
            (row.action, row.status, row.engine_id is not None) == state
            for row in site.rows(stack)
            if row.name == name
        )

    return holds


async def test_claim_before_request(
    site: Site, chain: Chain, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    stack = chain.stack
    claimed = Death(in_state(site, stack, "a", Action.CREATE, IN_PROGRESS, True))
    await chain.is_cut(claimed)
    assert cloud.projects == {}
    await chain.is_created_by_another()


async def test_answer_before_id(
    site: Site, chain: Chain, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    stack = chain.stack
    answered = Death()

    def dies(when: str, call: HttpCall) -> None:
        if when == "after" and call.method == "POST" and not answered.has_come:
            answered.come()

    cloud.fault = dies
    await chain.is_cut(answered)
    assert len(cloud.projects) == 1
    a = row_of(site, stack, "a")
    assert (a.physical_id, a.engine_id) == (None, MINE)
    await chain.is_created_by_another()


async def test_id_before_outcome(site: Site, chain: Chain, autojump_clock: MockClock) -> None:
    stack = chain.stack

    def stored() -> bool:
        return any(row.physical_id is not None for row in site.rows(stack))

    await chain.is_cut(Death(stored))
    a = row_of(site, stack, "a")
    assert (a.status, a.engine_id) == (IN_PROGRESS, MINE)
    await chain.is_created_by_another()


async def test_step_done_before_propagation(
    site: Site, chain: Chain, autojump_clock: MockClock
) -> None:
    stack = chain.stack
    done = Death(in_state(site, stack, "a", Action.CREATE, Status.COMPLETE, False))
    await chain.is_cut(done)
    b = row_of(site, stack, "b")
    assert site.entries(site.stored_stack(stack), Node(b.id, True)) == {}
    await chain.is_created_by_another()


def arrived_at(site: Site, stack: StackRecord, name: str | None) -> Callable[[], bool]:
    """Whether anything has arrived at the sync point of a row, or of the stack."""

    def holds() -> bool:
        current = site.stored_stack(stack)
        row = next((row for row in site.rows(stack) if row.name == name), None)
        receiver = None if row is None else Node(row.id, True)
        point = site.point(current, receiver)
        return point is not None and bool(point.input_data.get("input_data"))

    return holds


async def test_last_arrival_before_cast(
    site: Site, chain: Chain, autojump_clock: MockClock
) -> None:
    stack = chain.stack
    arrived = Death(arrived_at(site, stack, "b"))
    await chain.is_cut(arrived)
    assert states(site, stack)["b"] == (Action.INIT, Status.COMPLETE)
    await chain.is_created_by_another()


async def test_last_arrival_at_the_stack_before_its_end(
    site: Site, chain: Chain, autojump_clock: MockClock
) -> None:
    stack = chain.stack
    arrived = Death(arrived_at(site, stack, None))
    await chain.is_cut(arrived)
    assert site.stored_stack(stack).status is IN_PROGRESS
    await chain.is_created_by_another()


# --- the end -----------------------------------------------------------------------------------


def has_ended(site: Site, stack: StackRecord, status: Status) -> Callable[[], bool]:
    return lambda: site.stored_stack(stack).status is status


async def test_failed_before_rollback(
    site: Site, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    names = {"a": PROJECT, "b": {**a_test_resource(fail=True), "depends_on": "a"}}
    stack = created(site, names, disable_rollback=False)
    failed = Death(has_ended(site, stack, Status.FAILED))
    await until_it_dies(site, failed, cloud, begins(stack, Action.CREATE))
    cut = site.stored_stack(stack)
    assert (cut.action, cut.status) == (Action.CREATE, Status.FAILED)
    assert len(cloud.projects) == 1
    ended = await gone_on_with(site, stack, cloud)
    assert (ended.action, ended.status) == (Action.ROLLBACK, Status.COMPLETE)
    assert site.rows(stack) == []
    assert cloud.projects == {}


async def test_complete_before_purge(site: Site, chain: Chain, autojump_clock: MockClock) -> None:
    stack = chain.stack
    complete = Death(has_ended(site, stack, Status.COMPLETE))
    await chain.is_cut(complete)
    assert len(site.points(site.stored_stack(stack))) == 3
    await chain.is_created_by_another()


async def a_stack_at_rest(site: Site, cloud: FakeCloud) -> StackRecord:
    stack = created(site, CHAIN)
    async with an_engine(site, cloud=cloud, engine_id=OTHER) as running:
        await running.begin(stack, Action.CREATE)
        await running.ended(stack)
    assert len(cloud.projects) == 2
    return site.stored_stack(stack)


async def deleted(site: Site, stack: StackRecord, cloud: FakeCloud) -> None:
    """Wait until another engine has removed the stack, and see that nothing is left of it."""
    async with an_engine(site, cloud=cloud, engine_id=OTHER, resume=True):
        with trio.fail_after(600):
            while site.stored_stack(stack).deleted_at is None:  # noqa: ASYNC110 - no event tells
                await trio.sleep(0.25)
    ended = site.stored_stack(stack)
    assert (ended.action, ended.status) == (Action.DELETE, Status.COMPLETE)
    assert site.rows(stack) == []
    assert site.points(ended) == []
    assert cloud.projects == {}


async def test_complete_before_purge_of_a_delete(
    site: Site, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    stack = await a_stack_at_rest(site, cloud)

    def complete() -> bool:
        current = site.stored_stack(stack)
        return (current.action, current.status) == (Action.DELETE, Status.COMPLETE)

    await until_it_dies(site, Death(complete), cloud, begins(stack, Action.DELETE))
    cut = site.stored_stack(stack)
    assert cut.deleted_at is None
    # Purge and soft delete are one transaction: neither has happened.
    assert len(site.points(cut)) == 3
    await deleted(site, stack, cloud)


async def test_purge_before_soft_delete_as_heat_leaves_it(
    site: Site, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    stack = site.stack({}, action=Action.DELETE, status=Status.COMPLETE)
    assert site.points(stack) == []
    assert stack.deleted_at is None
    await deleted(site, stack, cloud)


async def test_purge_and_soft_delete_are_one_transaction(
    site: Site, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    stack = await a_stack_at_rest(site, cloud)
    seen: list[tuple[bool, bool]] = []

    def look() -> None:
        current = site.stored_stack(stack)
        if (current.action, current.status) == (Action.DELETE, Status.COMPLETE):
            seen.append((bool(site.points(current)), current.deleted_at is not None))

    async with an_engine(site, cloud=cloud, watch=look) as running:
        await running.begin(stack, Action.DELETE)
        await running.ended(stack)
    # First both are to come, then both are done: there is no commit in between.
    assert seen == sorted(seen, reverse=True)
    assert set(seen) == {(True, False), (False, True)}


# --- deadlines ---------------------------------------------------------------------------------


async def test_an_overdue_deadline_fires_though_no_node_starts(
    site: Site, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    # Another engine lives and holds the only row, so nothing is there to be visited.
    stack = site.stack(ONE, timeout=1, updated_at=NOW)
    row = site.row(stack, engine_id=OTHER, action=Action.UPDATE, status=IN_PROGRESS)
    site.graph(stack, [(Node(row.id, True), None)])
    async with an_engine(site, liveness=AllAlive(), resume=True) as running:
        await trio.sleep(50)
        assert site.stored_stack(stack).status is IN_PROGRESS
        ended = await running.ended(stack)
        assert trio.current_time() > 60
        assert running.casts("check_resource") == []
    assert (ended.status, ended.status_reason) == (Status.FAILED, "Timed out")
    assert site.stored(row) == row  # its holder's


async def test_a_deadline_that_passed_while_no_engine_was_there(
    site: Site, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    stack = created(site, CHAIN, timeout=1, disable_rollback=False)
    prepared = Death(lambda: len(site.rows(stack)) == 2)
    await until_it_dies(site, prepared, cloud, begins(stack, Action.CREATE))
    await trio.sleep(120)
    ended = await gone_on_with(site, stack, cloud)
    assert (ended.action, ended.status) == (Action.ROLLBACK, Status.COMPLETE)
    assert cloud.created == []
    reasons = [event.resource_status_reason for event in site.events(stack)]
    assert "Timed out" in reasons


# --- not found while deleting ------------------------------------------------------------------


async def test_what_is_not_found_while_deleting_is_deleted(
    site: Site, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    stack = await a_stack_at_rest(site, cloud)
    cloud.projects.clear()  # somebody else has deleted them
    async with an_engine(site, cloud=cloud) as running:
        await running.begin(stack, Action.DELETE)
        ended = await running.ended(stack)
    assert (ended.action, ended.status) == (Action.DELETE, Status.COMPLETE)
    assert site.rows(stack) == []


async def test_a_delete_that_was_done_before_its_answer_came(
    site: Site, cloud: FakeCloud, autojump_clock: MockClock
) -> None:
    stack = await a_stack_at_rest(site, cloud)
    answered = Death()
    refusals: list[int] = []

    def dies(when: str, call: HttpCall) -> None:
        if call.method != "DELETE" or call.service != "identity":
            return
        if when == "before" and answered.has_come:
            refusals.append(call.path.rpartition("/")[2] not in cloud.projects)
        if when == "after" and not answered.has_come:
            answered.come()

    cloud.fault = dies
    await until_it_dies(site, answered, cloud, begins(stack, Action.DELETE))
    assert len(cloud.projects) == 1
    await deleted(site, stack, cloud)
    assert refusals.count(True) == 1  # it was asked for again, and was not there
