"""A diagnosis in words: plain text for a terminal, one fact a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from heat_app.doctor.examination import Engines, Examination
from heat_core.convergence import Node
from heat_core.convergence.diagnosis import Diagnosis, NodeState, PointState, Progress
from heat_core.stack import EngineId

LINES = 20
"""of a list, unless all are wanted"""
NAMES = 4
"""of what something waits for"""


def report(examination: Examination, *, everything: bool = False) -> Iterator[str]:
    """The lines of a report, stack by stack."""
    for diagnosis in examination.diagnoses:
        yield from _stack(diagnosis, examination.engines, None if everything else LINES)
        yield ""


def _stack(diagnosis: Diagnosis, engines: Engines, limit: int | None) -> Iterator[str]:
    stack = diagnosis.stack
    indent = "  nested " if stack.owner_id else ""
    yield f"{indent}stack {stack.name} {stack.id}, project {stack.tenant}"
    yield f"  {stack.action}_{stack.status}: {stack.status_reason or 'no reason given'}"
    yield f"  traversal {stack.current_traversal or 'none'}{_origin(diagnosis)}"
    if diagnosis.deadline is not None:
        yield f"  must end by {diagnosis.deadline:%Y-%m-%d %H:%M:%S} UTC"
    if diagnosis.nodes_total:
        yield f"  nodes: {diagnosis.nodes_done} of {diagnosis.nodes_total} done"
        yield from _some((_node(diagnosis, state) for state in diagnosis.nodes), limit)
    yield from _locks(diagnosis, engines, limit)
    if diagnosis.points:
        yield f"  sync points: {len(diagnosis.points)} of {diagnosis.points_total} not complete"
        yield from _some((_point(diagnosis, point) for point in diagnosis.points), limit)
    yield from _verdict(diagnosis, limit)


def _origin(diagnosis: Diagnosis) -> str:
    if not diagnosis.is_under_way or diagnosis.begun_by_us is None:
        return ""
    return ", begun by heat-trio" if diagnosis.begun_by_us else ", begun by Heat"


def _node(diagnosis: Diagnosis, state: NodeState) -> str:
    line = f"{diagnosis.called(state.node)} {state.progress}"
    if state.progress is Progress.WAITING:
        line += f" for the {_nodes(diagnosis, state.missing)}"
    if state.holder is not None:
        line += f", engine {_short(state.holder)}"
    return line


def _locks(diagnosis: Diagnosis, engines: Engines, limit: int | None) -> Iterator[str]:
    if not diagnosis.locks:
        return
    dead = sum(not lock.alive for lock in diagnosis.locks)
    yield f"  locks: {len(diagnosis.locks)}, {dead} of them held by dead engines"
    yield from _some(
        (
            f"{lock.row.name} ({lock.row.id}) {lock.row.action}_{lock.row.status}"
            f" by engine {_short(lock.engine_id)}, {_signs(engines, lock.engine_id)}"
            for lock in diagnosis.locks
        ),
        limit,
    )


def _signs(engines: Engines, engine_id: EngineId) -> str:
    state = "dead" if engines.is_dead(engine_id) else "alive"
    service, age = engines.services.get(engine_id), engines.age(engine_id)
    if service is None or age is None:
        return f"{state} (not in the list of services)"
    return f"{state} (on {service.hostname}, last sign {_ago(age)})"


def _point(diagnosis: Diagnosis, point: PointState) -> str:
    whose = "the stack's own" if point.node is None else diagnosis.called(point.node)
    expected = point.arrived + len(point.missing)
    return (
        f"{whose}: {point.arrived} of {expected} arrived,"
        f" not the {_nodes(diagnosis, point.missing)}"
    )


def _verdict(diagnosis: Diagnosis, limit: int | None) -> Iterator[str]:
    if diagnosis.owed:
        yield "  owed:"
        yield from _some((diagnosis.told(item) for item in diagnosis.owed), limit)
    elif diagnosis.is_left_alone:
        yield (
            f"  Heat began this {diagnosis.stack.action}; it may be a stack that is abandoned, so"
            " it is not resumed. Delete the stack again to go on."
        )
    elif diagnosis.is_under_way:
        yield "  owed: nothing, somebody is at it"
    else:
        yield "  owed: nothing"


def _nodes(diagnosis: Diagnosis, nodes: Sequence[Node]) -> str:
    shown = ", ".join(diagnosis.called(node) for node in nodes[:NAMES])
    more = len(nodes) - NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def _some(lines: Iterable[str], limit: int | None) -> Iterator[str]:
    left = 0
    for number, line in enumerate(lines):
        if limit is None or number < limit:
            yield f"    {line}"
        else:
            left += 1
    if left:
        yield f"    ... and {left} more (--all shows them)"


def _short(engine_id: EngineId) -> str:
    return engine_id[:8]


def _ago(age: timedelta) -> str:
    seconds = int(age.total_seconds())
    if seconds < 120:
        return f"{max(seconds, 0)} s ago"
    return f"{seconds // 60} min ago"
