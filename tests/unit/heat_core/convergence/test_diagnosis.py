"""What is said of a stack in each of the states that an operation can be cut off in."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from rows import DEAD, MINE, NOW, TRAVERSAL, a_row, a_stack

from heat_core.convergence import Node, Traces, new_sync_points
from heat_core.convergence.diagnosis import Diagnosis, PointState, Progress, diagnose
from heat_core.convergence.sync_point import PREPARED
from heat_core.graph import Graph
from heat_core.stack.records import ResourceRecord, StackRecord, SyncPointRecord
from heat_core.stack.states import Action, Status

A, B = Node(1, True), Node(2, True)
OLD = Node(1, False)
# b needs a; a's row is cleaned up after it.
GRAPH: Graph[Node] = Graph.from_edges([(B, A), (OLD, A)])
OURS = {"action": "UPDATE", PREPARED: True}


def rows(**first: Any) -> list[ResourceRecord]:
    return [a_row(1, name="a", **first), a_row(2, name="b")]


def points(
    stack: StackRecord, *arrivals: tuple[Node | None, Node], mark: Any = OURS
) -> list[SyncPointRecord]:
    """The sync points of the traversal, after these arrivals (receiver, sender)."""
    made = []
    for point in new_sync_points(stack.id, TRAVERSAL, GRAPH, mark):
        receiver = (
            None if point.entity_id == stack.id else Node(int(point.entity_id), point.is_update)
        )
        there = {sender.key: None for at, sender in arrivals if at == receiver}
        data = {"input_data": there} if there else {}
        made.append(
            SyncPointRecord(
                entity_id=point.entity_id,
                traversal_id=point.traversal_id,
                is_update=point.is_update,
                stack_id=point.stack_id,
                input_data=data,
                extra_data=point.extra_data,
            )
        )
    return made


def diagnosed(
    stack: StackRecord,
    found: Iterable[ResourceRecord],
    sync_points: Iterable[SyncPointRecord],
    *,
    graph: Graph[Node] = GRAPH,
    later: timedelta = timedelta(),
) -> Diagnosis:
    traces = Traces(stack, graph, list(found), list(sync_points))
    return diagnose(traces, is_dead=lambda engine: engine == DEAD, now=NOW + later)


def said(diagnosis: Diagnosis) -> list[str]:
    return [diagnosis.told(item) for item in diagnosis.owed]


def test_somebody_is_at_it() -> None:
    stack = a_stack(timeout=60)
    found = diagnosed(stack, rows(engine_id=MINE), points(stack))
    assert found.is_well
    assert found.begun_by_us
    assert found.prepared
    assert found.is_under_way
    assert found.deadline == NOW + timedelta(minutes=60)
    assert (found.nodes_done, found.nodes_total) == (0, 3)
    states = {state.node: state for state in found.nodes}
    assert states[A].progress is Progress.HELD
    assert states[A].holder == MINE
    assert (states[B].progress, states[B].missing) == (Progress.WAITING, (A,))
    assert [(lock.row.name, lock.alive) for lock in found.locks] == [("a", True)]
    assert PointState(B, 0, (A,)) in found.points
    (of_stack,) = [point for point in found.points if point.node is None]
    assert (of_stack.arrived, set(of_stack.missing)) == (0, {B, OLD})
    assert found.points_total == 4


def test_whoever_was_at_it_is_gone() -> None:
    stack = a_stack()
    cut = rows(engine_id=DEAD, action=Action.UPDATE, status=Status.IN_PROGRESS)
    found = diagnosed(stack, cut, points(stack))
    assert not found.is_well
    assert {state.progress for state in found.nodes if state.node == A} == {Progress.CUT}
    assert said(found) == ["the update of a (1) is ready and nobody is at it"]


def test_a_result_that_nobody_took_up() -> None:
    stack = a_stack()
    found = diagnosed(stack, rows(), points(stack, (B, A), (OLD, A), (None, OLD)))
    assert found.nodes_done == 2
    (left,) = found.nodes
    assert (left.node, left.progress, left.holder) == (B, Progress.READY, None)
    assert said(found) == ["the update of b (2) is ready and nobody is at it"]


def test_the_replacement_is_worked_on_in_the_place_of_its_row() -> None:
    stack = a_stack()
    replaced = [*rows(replaced_by=7), a_row(7, name="a", replaces=1, engine_id=MINE)]
    found = diagnosed(stack, replaced, points(stack))
    (state,) = [state for state in found.nodes if state.node == A]
    assert (state.progress, state.holder) == (Progress.HELD, MINE)


def test_a_removed_row_that_nobody_told_of() -> None:
    stack = a_stack()
    only_b = rows()[1:]
    found = diagnosed(stack, only_b, points(stack, (B, A), (OLD, A), (None, B)))
    assert said(found) == ["the clean-up of a removed row (1) is done and nobody has said so"]


def test_everything_has_arrived() -> None:
    stack = a_stack()
    arrivals = [(B, A), (OLD, A), (None, B), (None, OLD)]
    found = diagnosed(stack, rows(), points(stack, *arrivals))
    assert found.nodes == ()
    assert found.points == ()
    assert said(found) == ["everything is done, but the operation is not completed"]


def test_cut_before_there_was_anything() -> None:
    stack = a_stack(action=Action.CREATE)
    found = diagnosed(stack, [], [], graph=Graph({}, {}))
    assert found.begun_by_us is None
    assert said(found) == ["CREATE was accepted, but never begun"]
    begun = diagnosed(stack, [], points(stack, mark={"action": "CREATE"}), graph=Graph({}, {}))
    assert not begun.prepared
    assert said(begun) == ["graph and sync points are missing or not all there"]


def test_too_late() -> None:
    stack = a_stack(timeout=1)
    found = diagnosed(stack, rows(), points(stack), later=timedelta(minutes=2))
    assert said(found) == [f"the operation should have ended at {NOW + timedelta(minutes=1)}"]


def test_after_the_end() -> None:
    stack = a_stack(status=Status.FAILED)
    found = diagnosed(stack, rows(), points(stack))
    assert not found.is_under_way
    assert found.deadline is None
    assert said(found) == [
        "the operation has ended, but what follows (rollback or tidying) has not"
    ]
    held = diagnosed(stack, rows(engine_id=DEAD), [], graph=Graph({}, {}))
    assert said(held) == ["a dead engine holds a (1), which no operation will visit"]
    assert diagnosed(stack, rows(), [], graph=Graph({}, {})).is_well


def test_a_delete_that_heat_began_is_left_alone() -> None:
    stack = a_stack(action=Action.DELETE)
    found = diagnosed(stack, rows(), points(stack, mark=None))
    assert found.begun_by_us is False
    assert found.owed == ()
    assert found.is_left_alone
    assert not found.is_well
