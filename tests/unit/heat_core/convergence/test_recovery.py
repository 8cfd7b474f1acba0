"""What a stack is owed, read from rows and sync points (DESIGN: liveness and resume)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from rows import DEAD, MINE, NOW, STACK_ID, TRAVERSAL, a_row, a_stack

from heat_core.convergence import (
    PREPARED,
    Node,
    Owed,
    Traces,
    merge,
    new_sync_points,
    owed,
    stack_sync_point,
)
from heat_core.convergence.node import SNAPSHOT
from heat_core.convergence.recovery import (
    NEEDS_MARK,
    BeginOwed,
    CompleteOwed,
    EndOwed,
    PrepareOwed,
    ReportOwed,
    SettleOwed,
    TimeoutOwed,
    VisitOwed,
)
from heat_core.convergence.sync_point import merge_extras
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId
from heat_core.stack.records import ResourceRecord, StackRecord, SyncPointRecord
from heat_core.stack.states import Action, Status

UP1, UP2, CLEAN1, CLEAN2 = Node(1, True), Node(2, True), Node(1, False), Node(2, False)
# "b" (2) needs "a" (1) and did so before: up1, up2, clean2, clean1, in this order.
GRAPH = Graph.from_edges([(UP2, UP1), (CLEAN1, UP1), (CLEAN2, UP2), (CLEAN1, CLEAN2)])
ROWS = (a_row(1), a_row(2, name="b", requires=(ResourceId(1),)))
MARK = {"action": "UPDATE", PREPARED: True}

type Entry = tuple[Node | None, Node]
"""(receiver, sender); None is the stack"""


def points(
    graph: Graph[Node], entries: Iterable[Entry] = (), mark: dict[str, Any] | None = MARK
) -> list[SyncPointRecord]:
    """The sync points of a traversal in which these entries have arrived."""
    made = []
    for point in new_sync_points(STACK_ID, TRAVERSAL, graph, mark):
        arrived = [
            (sender, None)
            for receiver, sender in entries
            if (point.entity_id, point.is_update)
            == ((STACK_ID, True) if receiver is None else (receiver.entity, receiver.is_update))
        ]
        input_data = merge({}, arrived, []).input_data if arrived else {}
        made.append(
            SyncPointRecord(
                entity_id=point.entity_id,
                traversal_id=point.traversal_id,
                is_update=point.is_update,
                stack_id=point.stack_id,
                input_data=input_data,
                extra_data=point.extra_data,
            )
        )
    return made


def what_is_owed(
    stack: StackRecord | None = None,
    *,
    graph: Graph[Node] = GRAPH,
    rows: Iterable[ResourceRecord] = ROWS,
    sync_points: list[SyncPointRecord] | None = None,
    needs_mark: frozenset[Action] = NEEDS_MARK,
) -> tuple[Owed, ...]:
    traces = Traces(
        stack=stack or a_stack(),
        graph=graph,
        rows=tuple(rows),
        sync_points=points(graph) if sync_points is None else sync_points,
    )
    return owed(traces, is_dead=lambda engine: engine == DEAD, now=NOW, needs_mark=needs_mark)


def visits(found: tuple[Owed, ...]) -> list[Node]:
    assert all(isinstance(item, VisitOwed) for item in found)
    return [item.node for item in found if isinstance(item, VisitOwed)]


# --- the windows of a traversal ----------------------------------------------------------------


def test_a_stack_row_without_anything_was_never_begun() -> None:
    stack = a_stack(action=Action.CREATE)
    found = what_is_owed(stack, graph=Graph({}, {}), rows=(), sync_points=[])
    assert found == (BeginOwed(Action.CREATE),)


def test_a_traversal_whose_stack_point_is_missing_was_never_prepared() -> None:
    assert what_is_owed(sync_points=[]) == (PrepareOwed(unmarked=True),)
    create = a_stack(action=Action.CREATE)
    assert what_is_owed(create, sync_points=[]) == (PrepareOwed(unmarked=True),)


def test_a_mark_without_prepared_says_that_the_graph_is_of_the_old_traversal() -> None:
    begun = [stack_sync_point(STACK_ID, TRAVERSAL, {"action": "UPDATE"})]
    assert what_is_owed(sync_points=begun) == (PrepareOwed(),)


@pytest.mark.parametrize("mark", [MARK, None])
def test_a_graph_with_too_few_sync_points_is_prepared_anew(mark: dict[str, Any] | None) -> None:
    # Heat makes them one by one.
    some = [point for point in points(GRAPH, mark=mark) if point.entity_id != "2"]
    assert what_is_owed(sync_points=some) == (PrepareOwed(),)


def test_prepared_but_not_cast_owes_the_leaves() -> None:
    assert visits(what_is_owed()) == [UP1]


def test_a_visit_carries_what_has_arrived() -> None:
    (found,) = what_is_owed(sync_points=points(GRAPH, [(UP2, UP1), (CLEAN1, UP1)]))
    assert found == VisitOwed(UP2, ResourceId(2), {"input_data": {UP1.key: None}}, {}, False)


def test_a_visit_carries_the_failures_of_a_check() -> None:
    arrived = points(GRAPH, [(UP2, UP1), (CLEAN1, UP1)])
    failed = [
        replace(point, extra_data=merge_extras(point.extra_data, {"a": "why"}, True))
        if (point.entity_id, point.is_update) == ("2", True)
        else point
        for point in arrived
    ]
    (found,) = what_is_owed(a_stack(action=Action.CHECK), sync_points=failed)
    assert isinstance(found, VisitOwed)
    assert (found.failures, found.skip) == ({"a": "why"}, True)


def test_the_completion_carries_the_failures_that_reached_the_stack() -> None:
    graph = Graph.from_edges([(UP1, None)])
    (own, stack) = points(graph, [(None, UP1)])
    failed = replace(stack, extra_data=merge_extras(stack.extra_data, {"a": "why"}, True))
    assert what_is_owed(graph=graph, sync_points=[own, failed]) == (CompleteOwed({"a": "why"}),)


def test_a_node_that_told_only_some_is_visited_again() -> None:
    assert visits(what_is_owed(sync_points=points(GRAPH, [(UP2, UP1)]))) == [UP1, UP2]


def test_a_node_that_waits_for_others_is_not_visited() -> None:
    arrived = [(UP2, UP1), (CLEAN1, UP1), (CLEAN2, UP2)]
    assert visits(what_is_owed(sync_points=points(GRAPH, arrived))) == [CLEAN2]


def test_all_roots_at_the_stack_owe_the_completion() -> None:
    arrived = [(UP2, UP1), (CLEAN1, UP1), (CLEAN2, UP2), (CLEAN1, CLEAN2), (None, CLEAN1)]
    assert what_is_owed(sync_points=points(GRAPH, arrived)) == (CompleteOwed({}),)


def test_an_empty_graph_is_complete() -> None:
    assert what_is_owed(graph=Graph({}, {}), rows=()) == (CompleteOwed({}),)


def test_one_of_two_roots_is_not_enough() -> None:
    graph = Graph.from_edges([(UP1, None), (UP2, None)])
    found = what_is_owed(graph=graph, sync_points=points(graph, [(None, UP1)]))
    assert visits(found) == [UP2]


def test_a_row_at_work_is_left_alone() -> None:
    assert what_is_owed(rows=[a_row(1, engine_id=MINE), ROWS[1]]) == ()


def test_a_row_that_a_dead_engine_holds_is_visited() -> None:
    assert visits(what_is_owed(rows=[a_row(1, engine_id=DEAD), ROWS[1]])) == [UP1]


def test_a_clean_up_whose_row_is_gone_owes_its_report() -> None:
    arrived = [(UP2, UP1), (CLEAN1, UP1), (CLEAN2, UP2)]
    found = what_is_owed(rows=ROWS[:1], sync_points=points(GRAPH, arrived))
    assert found == (ReportOwed(CLEAN2),)


def test_snapshots_are_not_for_us_to_visit_yet() -> None:
    graph = Graph.from_edges([(Node("5f", False, SNAPSHOT), None)])
    assert what_is_owed(graph=graph, rows=()) == ()


# --- time --------------------------------------------------------------------------------------


def test_an_overdue_operation_times_out() -> None:
    late = a_stack(timeout=1, updated_at=NOW - timedelta(minutes=2))
    assert what_is_owed(late) == (TimeoutOwed(),)
    in_time = a_stack(timeout=3, updated_at=NOW - timedelta(minutes=2))
    assert visits(what_is_owed(in_time)) == [UP1]


# --- what is not ours to resume ----------------------------------------------------------------


@pytest.mark.parametrize("action", [Action.DELETE, Action.ADOPT])
def test_what_heat_began_and_keeps_in_messages_is_left_alone(action: Action) -> None:
    stack = a_stack(action=action)
    assert what_is_owed(stack, sync_points=points(GRAPH, mark=None)) == ()
    assert what_is_owed(stack, sync_points=[]) == ()
    assert visits(what_is_owed(stack)) == [UP1]


def test_a_delete_that_cannot_be_an_abandon_is_resumed() -> None:
    only_adopt = frozenset({Action.ADOPT})
    for action, expected in ((Action.DELETE, [UP1]), (Action.ADOPT, [])):
        found = what_is_owed(
            a_stack(action=action), sync_points=points(GRAPH, mark=None), needs_mark=only_adopt
        )
        assert visits(found) == expected


@pytest.mark.parametrize("action", [Action.CREATE, Action.UPDATE, Action.ROLLBACK])
def test_what_heat_began_and_the_database_tells_whole_is_resumed(action: Action) -> None:
    found = what_is_owed(a_stack(action=action), sync_points=points(GRAPH, mark=None))
    assert visits(found) == [UP1]


def test_deleted_and_legacy_stacks_are_owed_nothing() -> None:
    assert what_is_owed(a_stack(deleted_at=NOW)) == ()
    assert what_is_owed(a_stack(convergence=False)) == ()


# --- after the end -----------------------------------------------------------------------------


@pytest.mark.parametrize("status", [Status.FAILED, Status.COMPLETE])
def test_an_ended_stack_with_sync_points_owes_its_end(status: Status) -> None:
    assert what_is_owed(a_stack(status=status)) == (EndOwed(),)


def test_a_deleted_stack_that_is_still_listed_owes_its_removal() -> None:
    deleted = a_stack(action=Action.DELETE, status=Status.COMPLETE)
    assert what_is_owed(deleted, rows=(), sync_points=[]) == (EndOwed(),)


def test_a_failed_delete_is_owed_nothing() -> None:
    failed = a_stack(action=Action.DELETE, status=Status.FAILED)
    assert what_is_owed(failed, sync_points=[]) == ()


def test_dead_locks_on_a_stack_at_rest_are_settled() -> None:
    rows = [a_row(1, engine_id=DEAD), a_row(2, engine_id=MINE), a_row(3)]
    found = what_is_owed(a_stack(status=Status.COMPLETE), rows=rows, sync_points=[])
    assert found == (SettleOwed(ResourceId(1)),)
