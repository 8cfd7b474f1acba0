"""What must hold after every step and what must be true at the end (DESIGN: what must hold)."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection
from sqlalchemy import Engine as SqlEngine

from heat_core.convergence import decode_deps, entries
from heat_core.stack.ids import EngineId, StackId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import resources, stacks, sync_points
from heat_io.database.schema import stack as stack_table
from tests.simulation.cloud import FakeCloud


class Violated(AssertionError):
    """An invariant does not hold."""


class Invariants:
    """Checks over the whole database and the cloud."""

    def __init__(
        self, sql: SqlEngine, cloud: FakeCloud, living: Callable[[], set[EngineId]]
    ) -> None:
        self._sql = sql
        self._cloud = cloud
        self._living = living
        self._point_keys: dict[tuple[str, str, bool], frozenset[str]] = {}
        self._ended: dict[str, str] = {}

    # --- after every step ------------------------------------------------------------------

    def check(self) -> None:
        with self._sql.connect() as connection:
            for record in _all_stacks(connection):
                self._check_stack(connection, record)
            connection.rollback()

    def _check_stack(self, connection: Connection, stack: StackRecord) -> None:
        rows = resources.fetch_by_stack(connection, stack.id)
        traversal = stack.current_traversal
        points = sync_points.fetch_for_traversal(connection, stack.id, traversal or "")
        self._sync_points_belong_to_the_traversal(connection, stack, len(points))
        self._entries_only_grow(stack, points)
        self._replacements_point_at_each_other(rows)
        self._no_entry_before_its_node_was_ready(stack, points)
        self._an_ended_traversal_stays_ended(stack)

    def _sync_points_belong_to_the_traversal(
        self, connection: Connection, stack: StackRecord, current: int
    ) -> None:
        from sqlalchemy import func, select

        from heat_io.database.schema import sync_point

        total = connection.execute(
            select(func.count()).where(sync_point.c.stack_id == stack.id)
        ).scalar_one()
        if total != current:
            raise Violated("sync points of a superseded traversal are left")

    def _entries_only_grow(self, stack: StackRecord, points: list) -> None:
        for point in points:
            key = (point.entity_id, point.traversal_id, point.is_update)
            now = frozenset(entries(point.input_data))
            before = self._point_keys.get(key, frozenset())
            if not before <= now:
                raise Violated(f"a sync point lost entries: {sorted(before - now)}")
            self._point_keys[key] = now

    def _replacements_point_at_each_other(self, rows: list[ResourceRecord]) -> None:
        by_id = {row.id: row for row in rows}
        for row in rows:
            replacement = by_id.get(row.replaced_by) if row.replaced_by is not None else None
            # Once the old row is deleted, or chosen anew, its replacement is on its own.
            if replacement is not None and replacement.replaces not in (row.id, None):
                raise Violated(f"row {row.id} says that it is replaced by {replacement.id}")
            if row.engine_id is not None and row.action is Action.INIT:
                raise Violated("a row is locked without an action")

    def _no_entry_before_its_node_was_ready(self, stack: StackRecord, points: list) -> None:
        if not points or stack.current_deps is None:
            return
        graph = decode_deps(stack.current_deps)
        at = {
            (point.entity_id, point.is_update): frozenset(entries(point.input_data))
            for point in points
        }
        for node in graph:
            if (node.entity, node.is_update) not in at:
                return  # the graph belongs to a traversal that is being prepared
        for node in graph:
            waiting = graph.required_by(node)
            sent = any(node.key in at[(other.entity, other.is_update)] for other in waiting)
            present = at[(node.entity, node.is_update)]
            if sent and not all(needed.key in present for needed in graph.requires(node)):
                raise Violated(f"{node.key} reported before all that it waits for")

    def _an_ended_traversal_stays_ended(self, stack: StackRecord) -> None:
        traversal = stack.current_traversal
        if not traversal:
            return
        state = f"{stack.action} {stack.status}"
        before = self._ended.get(traversal)
        if before is not None and before != state:
            raise Violated(f"a traversal went from {before} to {state}")
        if stack.status is not Status.IN_PROGRESS:
            self._ended[traversal] = state

    # --- at the end ------------------------------------------------------------------------

    def unfinished(self, stack_id: StackId) -> bool:
        """Whether something of the stack's last traversal is still to be done."""
        with self._sql.connect() as connection:
            record = stacks.fetch(connection, stack_id)
            if record is None:
                return False
            rows = resources.fetch_by_stack(connection, stack_id)
            points = sync_points.fetch_for_traversal(
                connection, stack_id, record.current_traversal or ""
            )
            connection.rollback()
        deleted = record.action is Action.DELETE and record.status is Status.COMPLETE
        return bool(points) or deleted or any(row.engine_id is not None for row in rows)

    def busy(self) -> bool:
        """Whether any stack has something under way or left behind."""
        with self._sql.connect() as connection:
            found = _all_stacks(connection)
            connection.rollback()
        return any(
            stack.status is Status.IN_PROGRESS or self.unfinished(stack.id) for stack in found
        )

    def check_end(self) -> None:
        """Everything has come to an end: no locks, no sync points, the cloud as the rows say."""
        with self._sql.connect() as connection:
            known: list[str] = []
            for stack in _all_stacks(connection):
                rows = resources.fetch_by_stack(connection, stack.id)
                if stack.status is Status.IN_PROGRESS:
                    raise Violated(f"stack {stack.name} hangs in {stack.action}")
                if any(row.engine_id for row in rows):
                    raise Violated("a row is still locked")
                if sync_points.fetch_for_traversal(
                    connection, stack.id, stack.current_traversal or ""
                ):
                    raise Violated("sync points are left")
                for row in rows:
                    gone = row.action is Action.DELETE and row.status is Status.COMPLETE
                    if row.physical_id in self._cloud.projects and not gone:
                        known.append(row.physical_id)
            connection.rollback()
        stray = set(self._cloud.projects) - set(known)
        if stray:
            names = [self._cloud.projects[project]["name"] for project in sorted(stray)]
            raise Violated(f"projects that no row knows: {names}")
        if len(known) != len(set(known)):
            raise Violated("two rows have one project")


def _all_stacks(connection: Connection) -> list[StackRecord]:
    query = stack_table.select().where(stack_table.c.deleted_at.is_(None))
    return [stacks.record_of(row) for row in connection.execute(query)]
