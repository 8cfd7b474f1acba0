"""Compare-and-swap updates of many resource rows by one statement.

Rows whose lock is expected in the same state, and that get values for the same columns, are
updated together: a value that all of them get is one parameter, values that differ are chosen by
the row's id. The number of rows that matched tells whether every condition held; which one did not
is nobody's business here, since the caller then starts over with one row a statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, case, literal

from heat_core.stack.ids import EngineId, ResourceId, StackId, TraversalId
from heat_io.database import resources
from heat_io.database.schema import resource
from heat_io.database.values import same


@dataclass(frozen=True, slots=True)
class HeldUpdate:
    """What `resources.update_if` is asked for."""

    resource_id: ResourceId
    engine_id: EngineId | None
    atomic_key: int | None
    values: Mapping[str, Any]
    in_traversal: tuple[StackId, TraversalId] | None = None
    bump: bool = True


@dataclass(frozen=True, slots=True)
class HeldId:
    """What `resources.set_physical_id` is asked for."""

    resource_id: ResourceId
    engine_id: EngineId
    physical_id: str


def update_all_if(connection: Connection, updates: Sequence[HeldUpdate]) -> bool:
    """Store the values of all if all rows are as expected.

    False when one is not: then some may have been stored, and the transaction is to be rolled
    back. No row may be named twice.
    """
    if len(updates) == 1:
        return _update_one(connection, updates[0])
    groups: dict[object, list[HeldUpdate]] = {}
    for update in updates:
        lock = (update.engine_id, update.atomic_key, update.in_traversal, update.bump)
        groups.setdefault((lock, tuple(sorted(update.values))), []).append(update)
    return all(_update_group(connection, group) for group in groups.values())


def _update_one(connection: Connection, update: HeldUpdate) -> bool:
    return resources.update_if(
        connection,
        update.resource_id,
        engine_id=update.engine_id,
        atomic_key=update.atomic_key,
        values=update.values,
        in_traversal=update.in_traversal,
        bump=update.bump,
    )


def set_all_physical_ids(connection: Connection, ids: Sequence[HeldId]) -> bool:
    """Store all physical ids if each row has its engine; as `update_all_if`."""
    engines = {held.engine_id for held in ids}
    if len(ids) == 1 or len(engines) > 1:
        return all(
            resources.set_physical_id(
                connection, held.resource_id, held.engine_id, held.physical_id
            )
            for held in ids
        )
    chosen = _value_of("nova_instance", {held.resource_id: held.physical_id for held in ids})
    statement = (
        resource.update()
        .where(
            resource.c.id.in_(sorted(held.resource_id for held in ids)),
            resource.c.engine_id == engines.pop(),
        )
        .values(nova_instance=chosen)
    )
    return connection.execute(statement).rowcount == len(ids)


def _update_group(connection: Connection, group: Sequence[HeldUpdate]) -> bool:
    if len(group) == 1:
        return _update_one(connection, group[0])
    first = group[0]
    rows = {update.resource_id: resources.columns(connection, update.values) for update in group}
    values: dict[str, Any] = {
        name: _value_of(name, {row: columns[name] for row, columns in rows.items()})
        for name in next(iter(rows.values()))
    }
    if first.bump:
        values["atomic_key"] = 1 if first.atomic_key is None else first.atomic_key + 1
    statement = resource.update().where(
        resource.c.id.in_(sorted(rows)),
        same(resource.c.engine_id, first.engine_id),
        same(resource.c.atomic_key, first.atomic_key),
    )
    if first.in_traversal is not None:
        statement = statement.where(resources.in_traversal(*first.in_traversal))
    return connection.execute(statement.values(values)).rowcount == len(rows)


def _value_of(column: str, by_row: Mapping[ResourceId, Any]) -> Any:
    """One value for all, or an expression that chooses it by the row's id."""
    values = list(by_row.values())
    kind = resource.c[column].type
    if all(value == values[0] for value in values[1:]):
        return literal(values[0], kind)
    chosen = {row: literal(value, kind) for row, value in by_row.items()}
    return case(chosen, value=resource.c.id)
