"""Stacks that may be owed something: what the sweeper looks at, found by a few queries."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Connection, Select, and_, bindparam, exists, func, or_, select

from heat_core.stack.ids import StackId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database.schema import resource, stack, sync_point
from heat_io.database.stacks import record_of

type Fingerprint = tuple[int, int, int, int]
"""changes whenever a traversal makes progress"""


def _unfinished() -> Select[Any]:
    has_points = exists().where(
        and_(
            sync_point.c.stack_id == stack.c.id,
            sync_point.c.traversal_id == stack.c.current_traversal,
        )
    )
    has_locks = exists().where(
        and_(resource.c.stack_id == stack.c.id, resource.c.engine_id.is_not(None))
    )
    removed = and_(stack.c.action == Action.DELETE.value, stack.c.status == Status.COMPLETE.value)
    in_progress = stack.c.status == Status.IN_PROGRESS.value
    columns = [column for column in stack.c if column.name != "current_deps"]
    return (
        select(*columns)
        .where(
            stack.c.deleted_at.is_(None),
            stack.c.convergence.is_(True),
            or_(in_progress, has_points, has_locks, removed),
        )
        .order_by(stack.c.created_at, stack.c.id)
    )


_UNFINISHED: Final = _unfinished()
_ROWS: Final = select(func.count(), func.coalesce(func.sum(resource.c.atomic_key), 0)).where(
    resource.c.stack_id == bindparam("of_stack")
)
_POINTS: Final = select(func.count(), func.coalesce(func.sum(sync_point.c.atomic_key), 0)).where(
    sync_point.c.stack_id == bindparam("of_stack"),
    sync_point.c.traversal_id == bindparam("of_traversal"),
)


def unfinished(connection: Connection) -> list[StackRecord]:
    """Live convergence stacks with something under way or left behind, oldest first.

    Those IN_PROGRESS; ended ones that still have sync points of their traversal or rows that an
    engine holds; deleted ones that are still listed. Without their graphs.
    """
    return [record_of(row) for row in connection.execute(_UNFINISHED)]


def fingerprint(
    connection: Connection, stack_id: StackId, traversal_id: TraversalId | None
) -> Fingerprint:
    """How far a traversal is, without reading its rows."""
    of = {"of_stack": stack_id, "of_traversal": traversal_id or ""}
    rows = connection.execute(_ROWS, {"of_stack": stack_id}).one()
    points = connection.execute(_POINTS, of).one()
    return int(rows[0]), int(rows[1]), int(points[0]), int(points[1])
