"""What a stack is owed: read a cut traversal from the database and say what is missing.

Each window between two steps of a traversal leaves a state that no other window leaves:

    stack row inserted, operation not begun      CREATE IN_PROGRESS, no sync point, no graph
    begun, graph not stored                      stack's sync point marked, `prepared` not set
    prepared, leaves not cast                    a ready node that nobody holds
    claimed, engine died                         a row locked by a dead engine
    done, not propagated                         a ready node that nobody holds, its row done
    row removed, not reported                    a ready clean-up node without a row
    last arrival, next node not cast             a ready node that nobody holds
    all roots arrived, not completed             IN_PROGRESS with all roots at the stack's point
    FAILED, rollback or purge not begun          FAILED or COMPLETE with sync points
    purged, stack not removed                    DELETE COMPLETE, no sync points, not soft-deleted

A ready node is one whose predecessors have all arrived at its sync point while its own entry is
missing at one that waits for it. Visiting it again is always safe, so recovery only has to find
them. An ADOPT that Heat began is never resumed from the database alone, as its data is not there;
nor is a DELETE, where stacks may be abandoned: an abandoned stack looks like a deleted one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from heat_core.convergence.node import RESOURCE, Node
from heat_core.convergence.node_step import stack_deadline
from heat_core.convergence.sync_point import (
    entries,
    is_prepared,
    is_ready,
    read_failures,
    read_mark,
)
from heat_core.graph import Graph
from heat_core.stack.ids import EngineId, ResourceId
from heat_core.stack.records import ResourceRecord, StackRecord, SyncPointRecord
from heat_core.stack.states import Action, Status

NEEDS_MARK = frozenset({Action.DELETE, Action.ADOPT})


@dataclass(frozen=True, slots=True)
class BeginOwed:
    """The operation was accepted but never begun."""

    action: Action


@dataclass(frozen=True, slots=True)
class PrepareOwed:
    """Graph and sync points are missing.

    `unmarked`: nothing says that the traversal is one of ours. An engine of Heat's, which has no
    mark, may be preparing it now, and prepares it in many steps.
    """

    unmarked: bool = False


@dataclass(frozen=True, slots=True)
class VisitOwed:
    """A node is ready and nobody is at it."""

    node: Node
    resource_id: ResourceId
    input_data: Mapping[str, Any]
    failures: Mapping[str, str]
    skip: bool


@dataclass(frozen=True, slots=True)
class ReportOwed:
    """A clean-up node's row was removed, and nobody has said so."""

    node: Node


@dataclass(frozen=True, slots=True)
class CompleteOwed:
    """All roots have arrived; `failures` are what a CHECK has collected."""

    failures: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class TimeoutOwed:
    """The deadline has passed."""


@dataclass(frozen=True, slots=True)
class EndOwed:
    """The final status is stored; rollback, purge or removal is missing."""


@dataclass(frozen=True, slots=True)
class SettleOwed:
    """A dead engine's lock on a row that no running traversal will visit."""

    resource_id: ResourceId


type Owed = (
    BeginOwed
    | PrepareOwed
    | VisitOwed
    | ReportOwed
    | CompleteOwed
    | TimeoutOwed
    | EndOwed
    | SettleOwed
)


@dataclass(frozen=True, slots=True)
class Traces:
    """Everything that the database says about one stack's traversal."""

    stack: StackRecord
    graph: Graph[Node]
    rows: Sequence[ResourceRecord]
    sync_points: Sequence[SyncPointRecord]
    """those of the current traversal"""


def owed(
    traces: Traces,
    *,
    is_dead: Callable[[EngineId], bool],
    now: datetime,
    needs_mark: frozenset[Action] = NEEDS_MARK,
) -> tuple[Owed, ...]:
    """Return what is missing, in the order in which to do it; nothing if all is well.

    An action of `needs_mark` is left alone unless one of our engines began it.
    """
    stack = traces.stack
    if stack.deleted_at is not None or not stack.convergence:
        return ()
    if stack.status is not Status.IN_PROGRESS:
        return _after_the_end(traces, is_dead)
    deadline = stack_deadline(stack)
    if deadline is not None and now > deadline:
        return (TimeoutOwed(),)
    points = {(point.entity_id, point.is_update): point for point in traces.sync_points}
    stack_point = points.get((stack.id, True))
    mark = read_mark(stack_point)
    if mark is None and stack.action in needs_mark:
        return ()
    if stack_point is None:
        never_begun = stack.action is Action.CREATE and not traces.rows
        return (BeginOwed(stack.action),) if never_begun else (PrepareOwed(unmarked=True),)
    if not is_prepared(stack_point):
        return (PrepareOwed(),)
    if any(node not in _with_points(traces.graph, points) for node in traces.graph):
        return (PrepareOwed(),)
    if is_ready(stack_point.input_data, traces.graph.roots()):
        return (CompleteOwed(read_failures(stack_point.extra_data)[0]),)
    return _visits(traces, points, stack_point, is_dead)


type Points = Mapping[tuple[str, bool], SyncPointRecord]


def _with_points(graph: Graph[Node], points: Points) -> frozenset[Node]:
    return frozenset(node for node in graph if (node.entity, node.is_update) in points)


def _visits(
    traces: Traces,
    points: Points,
    stack_point: SyncPointRecord,
    is_dead: Callable[[EngineId], bool],
) -> tuple[Owed, ...]:
    graph = traces.graph
    rows = {row.id: row for row in traces.rows}
    arrived_at = {node: entries(points[(node.entity, node.is_update)].input_data) for node in graph}
    at_stack = entries(stack_point.input_data)
    found: list[Owed] = []
    for node in graph:
        if node.type != RESOURCE or not isinstance(node.id, int):
            continue
        waiting = graph.required_by(node)
        done = (
            all(node.key in arrived_at[other] for other in waiting)
            if waiting
            else node.key in at_stack
        )
        input_data = {"input_data": arrived_at[node]}
        if done or not is_ready(input_data, graph.requires(node)):
            continue
        row = rows.get(ResourceId(node.id))
        if row is None:
            found.append(ReportOwed(node))
            continue
        if row.engine_id is not None and not is_dead(row.engine_id):
            continue
        failures, skip = read_failures(points[(node.entity, node.is_update)].extra_data)
        found.append(VisitOwed(node, ResourceId(node.id), input_data, failures, skip))
    return tuple(found)


def _after_the_end(traces: Traces, is_dead: Callable[[EngineId], bool]) -> tuple[Owed, ...]:
    stack = traces.stack
    removed = stack.action is Action.DELETE and stack.status is Status.COMPLETE
    if traces.sync_points or removed:
        return (EndOwed(),)
    return tuple(
        SettleOwed(row.id)
        for row in traces.rows
        if row.engine_id is not None and is_dead(row.engine_id)
    )
