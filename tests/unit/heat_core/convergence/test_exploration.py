"""Everything that the pure machines can do in small cases (DESIGN: hot path, last paragraph)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, partial
from typing import Any

import pytest
from exploration import Transition, explore, rows_of
from rows import DEAD, MINE, NEWER, NOW, TEMPLATE, TRAVERSAL, a_row, a_stack

from heat_core.convergence import NODE_STEP_TABLE, TRAVERSAL_TABLE, Node, NodeStep, Traversal
from heat_core.convergence import node_events as node
from heat_core.convergence import traversal as whole
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status

# --- visits ------------------------------------------------------------------------------------

UP1, UP2, CLEAN1, CLEAN2 = Node(1, True), Node(2, True), Node(1, False), Node(2, False)
GRAPH = Graph.from_edges([(UP2, UP1), (CLEAN1, UP1), (CLEAN2, UP2), (CLEAN1, CLEAN2)])
STACK = a_stack(timeout=60)
CHECKING = a_stack(timeout=60, action=Action.CHECK)
ROWS = (
    a_row(1, action=Action.INIT, current_template_id=TEMPLATE),
    a_row(1),
    a_row(1, replaced_by=ResourceId(7)),
    a_row(7, replaces=ResourceId(1), action=Action.INIT, current_template_id=TEMPLATE),
)
CUTS = (
    (Action.CREATE, {"current_template_id": TEMPLATE}),
    (Action.UPDATE, {}),
    (Action.DELETE, {}),
    (Action.CHECK, {}),
)


@dataclass(frozen=True)
class Watcher:
    """What a path has been through, as far as the properties are about it."""

    locked: bool = False
    """the row has our lock, as far as we may know"""
    ever_locked: bool = False
    acknowledged: bool = False
    told: str = ""
    """the last thing that was done about those who wait"""
    handed_over: bool = False


def _looks(row: ResourceRecord, stack: StackRecord) -> Iterable[node.NodeLoaded]:
    """What a look may find of this row: everything may have changed meanwhile."""

    def found(**fields: Any) -> node.NodeLoaded:
        values: dict[str, Any] = {
            "row": row,
            "stack": stack,
            "graph": GRAPH,
            "holder": node.Holder.NOBODY,
            "now": NOW,
        }
        return node.NodeLoaded(**values | fields)

    free = replace(row, engine_id=None)
    yield found(row=free)
    yield found(row=None)
    yield found(stack=None)
    yield found(row=free, stack=replace(stack, current_traversal=NEWER))
    yield found(row=free, stack=replace(stack, status=Status.FAILED))
    yield found(row=free, reported=True)
    yield found(row=free, now=NOW + timedelta(hours=2))
    yield found(row=replace(row, engine_id=MINE), holder=node.Holder.ALIVE)
    for action, fields in CUTS:
        cut = replace(row, engine_id=DEAD, action=action, status=Status.IN_PROGRESS, **fields)
        yield found(row=cut, holder=node.Holder.DEAD)


def _answers(row: ResourceRecord, stack: StackRecord, effect: Any) -> Iterable[Any]:
    """Every event that may answer an effect of a visit to `row`."""
    match effect:
        case node.LoadNode():
            yield from _looks(row, stack)
        case node.EvaluateNode():
            yield from (node.NodeEvaluated(decision, "plan") for decision in node.Decision)
            yield node.EvaluationFailed("bad")
            yield node.EvaluationFailed("bad", refused="update is restricted for resource.")
        case node.ClaimNode(before, _, _, take_over, quietly) if take_over or quietly:
            yield node.Claimed(replace(before, engine_id=MINE))
            yield node.ClaimLost()
        case node.ClaimNode(before, action):
            status = Status.IN_PROGRESS
            yield node.Claimed(replace(before, engine_id=MINE, action=action, status=status))
            yield node.ClaimLost()
        case node.RunProcedure():
            yield from (node.ProcedureFinished(outcome, "why") for outcome in node.Outcome)
            yield node.ProcedureFinished(node.Outcome.FAILED, "why", may_retry=True)
        case node.StoreOutcome(before, action, status):
            yield node.OutcomeStored(replace(before, engine_id=None, action=action, status=status))
            yield node.OutcomeLost()
        case node.StoreWentDown(before, action):
            failed = replace(before, engine_id=None, action=action, status=Status.FAILED)
            yield node.OutcomeStored(failed)
            yield node.OutcomeLost()
        case (
            node.StoreUnchanged(before)
            | node.StoreUnchecked(before)
            | node.StoreRefused(before)
            | node.RemoveRow(before)
        ):
            yield node.OutcomeStored(before)
            yield node.OutcomeLost()
        case node.WaitToRetry():
            yield node.Waited()
        case node.MakeReplacement():
            yield node.ReplacementStored(ResourceId(7))
            yield node.ReplacementLost()
        case node.ReadAttributes():
            yield node.AttributesRead({"id": 1})
            yield node.AttributesUnreadable("why")
        case node.Propagate():
            yield node.Propagated(gone=False)
            yield node.Propagated(gone=True)
        case node.FailStack():
            yield node.StackFailed(applied=True)
            yield node.StackFailed(applied=False)
        case node.WakeTraversal():
            yield node.Woken()
        case _:
            return  # Acknowledge, CastCheck and Drop want no answer


# A visit that held the lock may have turned others away, so before it ends it must have told
# whoever waits; or looked again and found that its traversal wants nothing of it any more.
TELLING = frozenset({"PROPAGATING", "FAILING", "WAKING"})
OTHERS_WILL = frozenset(
    {
        "the row is gone",
        "the stack is gone",
        "the traversal has ended",
        "the holder of the row will wake us",
        "the node has reported already",
    }
)


def _watch(
    before: Watcher, machine: Any, state: str, event: Any, effects: tuple[Any, ...]
) -> Watcher:
    after = before
    match event:
        case node.Claimed():
            assert not before.locked, "claimed what we hold already"
            after = replace(after, locked=True, ever_locked=True, told="")
        case node.OutcomeStored() | node.OutcomeLost():
            after = replace(after, locked=False)
        case node.ProcedureFinished(node.Outcome.LOCK_LOST):
            after = replace(after, locked=False)
        case node.ReplacementStored():
            after = replace(after, handed_over=True)
        case _:
            pass
    if state in TELLING:
        after = replace(after, told=state)
    for effect in effects:
        match effect:
            case node.Acknowledge():
                after = replace(after, acknowledged=True)
            case node.RunProcedure():
                assert after.locked, "a plugin runs without the lock"
                assert after.acknowledged, "an action of hours holds a message unacknowledged"
            case node.StoreOutcome():
                assert after.locked, "an outcome is written without the lock"
            case (
                node.StoreUnchanged()
                | node.StoreUnchecked()
                | node.StoreRefused()
                | node.StoreWentDown()
                | node.RemoveRow()
                | node.MakeReplacement()
            ):
                assert not after.locked, "a write that wants a free row, while we hold it"
            case node.ClaimNode():
                assert not after.locked
            case node.Propagate() | node.FailStack() | node.WakeTraversal():
                assert not after.locked, "told others while the row is still locked"
            case node.CastCheck():
                after = replace(after, handed_over=True)
            case node.Drop(reason):
                if after.ever_locked:
                    assert reason in OTHERS_WILL, reason
                    after = replace(after, handed_over=True)
            case _:
                pass
    if machine.done:
        assert not after.locked, "ended with the lock"
        assert after.acknowledged, "ended without an acknowledgement"
        if after.ever_locked:
            assert after.told in TELLING or after.handed_over, "ended without telling anybody"
    return after


@cache
def _visits(index: int, is_update: bool) -> set[Transition]:
    """All that visits to the row can do, in an update, in a check, and after a failed check.

    And in an update where nothing is taken over from engines that are gone.
    """
    row = ROWS[index]
    seen: set[Transition] = set()
    for stack, skip, takes_over in (
        (STACK, False, True),
        (CHECKING, False, True),
        (CHECKING, True, True),
        (STACK, False, False),
    ):
        visit = node.Visit(row.id, TRAVERSAL, is_update, {}, skip=skip)
        found = explore(
            NodeStep(visit, retry_limit=1, takes_over=takes_over),
            Watcher(),
            [node.Started()],
            partial(_answers, row, stack),
            _watch,
        )
        assert found.situations > (50 if takes_over else 10)
        seen |= found.transitions
    return seen


@pytest.mark.parametrize("is_update", [True, False])
@pytest.mark.parametrize("index", range(4), ids=["init", "plain", "replaced", "replacement"])
def test_a_visit_that_held_the_lock_tells_others_before_it_ends(
    index: int, is_update: bool
) -> None:
    assert _visits(index, is_update) <= rows_of(NODE_STEP_TABLE)


def test_every_row_of_the_table_of_visits_is_reachable() -> None:
    seen: set[Transition] = set()
    for index in range(len(ROWS)):
        seen |= _visits(index, True) | _visits(index, False)
    assert rows_of(NODE_STEP_TABLE) - seen == set()


# --- traversals --------------------------------------------------------------------------------

LEAVES = ((UP1, ResourceId(1)),)
BEGINNINGS = (
    *(whole.OperationRequested(action) for action in Action if action is not Action.INIT),
    whole.StopRequested(),
    whole.PreparationOwed(),
)


@dataclass(frozen=True)
class Ending:
    """How often a final status was stored, and whether what must follow it was done."""

    stored: int = 0
    purged: bool = False
    stopped: bool = False
    prepared: bool = False
    cast: bool = False
    removed: bool = False


def _whole_answers(effect: Any) -> Iterable[Any]:
    match effect:
        case whole.StopTraversal(stack):
            yield whole.TraversalStopped(
                replace(stack, status=Status.FAILED, current_traversal=NEWER)
            )
            yield whole.TraversalLost()
        case whole.SwitchTraversal(stack, action):
            yield whole.TraversalSwitched(
                replace(stack, action=action, status=Status.IN_PROGRESS, current_traversal=NEWER)
            )
            yield whole.TraversalLost()
        case whole.PrepareGraph():
            yield whole.GraphPrepared(LEAVES)
            yield whole.GraphPrepared(())
            yield whole.PreparationFailed("why")
            yield whole.TraversalLost()
        case whole.StopWorkers():
            yield whole.WorkersStopped()
        case whole.CastLeaves():
            yield whole.LeavesCast()
        case whole.RemoveCredentials():
            yield whole.CredentialsRemoved()
            yield whole.RemovalFailed("why")
        case whole.StoreStatus(stack, status, reason):
            yield whole.StatusStored(replace(stack, status=status, status_reason=reason))
            yield whole.TraversalLost()
        case whole.Purge():
            yield whole.Purged()
            yield whole.TraversalLost()
        case _:
            raise AssertionError(f"an effect without an answer: {effect}")


def _watch_whole(
    before: Ending, machine: Any, state: str, event: Any, effects: tuple[Any, ...]
) -> Ending:
    after = before
    match event:
        case whole.TraversalLost():
            assert effects == (), "a lost traversal does something"
        case whole.GraphPrepared():
            after = replace(after, prepared=True)
        case whole.CredentialsRemoved():
            after = replace(after, removed=True)
        case whole.StatusStored():
            after = replace(after, stored=after.stored + 1)
        case whole.TraversalStopped():
            after = replace(after, stopped=True)
        case whole.Purged():
            after = replace(after, purged=True)
        case whole.TraversalSwitched():
            after = replace(after, prepared=False, removed=False)
        case _:
            pass
    for effect in effects:
        match effect:
            case whole.CastLeaves(_, leaves):
                assert after.prepared, "leaves are cast before there are sync points"
                assert leaves
                after = replace(after, cast=True)
            case whole.StoreStatus(stack, Status.COMPLETE):
                assert after.removed == (stack.action is Action.DELETE)
            case whole.SwitchTraversal(_, Action.ROLLBACK) if after.stored:
                assert after.stored == 1, "a rollback of a rollback"
            case _:
                pass
    if machine.done and not machine.lost:
        only_stopped = after == Ending(stopped=True)
        assert after.cast or after.purged or only_stopped, "ended with something left to do"
    return after


def _stacks() -> Iterable[StackRecord]:
    for status in Status:
        for action in (Action.CREATE, Action.UPDATE, Action.ROLLBACK, Action.DELETE, Action.CHECK):
            for disabled in (True, False):
                yield a_stack(action=action, status=status, disable_rollback=disabled)


def _firsts(stack: StackRecord) -> list[Any]:
    if stack.status is Status.IN_PROGRESS:
        return [*BEGINNINGS, whole.RootsArrived(), whole.NodeFailed("why")]
    return [*BEGINNINGS, whole.EndingOwed()]


def test_a_traversal_that_is_not_lost_ends_cast_or_purged() -> None:
    seen: set[Transition] = set()
    for stack in _stacks():
        found = explore(Traversal(stack), Ending(), _firsts(stack), _whole_answers, _watch_whole)
        seen |= found.transitions
    assert rows_of(TRAVERSAL_TABLE) - seen == set()
    assert seen <= rows_of(TRAVERSAL_TABLE)
