"""Visits as tasks: when a message is acknowledged, who is woken, what faults may not break."""

from __future__ import annotations

from typing import Any

import pytest
import trio
import trio.lowlevel
from site_of_tests import (
    CONTEXT,
    MINE,
    OTHER,
    PROJECT,
    SLOW,
    TRAVERSAL,
    AllAlive,
    Faults,
    Running,
    Site,
    a_test_resource,
    an_engine,
    message,
    only,
)
from sqlalchemy import Connection
from trio.testing import MockClock

from heat_core.convergence import Node
from heat_core.convergence.node_events import Visit
from heat_core.procedure import HttpAnswer, HttpCall, ServiceError
from heat_core.rpc import CallTimeout
from heat_core.stack.ids import EngineId, ResourceId, StackId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Conflict,
    Fault,
    LanesClosed,
    properties_data,
    resources,
    stacks,
)
from heat_io.drivers import NoCloud

# --- messages ----------------------------------------------------------------------------------


async def test_a_message_is_acknowledged_once_its_claim_is_durable(
    site: Site, autojump_clock: MockClock
) -> None:
    # DESIGN: messages; never at the end of the action
    stack, row, node = only(site)
    sent = message(node)
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(sent)
        assert sent.at == [pytest.approx(0)]
        claimed = site.stored(row)
        assert claimed is not None
        assert (claimed.engine_id, claimed.status) == (MINE, Status.IN_PROGRESS)
        await running.ended(stack)
        assert trio.current_time() >= 10
    assert len(sent.at) == 1


async def test_a_message_for_which_there_is_nothing_to_do_is_acknowledged(
    site: Site, autojump_clock: MockClock
) -> None:
    _, _, node = only(site)
    async with an_engine(site) as running:
        for sent in (
            message(Node(99, True)),
            message(node, TraversalId("older")),
            message(Node(node.id, False)),
        ):
            await running.engine.nodes.check_resource(sent)
            assert len(sent.at) == 1
        await trio.sleep(1)
        assert running.engine.nodes.busy == 0


