"""The table `resource`: one row a resource and generation, and the row's lock.

The lock is `engine_id` with `atomic_key`, a compare-and-swap on state writes
(rules/i-convergence.md#21). Removal is in heat_io.database.resource_removal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import batched
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import (
    Connection,
    Exists,
    Pool,
    Row,
    Update,
    bindparam,
    exists,
    func,
    or_,
    select,
)

from heat_core.stack.ids import EngineId, PropertiesDataId, ResourceId, StackId, TraversalId
from heat_core.stack.records import ResourceRecord
from heat_core.stack.states import Action, Status
from heat_io.database import properties_data, resource_data
from heat_io.database.ambient import ambient
from heat_io.database.schema import resource, stack
from heat_io.database.values import INSERT_BATCH, columns_of, same

_FIELDS: Final[Mapping[str, str]] = {
    "uuid": "uuid",
    "name": "name",
    "stack_id": "stack_id",
    "root_stack_id": "root_stack_id",
    "physical_id": "nova_instance",
    "action": "action",
    "status": "status",
    "status_reason": "status_reason",
    "metadata": "rsrc_metadata",
    "engine_id": "engine_id",
    "atomic_key": "atomic_key",
    "requires": "requires",
    "needed_by": "needed_by",
    "replaces": "replaces",
    "replaced_by": "replaced_by",
    "current_template_id": "current_template_id",
    "properties_data_id": "rsrc_prop_data_id",
    "attributes_data_id": "attr_data_id",
    "created_at": "created_at",
    "updated_at": "updated_at",
}


# Statements on the path of every node are made once: making one takes four times as long as
# running it. Their parameters have names that no column has.
_BY_ID: Final = select(resource).where(resource.c.id == bindparam("row_id"))


def in_traversal(stack_id: Any, traversal_id: Any) -> Exists:
    """That the live stack is in this traversal."""
    return exists().where(
        stack.c.id == stack_id,
        stack.c.current_traversal == traversal_id,
        stack.c.deleted_at.is_(None),
    )


_IN_TRAVERSAL: Final = in_traversal(bindparam("row_stack"), bindparam("row_traversal"))


def _update_held(*, free: bool, keyless: bool, in_traversal: bool) -> Update:
    """Update a row that has the given engine and key; NULL, which is not a parameter, where
    `free` and `keyless` say so."""
    engine, key = resource.c.engine_id, resource.c.atomic_key
    statement = resource.update().where(
        resource.c.id == bindparam("row_id"),
        engine.is_(None) if free else engine == bindparam("row_engine"),
        key.is_(None) if keyless else key == bindparam("row_key"),
    )
    return statement.where(_IN_TRAVERSAL) if in_traversal else statement


_UPDATE_HELD: Final = {
    (free, keyless, in_traversal): _update_held(
        free=free, keyless=keyless, in_traversal=in_traversal
    )
    for free in (True, False)
    for keyless in (True, False)
    for in_traversal in (True, False)
}
_INSERT: Final = resource.insert()
_HIGHEST: Final = select(func.max(resource.c.id))
_UPDATE: Final = resource.update().where(resource.c.id == bindparam("row_id"))
_IDS: Final = select(resource.c.uuid, resource.c.id).where(
    resource.c.uuid.in_(bindparam("uuids", expanding=True))
)
_BY_STACK: Final = (
    select(resource).where(resource.c.stack_id == bindparam("row_stack")).order_by(resource.c.id)
)
_REPLACED: Final = (
    select(resource)
    .where(
        resource.c.stack_id == bindparam("row_stack"),
        resource.c.name == bindparam("row_name"),
        resource.c.replaced_by == bindparam("row_id"),
    )
    .order_by(resource.c.id)
)
_HELD: Final = select(resource.c.id, resource.c.engine_id, resource.c.atomic_key).where(
    resource.c.stack_id == bindparam("row_stack"), resource.c.engine_id.is_not(None)
)
_SET_PHYSICAL_ID: Final = (
    resource.update()
    .where(resource.c.id == bindparam("row_id"), resource.c.engine_id == bindparam("row_engine"))
    .values(nova_instance=bindparam("physical_id"))
)


def insert_many(connection: Connection, records: Sequence[ResourceRecord]) -> dict[str, ResourceId]:
    """Store new rows by one statement for a thousand of them; {uuid: id}.

    The records' own ids are not used. The ids come back by uuid: counting from the first one
    would be wrong with several writers (and with auto_increment_increment on Galera).
    """
    found: dict[str, ResourceId] = {}
    for batch in batched(records, INSERT_BATCH, strict=False):
        rows = [_row(connection, record) for record in batch]
        if connection.dialect.name == "sqlite":
            fresh = _fresh_ids(connection, len(rows))
            rows = [{**row, "id": row_id} for row, row_id in zip(rows, fresh, strict=True)]
        connection.execute(_INSERT, rows)
        stored = connection.execute(_IDS, {"uuids": [record.uuid for record in batch]})
        found.update((row.uuid, row.id) for row in stored)
    return found


_highest_ids: WeakKeyDictionary[Pool, int] = WeakKeyDictionary()
"""by the pool, which the engines of one database share"""


def _fresh_ids(connection: Connection, count: int) -> range:
    """Ids that no row has had while this process runs.

    SQLite hands the highest id out again once its row is removed; graphs and messages of a
    traversal go on to mean the old row by it. One process writes to such a database.
    """
    stored: int = connection.execute(_HIGHEST).scalar_one() or 0
    pool = connection.engine.pool
    first = max(stored, _highest_ids.get(pool, 0)) + 1
    _highest_ids[pool] = first + count - 1
    return range(first, first + count)


def insert_replacement(
    connection: Connection,
    replacement: ResourceRecord,
    *,
    replaced: ResourceId,
    atomic_key: int | None,
    engine_id: EngineId | None = None,
) -> ResourceId | None:
    """Store the row that replaces `replaced` and point the old row at it.

    None, and nothing stored, when the old row is not in the state that was expected
    (rules/h-updates.md#18). Must run in a transaction: an IntegrityError when the template is
    gone leaves the old row to be rolled back (rules/h-updates.md#19).
    """
    # The condition first: a transaction shared with others can't be rolled back for this one.
    held = update_if(connection, replaced, engine_id=engine_id, atomic_key=atomic_key, values={})
    if not held:
        return None
    new_id = insert_many(connection, [replacement])[replacement.uuid]
    connection.execute(_UPDATE, {"row_id": replaced, "replaced_by": new_id})
    return new_id


def fetch(
    connection: Connection,
    resource_id: ResourceId,
    *,
    with_properties: bool = False,
    with_data: bool = False,
    with_attributes: bool = False,
) -> ResourceRecord | None:
    """The row, or None. See `fetch_by_stack` for the options."""
    rows = connection.execute(_BY_ID, {"row_id": resource_id}).all()
    found = _records(connection, rows, with_properties, with_data, with_attributes)
    return found[0] if found else None


def fetch_many(
    connection: Connection,
    resource_ids: Sequence[ResourceId],
    *,
    with_properties: bool = False,
    with_data: bool = False,
    with_attributes: bool = False,
) -> dict[ResourceId, ResourceRecord]:
    """The rows that exist among `resource_ids`, by id."""
    if not resource_ids:
        return {}
    query = select(resource).where(resource.c.id.in_(sorted(resource_ids))).order_by(resource.c.id)
    rows = connection.execute(query).all()
    found = _records(connection, rows, with_properties, with_data, with_attributes)
    return {record.id: record for record in found}


def fetch_by_stack(
    connection: Connection,
    stack_id: StackId,
    *,
    with_properties: bool = False,
    with_data: bool = False,
    with_attributes: bool = False,
) -> list[ResourceRecord]:
    """All rows of the stack in id order, replaced and deleted ones too.

    Each option costs one more statement, whatever the number of rows: properties (decrypted),
    resource data, cached attributes. Without it the record's field is None or empty.
    """
    rows = connection.execute(_BY_STACK, {"row_stack": stack_id}).all()
    return _records(connection, rows, with_properties, with_data, with_attributes)


def fetch_replaced(connection: Connection, row: ResourceRecord) -> ResourceRecord | None:
    """The row that this one replaces, by its own word or, once that is withdrawn, by the other's.

    The row that was replaced last, when several say so.
    """
    if row.replaces is not None:
        return fetch(connection, row.replaces)
    which = {"row_stack": row.stack_id, "row_name": row.name, "row_id": row.id}
    rows = connection.execute(_REPLACED, which).all()
    found = _records(connection, rows, False, False, False)
    return found[-1] if found else None


def fetch_by_name(
    connection: Connection,
    stack_id: StackId,
    name: str,
    *,
    with_properties: bool = False,
    with_data: bool = False,
    with_attributes: bool = False,
) -> list[ResourceRecord]:
    """The rows of that name in id order; the last one wins (rules/i-convergence.md#38)."""
    query = select(resource).where(resource.c.stack_id == stack_id, resource.c.name == name)
    rows = connection.execute(query.order_by(resource.c.id)).all()
    return _records(connection, rows, with_properties, with_data, with_attributes)


def fetch_by_physical_id(connection: Connection, physical_id: str) -> list[ResourceRecord]:
    """The rows with that physical id in id order, of any stack."""
    query = select(resource).where(resource.c.nova_instance == physical_id)
    rows = connection.execute(query.order_by(resource.c.id)).all()
    return _records(connection, rows, False, False, False)


def update_if(
    connection: Connection,
    resource_id: ResourceId,
    *,
    engine_id: EngineId | None,
    atomic_key: int | None,
    values: Mapping[str, Any],
    bump: bool = True,
    in_traversal: tuple[StackId, TraversalId] | None = None,
) -> bool:
    """Store `values` if the row still has `engine_id` and `atomic_key`; False if it has not.

    With `bump` the atomic key goes one up, NULL to 1 (rules/i-convergence.md#21). False too when
    the live stack is not `in_traversal` any more, where that is given.
    """
    stored = columns(connection, values)
    if bump:
        stored["atomic_key"] = 1 if atomic_key is None else atomic_key + 1
    parameters: dict[str, Any] = {**stored, "row_id": resource_id}
    if engine_id is not None:
        parameters["row_engine"] = engine_id
    if atomic_key is not None:
        parameters["row_key"] = atomic_key
    if in_traversal is not None:
        parameters["row_stack"], parameters["row_traversal"] = in_traversal
    statement = _UPDATE_HELD[engine_id is None, atomic_key is None, in_traversal is not None]
    return connection.execute(statement, parameters).rowcount > 0


def update(connection: Connection, resource_id: ResourceId, values: Mapping[str, Any]) -> bool:
    """Store `values` whoever holds the row, without a bump; False when the row is gone."""
    stored = columns(connection, values)
    return connection.execute(_UPDATE, {**stored, "row_id": resource_id}).rowcount > 0


def set_physical_id(
    connection: Connection, resource_id: ResourceId, engine_id: EngineId, physical_id: str | None
) -> bool:
    """Store the physical id if `engine_id` holds the row; False: the lock was taken away.

    The atomic key stays, as Heat's does here.
    """
    parameters = {"row_id": resource_id, "row_engine": engine_id, "physical_id": physical_id}
    return connection.execute(_SET_PHYSICAL_ID, parameters).rowcount > 0


def take_over(
    connection: Connection,
    resource_id: ResourceId,
    dead: EngineId,
    atomic_key: int | None,
    mine: EngineId,
) -> bool:
    """Make `mine` the holder of a row that the dead engine held; its state stays as it is."""
    return update_if(
        connection,
        resource_id,
        engine_id=dead,
        atomic_key=atomic_key,
        values={"engine_id": mine},
    )


def set_attributes(
    connection: Connection,
    resource_id: ResourceId,
    atomic_key: int | None,
    data_id: PropertiesDataId,
) -> bool:
    """Point the row at its cached attributes if it is free and unchanged.

    False: the caller deletes the data row that it has just written (rules/i-convergence.md#24).
    """
    result = connection.execute(
        resource.update()
        .where(
            resource.c.id == resource_id,
            resource.c.engine_id.is_(None),
            same(resource.c.atomic_key, atomic_key),
            or_(resource.c.attr_data_id.is_(None), resource.c.attr_data_id == data_id),
        )
        .values(attr_data_id=data_id, atomic_key=1 if atomic_key is None else atomic_key + 1)
    )
    return result.rowcount > 0


class HeldRow(NamedTuple):
    """A row's lock: two that differ are two claims, be it of the same engine."""

    row_id: ResourceId
    engine_id: EngineId
    atomic_key: int | None


def held_rows(connection: Connection, stack_id: StackId) -> frozenset[HeldRow]:
    """The rows of the stack that engines hold."""
    found = connection.execute(_HELD, {"row_stack": stack_id})
    return frozenset(
        HeldRow(ResourceId(row_id), EngineId(engine_id), atomic_key)
        for row_id, engine_id, atomic_key in found
    )


def count_under(connection: Connection, root_stack_id: StackId) -> int:
    """How many rows there are under a root stack, in its nested stacks too, by the index."""
    query = select(func.count()).where(resource.c.root_stack_id == root_stack_id)
    return int(connection.execute(query).scalar_one())


def count_of(connection: Connection, stack_id: StackId) -> int:
    """How many rows the stack itself has."""
    query = select(func.count()).where(resource.c.stack_id == stack_id)
    return int(connection.execute(query).scalar_one())


def stacks_under(connection: Connection, root_stack_id: StackId) -> frozenset[StackId]:
    """The stacks that have resources under that root stack."""
    query = select(resource.c.stack_id).where(resource.c.root_stack_id == root_stack_id)
    return frozenset(StackId(found) for found in connection.execute(query.distinct()).scalars())


def columns(connection: Connection, values: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a ResourceRecord as column values; raises UnknownField."""
    return columns_of(connection, _FIELDS, _encoded(values))


def _encoded(values: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(values)
    if "requires" in found:
        # As Heat writes it: highest first (rules/j-encodings.md#11).
        found["requires"] = sorted(set(found["requires"]), reverse=True)
    if "needed_by" in found:
        found["needed_by"] = list(found["needed_by"])
    return found


def _row(connection: Connection, record: ResourceRecord) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in _FIELDS}
    if record.created_at is None:
        values["created_at"] = ambient(connection).now()
    stored = columns(connection, values)
    # A column of old releases; unset it holds the text null.
    stored["properties_data"] = None
    return stored


def record_of(
    row: Row[Any], properties: Mapping[str, Any] | None, data: Mapping[str, str]
) -> ResourceRecord:
    """The record of a row of `resource` with what was read of its properties and its data."""
    return _record(row, properties, None, data)


def _records(
    connection: Connection,
    rows: Sequence[Row[Any]],
    with_properties: bool,
    with_data: bool,
    with_attributes: bool,
) -> list[ResourceRecord]:
    properties: Mapping[Any, Mapping[str, Any]] = {}
    attributes: Mapping[Any, Mapping[str, Any]] = {}
    data: Mapping[Any, Mapping[str, str]] = {}
    if with_properties:
        ids = [row.rsrc_prop_data_id for row in rows if row.rsrc_prop_data_id is not None]
        properties = properties_data.fetch_many(connection, ids)
    if with_attributes:
        ids = [row.attr_data_id for row in rows if row.attr_data_id is not None]
        attributes = properties_data.fetch_many(connection, ids)
    if with_data:
        data = resource_data.fetch_many(connection, [row.id for row in rows])
    return [
        _record(
            row,
            properties.get(row.rsrc_prop_data_id, old_properties(connection, row))
            if with_properties
            else None,
            attributes.get(row.attr_data_id),
            data.get(row.id, {}),
        )
        for row in rows
    ]


def old_properties(connection: Connection, row: Row[Any]) -> Mapping[str, Any] | None:
    """Properties in the row itself, as old releases wrote them."""
    stored: Mapping[str, Any] | None = row.properties_data
    if stored and row.properties_data_encrypted:
        return ambient(connection).require_cipher().decrypt_values(stored)
    return stored


def _record(
    row: Row[Any],
    properties: Mapping[str, Any] | None,
    attributes: Mapping[str, Any] | None,
    data: Mapping[str, str],
) -> ResourceRecord:
    return ResourceRecord(
        id=row.id,
        uuid=row.uuid,
        name=row.name,
        stack_id=row.stack_id,
        root_stack_id=row.root_stack_id,
        physical_id=row.nova_instance,
        action=Action(row.action),
        status=Status(row.status),
        status_reason=row.status_reason,
        metadata=row.rsrc_metadata,
        engine_id=row.engine_id,
        atomic_key=row.atomic_key,
        requires=tuple(row.requires or ()),
        needed_by=tuple(row.needed_by or ()),
        replaces=row.replaces,
        replaced_by=row.replaced_by,
        current_template_id=row.current_template_id,
        properties_data_id=row.rsrc_prop_data_id,
        attributes_data_id=row.attr_data_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        properties=properties,
        attributes=attributes,
        data=data,
    )
