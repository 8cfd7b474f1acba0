"""The table `event`: what happened to a stack's resources, and to the stack itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import batched
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, func, select

from heat_core.stack.ids import StackId
from heat_core.stack.records import EventRecord
from heat_io.database import properties_data
from heat_io.database.ambient import Retention, ambient
from heat_io.database.appends import append
from heat_io.database.pages import Page, filtered, paged
from heat_io.database.schema import event, stack
from heat_io.database.values import INSERT_BATCH

_INSERT: Final = event.insert()
_REASON_LENGTH: Final = 255
_SORT_KEYS: Final = {"event_time": "created_at", "resource_type": "resource_type"}
_FILTERS: Final = frozenset(
    {"resource_status", "resource_action", "resource_name", "resource_type", "uuid", "stack_id"}
)


@dataclass(frozen=True, slots=True)
class EventQuery:
    """Filters (exact, a sequence is IN) and the page that is wanted (rules/o-listing.md#16-20)."""

    filters: Mapping[str, Any] = field(default_factory=dict)
    page: Page = field(default_factory=Page)


def insert_many(
    connection: Connection, records: Sequence[EventRecord], retention: Retention | None = None
) -> None:
    """Store events by one statement for a thousand, in order; old ones may be purged first.

    Each event has the chance of 2 in `purge_batch` to cause a purge of its stack: the count then
    costs little on average (rules/g-events-status.md#16). `retention` is the database's own unless
    given. In a transaction that gathers what is added, they are stored at its end.
    """
    if not records:
        return
    _retain(connection, records, retention or ambient(connection).retention)
    append(connection, _insert, records)


def _insert(connection: Connection, records: Sequence[EventRecord]) -> None:
    now = ambient(connection).now()
    for batch in batched(records, INSERT_BATCH, strict=False):
        connection.execute(_INSERT, [_values(record, now) for record in batch])


def fetch(
    connection: Connection, stack_id: StackId, uuid: str, *, resource_name: str | None = None
) -> tuple[EventRecord, Mapping[str, Any] | None] | None:
    """One event of a stack with the properties at that time, or None (rules/o-listing.md#19)."""
    query = select(event).where(event.c.stack_id == stack_id, event.c.uuid == uuid)
    if resource_name is not None:
        query = query.where(event.c.resource_name == resource_name)
    row = connection.execute(query).first()
    if row is None:
        return None
    record = _record(row)
    if record.properties_data_id is None:
        return record, None
    return record, properties_data.fetch(connection, record.properties_data_id)


def list_for_stack(
    connection: Connection, stack_id: StackId, query: EventQuery | None = None
) -> list[EventRecord]:
    """Events of one stack, of a deleted one too."""
    return _list(connection, select(event).where(event.c.stack_id == stack_id), query)


def list_for_stacks(
    connection: Connection,
    tenant: str,
    stack_ids: Sequence[StackId] | None = None,
    query: EventQuery | None = None,
) -> list[EventRecord]:
    """Events of the live stacks of a project, of those in `stack_ids` where given."""
    base = (
        select(event)
        .join(stack, stack.c.id == event.c.stack_id)
        .where(stack.c.tenant == tenant, stack.c.deleted_at.is_(None))
    )
    if stack_ids is not None:
        base = base.where(event.c.stack_id.in_(list(stack_ids)))
    return _list(connection, base, query)


def count(connection: Connection, stack_id: StackId) -> int:
    """How many events the stack has."""
    query = select(func.count()).select_from(event).where(event.c.stack_id == stack_id)
    return int(connection.execute(query).scalar_one())


def purge_oldest(connection: Connection, stack_id: StackId, limit: int) -> int:
    """Delete the stack's oldest events with property data that nothing refers to any more."""
    query = (
        select(event.c.id, event.c.rsrc_prop_data_id)
        .where(event.c.stack_id == stack_id)
        .order_by(event.c.id)
        .limit(limit)
    )
    rows = connection.execute(query).all()
    if not rows:
        return 0
    connection.execute(event.delete().where(event.c.id.in_([row.id for row in rows])))
    properties_data.delete_unreferenced(connection, [row.rsrc_prop_data_id for row in rows])
    return len(rows)


def _retain(connection: Connection, records: Sequence[EventRecord], retention: Retention) -> None:
    if not retention.max_events:
        return
    random = ambient(connection).random
    chance = 2.0 / retention.purge_batch
    due = dict.fromkeys(record.stack_id for record in records if chance > random())
    for stack_id in due:
        if count(connection, stack_id) >= retention.max_events:
            purge_oldest(connection, stack_id, retention.purge_batch)


def _list(connection: Connection, base: Select[Any], query: EventQuery | None) -> list[EventRecord]:
    wanted = query or EventQuery()
    statement = filtered(base, event, wanted.filters, _FILTERS)
    marker = None
    if wanted.page.marker:
        marker = connection.execute(select(event).where(event.c.uuid == wanted.page.marker)).first()
    statement = paged(statement, event, wanted.page, _SORT_KEYS, marker)
    return [_record(row) for row in connection.execute(statement)]


def _values(record: EventRecord, now: Any) -> dict[str, Any]:
    return {
        "uuid": record.uuid,
        "stack_id": record.stack_id,
        "resource_action": str(record.resource_action),
        "resource_status": str(record.resource_status),
        "resource_name": record.resource_name,
        "physical_resource_id": record.physical_resource_id,
        "resource_status_reason": (record.resource_status_reason or "")[:_REASON_LENGTH],
        "resource_type": record.resource_type,
        "rsrc_prop_data_id": record.properties_data_id,
        "created_at": record.created_at or now,
    }


def _record(row: Row[Any]) -> EventRecord:
    return EventRecord(
        id=row.id,
        uuid=row.uuid,
        stack_id=row.stack_id,
        resource_action=row.resource_action,
        resource_status=row.resource_status,
        resource_name=row.resource_name,
        physical_resource_id=row.physical_resource_id,
        resource_status_reason=row.resource_status_reason or "",
        resource_type=row.resource_type,
        properties_data_id=row.rsrc_prop_data_id,
        created_at=row.created_at,
    )
