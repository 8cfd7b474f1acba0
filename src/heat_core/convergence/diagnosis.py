"""What is the matter with a stack: how far its traversal is, who is at it, what nobody is at.

Pure: read from what the database says. What is owed is `recovery.owed`, which the sweeper acts on
too; the rest says where the operation stands, so that somebody who waits can see for what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from heat_core.convergence.node import Node
from heat_core.convergence.node_step import stack_deadline
from heat_core.convergence.recovery import (
    NEEDS_MARK,
    BeginOwed,
    CompleteOwed,
    EndOwed,
    Owed,
    PrepareOwed,
    ReportOwed,
    TimeoutOwed,
    Traces,
    VisitOwed,
    owed,
)
from heat_core.convergence.sync_point import arrived, is_prepared, read_mark
from heat_core.stack.ids import EngineId, ResourceId
from heat_core.stack.records import ResourceRecord, StackRecord, SyncPointRecord
from heat_core.stack.states import Status


class Progress(StrEnum):
    """How far a node is."""

    WAITING = "waits"
    READY = "is ready"
    HELD = "is worked on"
    CUT = "was cut off"


@dataclass(frozen=True, slots=True)
class NodeState:
    """A node that is not done; `missing` are those it waits for, `holder` who has its row."""

    node: Node
    progress: Progress
    missing: tuple[Node, ...] = ()
    holder: EngineId | None = None


@dataclass(frozen=True, slots=True)
class Lock:
    """A row that an engine holds."""

    row: ResourceRecord
    engine_id: EngineId
    alive: bool


@dataclass(frozen=True, slots=True)
class PointState:
    """A sync point that is not complete; `node` None is the stack's own."""

    node: Node | None
    arrived: int
    missing: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All that there is to say about one stack.

    `begun_by_us`: the traversal carries our mark; False: Heat began it; None: there is no telling.
    `prepared` says that graph and sync points are there. `nodes_done` of `nodes_total` are done.
    """

    stack: StackRecord
    names: Mapping[int, str]
    deadline: datetime | None
    begun_by_us: bool | None
    prepared: bool
    nodes_total: int
    nodes: tuple[NodeState, ...]
    locks: tuple[Lock, ...]
    points: tuple[PointState, ...]
    points_total: int
    owed: tuple[Owed, ...]

    @property
    def nodes_done(self) -> int:
        return self.nodes_total - len(self.nodes)

    @property
    def is_under_way(self) -> bool:
        return self.stack.status is Status.IN_PROGRESS

    @property
    def is_left_alone(self) -> bool:
        """An operation that Heat began, and that is not resumed: it might be an abandon."""
        return self.is_under_way and not self.begun_by_us and self.stack.action in NEEDS_MARK

    @property
    def is_well(self) -> bool:
        """Whether nothing is owed and nobody dead holds anything."""
        return not self.owed and not self.is_left_alone and all(lock.alive for lock in self.locks)

    def called(self, node: Node) -> str:
        """A node as people speak of it."""
        name = self.names.get(node.id) if isinstance(node.id, int) else None
        what = "update" if node.is_update else "clean-up"
        return f"{what} of {name or 'a removed row'} ({node.id})"

    def told(self, item: Owed) -> str:
        """A thing that is owed, in a sentence."""
        match item:
            case BeginOwed(action):
                return f"{action} was accepted, but never begun"
            case PrepareOwed():
                return "graph and sync points are missing or not all there"
            case VisitOwed(node):
                return f"the {self.called(node)} is ready and nobody is at it"
            case ReportOwed(node):
                return f"the {self.called(node)} is done and nobody has said so"
            case CompleteOwed():
                return "everything is done, but the operation is not completed"
            case TimeoutOwed():
                return f"the operation should have ended at {self.deadline}"
            case EndOwed():
                return "the operation has ended, but what follows (rollback or tidying) has not"
            case _:
                row = f"{self.names.get(item.resource_id, '')} ({item.resource_id})"
                return f"a dead engine holds {row}, which no operation will visit"


def diagnose(traces: Traces, *, is_dead: Callable[[EngineId], bool], now: datetime) -> Diagnosis:
    """Say what is the matter with a stack, from what the database says of it."""
    stack = traces.stack
    points = {(point.entity_id, point.is_update): point for point in traces.sync_points}
    stack_point = points.get((stack.id, True))
    rows = {row.id: row for row in traces.rows}
    return Diagnosis(
        stack=stack,
        names={row.id: row.name for row in traces.rows},
        deadline=stack_deadline(stack) if stack.status is Status.IN_PROGRESS else None,
        begun_by_us=None if stack_point is None else read_mark(stack_point) is not None,
        prepared=stack_point is not None and is_prepared(stack_point),
        nodes_total=len(traces.graph),
        nodes=tuple(_not_done(traces, points, rows, is_dead)),
        locks=tuple(
            Lock(row, row.engine_id, not is_dead(row.engine_id))
            for row in traces.rows
            if row.engine_id is not None
        ),
        points=tuple(_incomplete(traces, points)),
        points_total=len(traces.sync_points),
        owed=owed(traces, is_dead=is_dead, now=now),
    )


type _Points = Mapping[tuple[str, bool], SyncPointRecord]


def _point_of(points: _Points, node: Node) -> SyncPointRecord | None:
    return points.get((node.entity, node.is_update))


def _arrived_at(point: SyncPointRecord | None) -> frozenset[Node]:
    return frozenset() if point is None else arrived(point.input_data)


def _not_done(
    traces: Traces,
    points: _Points,
    rows: Mapping[ResourceId, ResourceRecord],
    is_dead: Callable[[EngineId], bool],
) -> list[NodeState]:
    graph = traces.graph
    at_stack = _arrived_at(points.get((traces.stack.id, True)))
    here = {node: _arrived_at(_point_of(points, node)) for node in graph}
    found = []
    for node in graph:
        waiting = graph.required_by(node)
        done = all(node in here[other] for other in waiting) if waiting else node in at_stack
        if done:
            continue
        missing = tuple(other for other in graph.requires(node) if other not in here[node])
        holder = _holder(node, rows)
        if missing:
            progress = Progress.WAITING
        elif holder is None:
            progress = Progress.READY
        else:
            progress = Progress.CUT if is_dead(holder) else Progress.HELD
        found.append(NodeState(node, progress, missing, holder))
    return found


def _holder(node: Node, rows: Mapping[ResourceId, ResourceRecord]) -> EngineId | None:
    """Who has the node's row, or the row that takes its part in this traversal."""
    row = rows.get(ResourceId(node.id)) if isinstance(node.id, int) else None
    if row is None:
        return None
    if row.engine_id is None and node.is_update and row.replaced_by is not None:
        row = rows.get(row.replaced_by, row)
    return row.engine_id


def _incomplete(traces: Traces, points: _Points) -> list[PointState]:
    graph = traces.graph
    found = []
    for node in (*graph, None):
        expected = graph.roots() if node is None else graph.requires(node)
        point = points.get((traces.stack.id, True)) if node is None else _point_of(points, node)
        if point is None:
            continue
        present = _arrived_at(point)
        missing = tuple(other for other in expected if other not in present)
        if missing:
            found.append(PointState(node, len(expected) - len(missing), missing))
    return found