async def test_a_duplicate_is_dropped_while_the_first_is_at_work(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, row, node = only(site)
    async with an_engine(site) as running:
        nodes = running.engine.nodes
        await nodes.check_resource(message(node))
        assert nodes.holds(row.id)
        assert not nodes.holds(ResourceId(99))
        duplicate = message(node)
        await nodes.check_resource(duplicate)
        assert len(duplicate.at) == 1
        await running.ended(stack)
    stored = site.stored(row)
    assert stored is not None
    assert stored.atomic_key == 2  # one claim, one outcome


async def test_a_living_engines_row_is_left_to_it(site: Site, autojump_clock: MockClock) -> None:
    _, row, node = only(site)
    locked = {"engine_id": OTHER, "status": Status.IN_PROGRESS, "action": Action.CREATE}
    site.write(lambda c: resources.update(c, row.id, locked))
    before = site.stored(row)
    async with an_engine(site, liveness=AllAlive()) as running:
        await running.engine.nodes.check_resource(message(node))
        await trio.sleep(1)
    assert site.stored(row) == before


def breaks(monkeypatch: pytest.MonkeyPatch, running: Running, error: Exception) -> None:
    async def broken(stack: StackRecord, known: Any) -> Any:
        raise error

    monkeypatch.setattr(running.engine.definitions, "for_stack", broken)


async def test_what_nobody_foresaw_fails_the_stack(
    site: Site,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    # It would come back at every sweep.
    stack, _, node = only(site)
    sent = message(node)
    async with an_engine(site) as running:
        breaks(monkeypatch, running, RuntimeError("bad luck"))
        await running.engine.nodes.check_resource(sent)
        assert sent.at == []  # the bus does that, once the handler has returned
        ended = await running.ended(stack)
        assert running.engine.nodes.busy == 0
    assert (ended.status, ended.status_reason) == (Status.FAILED, "RuntimeError: bad luck")
    assert "a visit ended in an unexpected error" in [r.message for r in caplog.records]


async def test_an_unforeseen_error_of_the_past_does_not_fail_the_present(
    site: Site, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack, _, node = only(site)
    async with an_engine(site) as running:
        load = running.engine.nodes._load  # type: ignore[attr-defined]

        async def moved_on_and_broken(*arguments: Any) -> Any:
            await load(*arguments)
            raise RuntimeError("bad luck")

        monkeypatch.setattr(running.engine.nodes, "_load", moved_on_and_broken)
        await running.engine.nodes.check_resource(message(node, TraversalId("older")))
        await trio.sleep(1)
    assert site.stored_stack(stack).status is Status.IN_PROGRESS


@pytest.mark.parametrize("error", [Conflict("busy"), LanesClosed("over"), CallTimeout("late")])
async def test_trouble_with_the_database_or_the_bus_is_left_to_the_sweeper(
    site: Site,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    stack, _, node = only(site)
    async with an_engine(site) as running:
        breaks(monkeypatch, running, error)
        await running.engine.nodes.check_resource(message(node))
        assert running.engine.nodes.busy == 0
        monkeypatch.undo()
        await running.engine.sweeper.sweep()
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE
    assert "a visit was cut off by the database or the bus" in [r.message for r in caplog.records]


async def test_a_visit_is_known_while_it_waits_for_its_place(
    site: Site, autojump_clock: MockClock
) -> None:
    _, _, node = only(site)
    visit = Visit(ResourceId(int(node.id)), TRAVERSAL, True, {})
    async with an_engine(site) as running:
        nodes = running.engine.nodes
        assert not nodes.is_visiting(visit)
        nodes.start(visit, CONTEXT)
        assert nodes.is_visiting(visit)
        assert not nodes.is_visiting(Visit(visit.resource_id, TRAVERSAL, False, {}))


# --- stopping ----------------------------------------------------------------------------------


def supersede(site: Site, stack_id: StackId) -> None:
    """Another operation is about to begin: the stack is in a traversal without a graph."""
    newer = {"current_traversal": TraversalId("newer")}
    site.write(lambda c: stacks.update(c, stack_id, newer))


async def test_a_stop_that_comes_late_spares_who_works_for_the_present(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, row, node = only(site)
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        await trio.sleep(1)
        await running.engine.nodes.stop_superseded(row.stack_id)
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE


async def test_stopping_a_stack_of_which_nothing_is_at_work_is_nothing(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, _, node = only(site)
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        await running.engine.nodes.stop_superseded(StackId("other"))
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE


async def test_stopping_ends_the_procedures_of_one_stack(
    site: Site, autojump_clock: MockClock
) -> None:
    _, row, node = only(site)
    other, other_row, other_node = only(site, current_traversal=TraversalId("other"))
    async with an_engine(site) as running:
        nodes = running.engine.nodes
        await nodes.check_resource(message(node))
        await nodes.check_resource(message(other_node, TraversalId("other")))
        await trio.sleep(1)
        supersede(site, row.stack_id)
        await nodes.stop_superseded(row.stack_id)
        await trio.sleep(1)
        stopped, untouched = site.stored(row), site.stored(other_row)
        assert stopped is not None
        assert untouched is not None
        assert (stopped.status, stopped.status_reason) == (Status.FAILED, "CREATE aborted")
        assert stopped.engine_id is None
        assert untouched.status is Status.IN_PROGRESS
        await running.ended(other)


# --- leaving -----------------------------------------------------------------------------------


class Projects(NoCloud):
    """An identity service in which a project takes its time, or can't be had for now."""

    def __init__(self, *, seconds: float = 0, refused: bool = False) -> None:
        self.posts = 0
        self._seconds = seconds
        self._refused = refused

    async def send(self, credentials: Any, call: HttpCall) -> HttpAnswer:
        await trio.sleep(self._seconds if call.method == "POST" else 0)
        if call.method != "POST":
            return HttpAnswer(200, {"projects": [], "domain": {"id": "default"}})
        self.posts += 1
        if self._refused:
            raise ServiceError("identity", 409, "busy", error_class="Conflict", text="busy")
        return HttpAnswer(201, {"project": {"id": "made"}})


async def test_what_is_left_off_is_gone_on_with_by_who_gets_the_message(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, row, node = only(site)
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        await trio.sleep(1)
        began = trio.current_time()
        (cast,) = await running.engine.nodes.leave_off()
        assert trio.current_time() - began < 1
        assert running.engine.nodes.busy == 0
    left = site.stored(row)
    assert left is not None
    assert (left.engine_id, left.action, left.status) == (MINE, Action.CREATE, Status.IN_PROGRESS)
    assert cast.arguments["resource_id"] == row.id
    assert cast.arguments["current_traversal"] == TRAVERSAL
    async with an_engine(site, engine_id=OTHER) as other:
        await other.bus.cast(cast)
        ended = await other.ended(stack)
    assert ended.status is Status.COMPLETE
    (only_row,) = site.rows(stack)
    assert (only_row.id, only_row.status, only_row.engine_id) == (row.id, Status.COMPLETE, None)


async def test_who_leaves_ends_what_needs_no_procedure_and_begins_none(
    site: Site, autojump_clock: MockClock
) -> None:
    _, row, node = only(site)
    async with an_engine(site) as running:
        nodes = running.engine.nodes
        assert await nodes.leave_off() == ()
        await nodes.check_resource(message(node))
        await nodes.check_resource(message(Node(99, True)))
        (cast,) = await nodes.leave_off()
    assert cast.arguments["resource_id"] == row.id


@pytest.mark.parametrize("seconds", [3, 20])
async def test_a_request_under_way_is_waited_for_and_what_follows_at_once_too(
    site: Site, autojump_clock: MockClock, seconds: float
) -> None:
    cloud = Projects(seconds=seconds)
    _, row, node = only(site, definition=PROJECT)
    async with an_engine(site, cloud=cloud) as running:
        await running.engine.nodes.check_resource(message(node))
        await trio.sleep(1)
        assert await running.engine.nodes.leave_off() == ()
        assert trio.current_time() == pytest.approx(seconds, abs=0.5)
    left = site.stored(row)
    assert left is not None
    assert left.physical_id == "made"
    assert left.status is Status.COMPLETE
    assert cloud.posts == 1


async def test_who_holds_no_row_is_not_waited_for(
    site: Site, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(*arguments: Any) -> Any:
        await trio.sleep_forever()

    _, _, node = only(site)
    async with an_engine(site) as running, trio.open_nursery() as nursery:
        nodes = running.engine.nodes
        monkeypatch.setattr(running.engine.definitions, "for_stack", hangs)
        nursery.start_soon(nodes.check_resource, message(node))
        await trio.sleep(1)
        began = trio.current_time()
        assert await nodes.leave_off() == ()
        assert trio.current_time() - began == pytest.approx(5, abs=0.5)
        assert nodes.busy == 1
        nursery.cancel_scope.cancel()


async def test_a_pause_before_another_attempt_is_left_off_too(
    site: Site, autojump_clock: MockClock
) -> None:
    _, row, node = only(site, definition=PROJECT)
    async with an_engine(site, cloud=Projects(refused=True)) as running:
        await running.engine.nodes.check_resource(message(node))
        await trio.sleep(0.5)
        began = trio.current_time()
        (cast,) = await running.engine.nodes.leave_off()
        assert trio.current_time() - began < 1
    assert cast.arguments["resource_id"] == row.id


# --- what is left of others --------------------------------------------------------------------


async def test_a_dead_engines_create_goes_on(site: Site, autojump_clock: MockClock) -> None:
    stack, row, node = only(site)
    cut = {"engine_id": OTHER, "status": Status.IN_PROGRESS, "action": Action.CREATE}

    def begun(connection: Connection) -> None:
        stored = properties_data.insert(connection, SLOW["properties"])
        more = {"atomic_key": 1, "properties_data_id": stored}
        resources.update(connection, row.id, cut | more)

    site.write(begun)
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        ended = await running.ended(stack)
    assert ended.status is Status.COMPLETE
    (only_row,) = site.rows(stack)
    assert (only_row.id, only_row.status) == (row.id, Status.COMPLETE)


async def test_a_dead_engines_unfinished_action_of_the_past_is_settled_first(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack({"a": SLOW})
    row = site.row(
        stack,
        engine_id=OTHER,
        action=Action.DELETE,
        status=Status.IN_PROGRESS,
        properties={},
    )
    node = Node(row.id, True)
    site.graph(stack, [(node, None)])
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        await running.ended(stack)
    reasons = [event.resource_status_reason for event in site.events(stack)]
    assert "Worker went down during resource DELETE" in reasons
    # A failed row is replaced (rules/h-updates.md#10).
    stored = site.stored(row)
    assert stored is not None
    assert stored.replaced_by is not None


async def test_settling_what_is_gone_or_in_good_hands_does_nothing(
    site: Site, autojump_clock: MockClock
) -> None:
    stack = site.stack({"a": SLOW}, status=Status.COMPLETE)
    row = site.row(stack, engine_id=OTHER)
    free = site.row(stack, "b")
    async with an_engine(site, liveness=AllAlive()) as running:
        for row_id in (row.id, free.id, ResourceId(99)):
            await running.engine.nodes.settle(stack, row_id)
        assert running.engine.nodes.busy == 0
    assert site.stored(row) == row
    assert site.stored(free) == free


async def test_a_settled_row_that_somebody_else_took_is_left_to_them(
    site: Site, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = site.stack({"a": SLOW}, status=Status.COMPLETE)
    row = site.row(stack, engine_id=OTHER)
    take_over = resources.take_over
    monkeypatch.setattr(resources, "take_over", lambda *arguments: False)
    async with an_engine(site) as running:
        await running.engine.nodes.settle(stack, row.id)
        monkeypatch.setattr(resources, "take_over", take_over)
        assert site.stored(row) == row
        await running.engine.nodes.settle(stack, row.id)
    stored = site.stored(row)
    assert stored is not None
    assert stored.engine_id is None


async def test_a_report_for_a_node_that_is_not_there_is_none(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, _, node = only(site)
    async with an_engine(site) as running:
        await running.engine.nodes.report_removed(stack, Node(99, False), CONTEXT)
        stale = stack.__replace__(current_traversal=TraversalId("older"))
        await running.engine.nodes.report_removed(stale, node, CONTEXT)
    assert site.entries(stack, None) == {}


# --- faults ------------------------------------------------------------------------------------

CHAIN = {
    "a": a_test_resource(value="v"),
    "b": {**a_test_resource(), "depends_on": "a"},
    # Shows what was stored of its properties, and of those of "a".
    "seen": {"type": "OS::Heat::Value", "properties": {"value": {"get_attr": ["a", "output"]}}},
    "shown": a_test_resource(value={"get_attr": ["seen", "value"]}),
}


FAULTS = {Fault.LOST: 0, Fault.LOST_AFTER_COMMIT: 2, Fault.CONFLICT: 4}


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_at_a_commit_of_a_stacks_life_changes_nothing(
    site: Site, autojump_clock: MockClock, fault: Fault
) -> None:
    """Every other commit has its turn with one kind of fault; the simulator mixes them."""
    number = FAULTS[fault]
    while True:
        faults = Faults()
        faults.at_commit_number(number, fault)
        await _live(site, faults, f"st{number}")
        if faults.left:
            break  # the stack's life has fewer commits
        number += 2 * len(FAULTS)
    assert number > 30


async def _live(site: Site, faults: Faults, name: str) -> None:
    """Create, update with a replacement, delete; everything happens once."""
    stack = site.stack(CHAIN, action=Action.CREATE, name=name)
    replaced = CHAIN | {"a": a_test_resource(value="w", update_replace=True)}
    async with an_engine(site, faults=faults) as running:
        await running.begin(stack, Action.CREATE)
        created = await running.ended(stack)
        assert created.status is Status.COMPLETE, name
        await running.begin(stack, Action.UPDATE, template_id=site.template(replaced))
        updated = await running.ended(stack)
        assert updated.status is Status.COMPLETE, name
        left = {row.name: row for row in site.rows(stack)}
        assert sorted(left) == sorted(CHAIN), name
        assert left["shown"].data == {"value": "w"}, name
        await running.begin(stack, Action.DELETE)
        deleted = await running.ended(stack)
        assert deleted.deleted_at is not None, name
    assert site.rows(stack) == []
    history = [
        (event.resource_name, event.resource_action, event.resource_status)
        for event in site.events(stack)
        if event.resource_name in CHAIN
    ]
    for action in ("CREATE", "DELETE"):
        assert history.count(("b", action, "COMPLETE")) == 1, (name, history)
    assert history.count(("a", "CREATE", "COMPLETE")) == 2, (name, history)


# --- nested stacks -----------------------------------------------------------------------------

GROUP = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 1, "resource_def": a_test_resource()},
}


def held_group(site: Site, *, made_from: str, engine_id: EngineId) -> tuple[StackRecord, Node]:
    """A group whose nested stack is being made by an engine, of this or of an older template."""
    older = site.template({"a": GROUP})
    stack = site.stack({"a": GROUP})
    child = site.stack(name="st-a", owner_id=stack.id, action=Action.CREATE)
    row = site.row(
        stack,
        action=Action.CREATE,
        status=Status.IN_PROGRESS,
        engine_id=engine_id,
        physical_id=child.id,
        properties=GROUP["properties"],
        current_template_id=older if made_from == "older" else stack.raw_template_id,
    )
    node = Node(row.id, True)
    site.graph(stack, [(node, None)])
    return stack, node


@pytest.mark.parametrize(
    ("made_from", "reason"), [("older", "Stack CREATE cancelled"), ("this", "Stack UPDATE started")]
)
async def test_a_nested_stack_that_works_for_an_earlier_traversal_is_stopped(
    site: Site, autojump_clock: MockClock, made_from: str, reason: str
) -> None:
    # rules/i-convergence.md#20; a second copy of a message must not stop what the first began
    stack, node = held_group(site, made_from=made_from, engine_id=OTHER)
    async with an_engine(site, liveness=AllAlive()) as running:
        visit = message(node)
        await running.engine.nodes.check_resource(visit)
        await trio.sleep(1)
    assert _child_of(site, stack).status_reason == reason
    assert visit.at


async def test_a_cut_off_create_stops_the_nested_stack_it_made(
    site: Site, autojump_clock: MockClock
) -> None:
    stack, node = held_group(site, made_from="this", engine_id=EngineId("dead"))
    async with an_engine(site) as running:
        await running.engine.nodes.check_resource(message(node))
        await trio.sleep(5)
        supersede(site, stack.id)
        await running.engine.nodes.stop_superseded(stack.id)
        await trio.sleep(1)
    stored = site.stored(ResourceId(int(node.id)))
    assert stored is not None
    assert (stored.status, stored.status_reason) == (Status.FAILED, "CREATE aborted")
    child = _child_of(site, stack)
    assert (child.status, child.status_reason) == (Status.FAILED, "Stack CREATE cancelled")


def _child_of(site: Site, stack: StackRecord) -> StackRecord:
    (child,) = site.read(lambda connection: stacks.children(connection, stack.id))
    return child
