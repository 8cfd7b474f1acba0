"""What the database says after a kill, and what it should not say any more after the end."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.crash.tree import Tree

CLEAN_UP_SECONDS = 10.0

type Ask = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
"""The rows that a query gives; its parameters are written as ?"""


def ask_sqlite(path: Path) -> Ask:
    """Queries of a SQLite file that others write."""

    def ask(query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return database.execute(query, parameters).fetchall()

    return ask


def ask_mariadb(**connection: Any) -> Ask:
    """Queries of a MariaDB; `connection` is what asyncmy.connect takes."""
    import asyncmy

    async def run(query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        database = await asyncmy.connect(autocommit=True, **connection)
        try:
            async with database.cursor() as cursor:
                await cursor.execute(query.replace("?", "%s"), tuple(parameters) or None)
                return list(await cursor.fetchall())
        finally:
            database.close()

    return lambda query, parameters=(): asyncio.run(run(query, parameters))


@dataclass(frozen=True, slots=True)
class Left:
    """What a kill left of a tree in the database."""

    state: str | None
    rows: str = "no rows"
    nested: str = ""
    last_row: str = "none"

    def in_progress(self, operation: str) -> bool:
        return self.state == f"{operation.upper()}_IN_PROGRESS"

    def ended(self, operation: str) -> bool:
        """Whether the operation was over already."""
        return self.state == (None if operation == "delete" else f"{operation.upper()}_COMPLETE")

    def __str__(self) -> str:
        return f"{self.state or 'no stack'}, {self.rows}{self.nested}, last {self.last_row}"


def left(ask: Ask, name: str) -> Left:
    """The state of the stack and of all rows of its tree."""
    found = ask(
        "SELECT id, action, status FROM stack"
        " WHERE name = ? AND owner_id IS NULL AND deleted_at IS NULL",
        (name,),
    )
    if not found:
        return Left(None)
    [(root, action, status)] = found
    [(rows, locked, complete)] = ask(
        "SELECT count(*), coalesce(sum(engine_id IS NOT NULL), 0),"
        " coalesce(sum(status = 'COMPLETE' AND action != 'INIT'), 0)"
        " FROM resource WHERE root_stack_id = ?",
        (root,),
    )
    nested = ask(
        "SELECT status FROM stack WHERE id != ? AND deleted_at IS NULL"
        " AND owner_id IS NOT NULL AND tenant = (SELECT tenant FROM stack WHERE id = ?)",
        (root, root),
    )
    busy = sum(one == ("IN_PROGRESS",) for one in nested)
    last = ask(
        "SELECT name, action, status, engine_id FROM resource WHERE root_stack_id = ?"
        " ORDER BY coalesce(updated_at, created_at) DESC, id DESC LIMIT 1",
        (root,),
    )
    shown = "none"
    if last:
        [(row, row_action, row_status, engine)] = last
        shown = f"{row} {row_action}_{row_status}{', locked' if engine else ''}"
    return Left(
        f"{action}_{status}",
        f"{rows} rows ({complete} COMPLETE, {locked} locked)",
        f", {busy} of {len(nested)} nested stacks busy" if nested else "",
        shown,
    )


def leftovers(ask: Ask, tree: Tree | None) -> list[str]:
    """What an operation that has ended should have cleaned up in the database, but hasn't.

    Nothing else than the tree is in the database; None: it is deleted.
    """
    deadline = time.monotonic() + CLEAN_UP_SECONDS
    while True:
        # The purge follows the final state.
        wrong = _leftovers(ask, tree)
        if not wrong or time.monotonic() > deadline:
            return wrong
        time.sleep(0.1)


def _leftovers(ask: Ask, tree: Tree | None) -> list[str]:
    [(rows, locked, unfinished)] = ask(
        "SELECT count(*), coalesce(sum(engine_id IS NOT NULL), 0),"
        " coalesce(sum(status != 'COMPLETE' OR action IN ('INIT', 'DELETE')), 0) FROM resource",
        (),
    )
    [(points,)] = ask("SELECT count(*) FROM sync_point", ())
    stacks = ask(
        "SELECT id, name, status, owner_id FROM stack WHERE deleted_at IS NULL",
        (),
    )
    parents = ask(
        # The column of the physical id is called so.
        "SELECT resource.stack_id, child.id FROM resource"
        " JOIN stack child ON child.id = resource.nova_instance",
        (),
    )
    wanted_rows, wanted_stacks = (0, 0) if tree is None else (tree.rows, tree.stacks)
    wrong = []
    if rows != wanted_rows:
        wrong.append(f"{rows} rows of resources instead of {wanted_rows}")
    if len(stacks) != wanted_stacks:
        wrong.append(f"{len(stacks)} stacks instead of {wanted_stacks}")
    wrong += [f"{locked} rows are locked"] * bool(locked)
    wrong += [f"{unfinished} rows are not COMPLETE"] * bool(unfinished)
    wrong += [f"{points} sync points are left"] * bool(points)
    known = {(owner, child) for owner, child in parents}
    for stack_id, name, status, owner in stacks:
        if status != "COMPLETE":
            wrong.append(f"{name} is {status}")
        if owner is not None and (owner, stack_id) not in known:
            wrong.append(f"no resource of its owner has the nested stack {name}")
    return wrong
