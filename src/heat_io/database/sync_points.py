"""The table `sync_point`: where the results of a node's predecessors meet.

Keyed by (entity, traversal, is_update); the entity is a resource id as text, or the stack's own id.
Never written by upsert: that would bring back what a newer traversal deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import batched
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, case, literal, select

from heat_core.stack.ids import StackId, TraversalId
from heat_core.stack.records import SyncPointRecord
from heat_io.database.ambient import ambient
from heat_io.database.schema import sync_point
from heat_io.database.values import INSERT_BATCH

UNTOUCHED: Final = 0
"""the atomic key that a sync point is created with"""
_KEY: Final = (
    sync_point.c.entity_id == bindparam("point_entity"),
    sync_point.c.traversal_id == bindparam("point_traversal"),
    sync_point.c.is_update == bindparam("point_is_update"),
)
# Made once: each arrival needs them.
_BY_KEY: Final = select(sync_point).where(*_KEY)
_OF_TRAVERSAL: Final = (
    sync_point.c.stack_id == bindparam("point_stack"),
    sync_point.c.traversal_id == bindparam("point_traversal"),
)
_ALL: Final = (
    select(sync_point)
    .where(*_OF_TRAVERSAL)
    .order_by(sync_point.c.entity_id, sync_point.c.is_update)
)
_DELETE: Final = sync_point.delete().where(*_OF_TRAVERSAL)
_DELETE_ALL: Final = sync_point.delete().where(sync_point.c.stack_id == bindparam("point_stack"))
_INSERT: Final = sync_point.insert()
_BY_ENTITIES: Final = (
    select(sync_point)
    .where(
        sync_point.c.entity_id.in_(bindparam("entities", expanding=True)),
        sync_point.c.traversal_id == bindparam("point_traversal"),
    )
    .with_for_update()
)
_UPDATE_IF: Final = sync_point.update().where(
    *_KEY, sync_point.c.atomic_key == bindparam("point_key")
)


def insert_many(connection: Connection, records: Sequence[SyncPointRecord]) -> None:
    """Store new sync points by one statement for a thousand of them."""
    now = ambient(connection).now()
    for batch in batched(records, INSERT_BATCH, strict=False):
        connection.execute(_INSERT, [_values(record, now) for record in batch])


def fetch(
    connection: Connection, entity_id: str, traversal_id: TraversalId | str, is_update: bool
) -> SyncPointRecord | None:
    """The sync point, or None when it was deleted."""
    row = connection.execute(_BY_KEY, _key(entity_id, traversal_id, is_update)).first()
    return None if row is None else _record(row)


def fetch_for_traversal(
    connection: Connection, stack_id: StackId, traversal_id: TraversalId | str
) -> list[SyncPointRecord]:
    """All sync points of a traversal, in key order."""
    of = {"point_stack": stack_id, "point_traversal": traversal_id}
    return [_record(row) for row in connection.execute(_ALL, of)]


def update_if(
    connection: Connection,
    entity_id: str,
    traversal_id: TraversalId | str,
    is_update: bool,
    *,
    atomic_key: int,
    input_data: Mapping[str, Any] | None = None,
    extra_data: Mapping[str, Any] | None = None,
) -> bool:
    """Store the data and move the atomic key one up, if it is still `atomic_key`.

    False: somebody else was faster, or the sync point is gone. None leaves a column as it is.
    Source: rules/i-convergence.md#27.
    """
    values = _key(entity_id, traversal_id, is_update) | {
        "point_key": atomic_key,
        "atomic_key": atomic_key + 1,
        "updated_at": ambient(connection).now(),
    }
    if input_data is not None:
        values["input_data"] = dict(input_data)
    if extra_data is not None:
        values["extra_data"] = dict(extra_data)
    return connection.execute(_UPDATE_IF, values).rowcount > 0


type Place = tuple[str, TraversalId | str, bool]
"""entity, traversal, is_update"""


def fetch_many(connection: Connection, places: Collection[Place]) -> dict[Place, SyncPointRecord]:
    """Those that exist, by one statement a traversal, held until the transaction ends.

    Held, because a batch that another engine's write made futile would have to start over.
    """
    found: dict[Place, SyncPointRecord] = {}
    for traversal in sorted({traversal for _, traversal, _ in places}):
        entities = sorted({place[0] for place in places if place[1] == traversal})
        wanted = {"entities": entities, "point_traversal": traversal}
        for row in connection.execute(_BY_ENTITIES, wanted):
            record = _record(row)
            found[record.entity_id, record.traversal_id, record.is_update] = record
    return found


@dataclass(frozen=True, slots=True)
class Change:
    """What `update_if` is asked for."""

    place: Place
    atomic_key: int
    input_data: Mapping[str, Any]
    extra_data: Mapping[str, Any] | None = None


def update_all_if(connection: Connection, changes: Sequence[Change]) -> bool:
    """Store the data of several sync points, by one statement for those that are alike.

    False when one of them is gone, or has another atomic key: then some may have been stored, and
    the transaction is to be rolled back. No sync point may be named twice.
    """
    groups: dict[object, list[Change]] = {}
    for change in changes:
        _, traversal, is_update = change.place
        kind = (traversal, is_update, change.atomic_key, change.extra_data is None)
        groups.setdefault(kind, []).append(change)
    return all(_update_group(connection, group) for group in groups.values())


def _update_group(connection: Connection, group: Sequence[Change]) -> bool:
    first = group[0]
    _, traversal, is_update = first.place
    if len(group) == 1:
        return update_if(
            connection,
            *first.place,
            atomic_key=first.atomic_key,
            input_data=first.input_data,
            extra_data=first.extra_data,
        )
    values: dict[str, Any] = {
        "atomic_key": first.atomic_key + 1,
        "updated_at": ambient(connection).now(),
        "input_data": _by_entity({one.place[0]: one.input_data for one in group}),
    }
    if first.extra_data is not None:
        values["extra_data"] = _by_entity({one.place[0]: one.extra_data for one in group})
    statement = sync_point.update().where(
        sync_point.c.entity_id.in_([one.place[0] for one in group]),
        sync_point.c.traversal_id == traversal,
        sync_point.c.is_update == is_update,
        sync_point.c.atomic_key == first.atomic_key,
    )
    return connection.execute(statement.values(values)).rowcount == len(group)


def _by_entity(values: Mapping[str, Any]) -> Any:
    kind = sync_point.c.input_data.type
    chosen = {entity: literal(value, kind) for entity, value in values.items()}
    return case(chosen, value=sync_point.c.entity_id)


def delete_for_traversal(
    connection: Connection, stack_id: StackId, traversal_id: TraversalId | str
) -> int:
    """Delete the sync points of a traversal; how many there were."""
    of = {"point_stack": stack_id, "point_traversal": traversal_id}
    return connection.execute(_DELETE, of).rowcount


def delete_for_stack(connection: Connection, stack_id: StackId) -> int:
    """Delete those of all traversals; how many there were."""
    return connection.execute(_DELETE_ALL, {"point_stack": stack_id}).rowcount


def _key(entity_id: str, traversal_id: TraversalId | str, is_update: bool) -> dict[str, Any]:
    return {
        "point_entity": str(entity_id),
        "point_traversal": traversal_id,
        "point_is_update": is_update,
    }


def _values(record: SyncPointRecord, now: datetime) -> dict[str, Any]:
    return {
        "entity_id": str(record.entity_id),
        "traversal_id": record.traversal_id,
        "is_update": record.is_update,
        "atomic_key": record.atomic_key,
        "stack_id": record.stack_id,
        "input_data": dict(record.input_data),
        "extra_data": record.extra_data,
        "created_at": now,
    }


def _record(row: Row[Any]) -> SyncPointRecord:
    return SyncPointRecord(
        entity_id=row.entity_id,
        traversal_id=row.traversal_id,
        is_update=bool(row.is_update),
        stack_id=row.stack_id,
        atomic_key=row.atomic_key,
        input_data=row.input_data or {},
        extra_data=row.extra_data,
    )
