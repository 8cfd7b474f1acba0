"""What the database says about one stack's traversal, in one unit of work."""

from __future__ import annotations

from sqlalchemy import Connection

from heat_core.convergence import Traces, decode_deps
from heat_core.graph import Graph
from heat_core.stack.records import StackRecord
from heat_io.database import resources, stacks, sync_points


def read_traces(connection: Connection, stack: StackRecord) -> Traces | None:
    """The stack's rows, graph and sync points; None when the stack has moved on or is gone.

    Without sync points the stored graph is one of the past, and counts for nothing.
    """
    current = stacks.fetch(connection, stack.id)
    if current is None or current.current_traversal != stack.current_traversal:
        return None
    traversal = current.current_traversal
    points = sync_points.fetch_for_traversal(connection, stack.id, traversal) if traversal else []
    return Traces(
        stack=current,
        graph=decode_deps(current.current_deps) if points else Graph({}, {}),
        rows=resources.fetch_by_stack(connection, stack.id),
        sync_points=points,
    )
