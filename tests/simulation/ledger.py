"""What the database holds, kept in step row by row, and every change of it.

The simulator looks at each transaction as it commits. Reading the tables for that would cost more
than the transaction, so triggers hand over each row that changes: the ledger knows the rows before
and after, and which engine wrote them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import trio

type PointKey = tuple[str, str, bool]


class StackRow(NamedTuple):
    """The columns of `stack` that the checks are about."""

    id: str
    name: str
    owner_id: str | None
    action: str
    status: str
    status_reason: str | None
    current_traversal: str | None
    raw_template_id: int
    prev_raw_template_id: int | None
    current_deps: str | None
    disable_rollback: int
    timeout: int | None
    created_at: str | None
    updated_at: str | None
    deleted_at: str | None
    parent_resource_name: str | None
    nested_depth: int

    @property
    def in_progress(self) -> bool:
        return self.status == "IN_PROGRESS"


class ResourceRow(NamedTuple):
    """The columns of `resource` that the checks are about."""

    id: int
    uuid: str
    stack_id: str
    name: str
    action: str
    status: str
    engine_id: str | None
    atomic_key: int | None
    replaces: int | None
    replaced_by: int | None
    current_template_id: int | None
    nova_instance: str | None
    requires: str | None
    rsrc_prop_data_id: int | None
    created_at: str | None
    updated_at: str | None
    root_stack_id: str | None

    @property
    def is_gone(self) -> bool:
        return (self.action, self.status) == ("DELETE", "COMPLETE")

    @property
    def state(self) -> tuple[str, str]:
        return self.action, self.status


class PointRow(NamedTuple):
    """The columns of `sync_point`."""

    entity_id: str
    traversal_id: str
    is_update: int
    atomic_key: int
    stack_id: str
    input_data: str | None
    extra_data: str | None

    @property
    def key(self) -> PointKey:
        return self.entity_id, self.traversal_id, bool(self.is_update)

    @property
    def entries(self) -> dict[str, Any]:
        found = json.loads(self.input_data or "{}") or {}
        entries: dict[str, Any] = found.get("input_data", {})
        return entries


class TemplateRow(NamedTuple):
    """The columns of `raw_template`; texts as stored."""

    id: int
    template: str
    environment: str | None
    files_id: int | None


ROWS: dict[str, type[Any]] = {
    "stack": StackRow,
    "resource": ResourceRow,
    "sync_point": PointRow,
    "raw_template": TemplateRow,
}
KEYS = {
    "stack": ("id",),
    "resource": ("id",),
    "sync_point": ("entity_id", "traversal_id", "is_update"),
    "raw_template": ("id",),
}


@dataclass(frozen=True, slots=True)
class Change:
    """One row before and after; `old` None: inserted, `new` None: deleted."""

    table: str
    old: Any
    new: Any


@dataclass
class Ledger:
    """The rows as the last commit left them."""

    stacks: dict[str, StackRow] = field(default_factory=dict)
    resources: dict[int, ResourceRow] = field(default_factory=dict)
    points: dict[PointKey, PointRow] = field(default_factory=dict)
    templates: dict[int, TemplateRow] = field(default_factory=dict)
    rows_of: dict[str, dict[int, ResourceRow]] = field(default_factory=dict)
    points_of: dict[str, dict[PointKey, PointRow]] = field(default_factory=dict)
    pending: list[tuple[str, Any, Any]] = field(default_factory=list)
    moved: trio.Event | None = None

    def rows(self, stack_id: str) -> dict[int, ResourceRow]:
        return self.rows_of.get(stack_id, {})

    def points_under(self, stack_id: str) -> dict[PointKey, PointRow]:
        return self.points_of.get(stack_id, {})

    def live(self) -> list[StackRow]:
        return [row for row in self.stacks.values() if row.deleted_at is None]

    def children(self, stack_id: str) -> list[StackRow]:
        return [row for row in self.live() if row.owner_id == stack_id]

    def documents(self, template_id: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.templates[template_id].template)
        return found

    # --- transactions ----------------------------------------------------------------------

    def roll_back(self) -> None:
        self.pending.clear()

    def commit(self) -> list[Change]:
        """Take over what the transaction wrote; the changes in the order of their writing."""
        changes = []
        for table, key, new in self.pending:
            held: dict[Any, Any] = getattr(self, _HELD[table])
            old = held.get(key)
            if new is None:
                held.pop(key, None)
            else:
                held[key] = new
            if table in _BY_STACK:
                self._index(_BY_STACK[table], key, old, new)
            if old != new:
                changes.append(Change(table, old, new))
        self.pending.clear()
        if changes and self.moved is not None:
            self.moved.set()
            self.moved = None
        return changes

    def _index(self, name: str, key: Any, old: Any, new: Any) -> None:
        index: dict[str, dict[Any, Any]] = getattr(self, name)
        if new is None:
            if old is not None:
                index[old.stack_id].pop(key, None)
        else:
            index.setdefault(new.stack_id, {})[key] = new

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until the condition holds after a commit."""
        while not holds():
            if self.moved is None:
                self.moved = trio.Event()
            await self.moved.wait()


_HELD = {
    "stack": "stacks",
    "resource": "resources",
    "sync_point": "points",
    "raw_template": "templates",
}
_BY_STACK = {"resource": "rows_of", "sync_point": "points_of"}


class Feed:
    """Hands what triggers tell to the ledger of the running simulation."""

    def __init__(self) -> None:
        self.pending: list[tuple[str, Any, Any]] = []

    def attach(self, connection: sqlite3.Connection) -> None:
        """Make the triggers and the functions that they call."""
        for table, row in ROWS.items():
            keys = KEYS[table]
            connection.create_function(f"note_{table}", len(row._fields), self._noted(table, row))
            connection.create_function(f"gone_{table}", len(keys), self._gone(table))
            values = ", ".join(f"NEW.{name}" for name in row._fields)
            old = ", ".join(f"OLD.{name}" for name in keys)
            for verb in ("INSERT", "UPDATE"):
                connection.execute(
                    f"CREATE TEMP TRIGGER noted_{verb}_{table} AFTER {verb} ON {table} "
                    f"BEGIN SELECT note_{table}({values}); END"
                )
            connection.execute(
                f"CREATE TEMP TRIGGER gone_{table} AFTER DELETE ON {table} "
                f"BEGIN SELECT gone_{table}({old}); END"
            )

    def _noted(self, table: str, row: type[Any]) -> Callable[..., None]:
        make = row._make
        if table == "sync_point":

            def noted(*values: Any) -> None:
                self.pending.append((table, (values[0], values[1], bool(values[2])), make(values)))
        else:

            def noted(*values: Any) -> None:
                self.pending.append((table, values[0], make(values)))

        return noted

    def _gone(self, table: str) -> Callable[..., None]:
        def gone(*key: Any) -> None:
            named = (key[0], key[1], bool(key[2])) if table == "sync_point" else key[0]
            self.pending.append((table, named, None))

        return gone
