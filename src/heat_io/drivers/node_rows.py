"""What the writes of a visit have in common: how a row is after them, and what goes with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from sqlalchemy import Connection

from heat_core.procedure import Datum, StoreCreated
from heat_core.stack.records import ResourceRecord
from heat_io.database import Applied, Lost, properties_data, resource_data, resources


@dataclass(frozen=True, slots=True)
class Owed:
    """The id and data of what was made within this process, to be stored with the outcome."""

    before: ResourceRecord
    request: StoreCreated

    @property
    def row(self) -> ResourceRecord:
        """The row with them."""
        values = {datum.key: datum.value for datum in self.request.data}
        return with_data(replace(self.before, physical_id=self.request.physical_id), values)

    def storing(self) -> Callable[[Connection], None]:
        """Stores the data; to be called in each try of one write."""
        row, request, tries = self.before, self.request, count()

        def store(connection: Connection) -> None:
            # Nobody but the holder stores data of what has not been made yet. When this is tried
            # once more, the first try may have done it.
            new = next(tries) == 0 and row.physical_id is None and not row.data
            store_data(connection, row, request.data, none_there=new)

        return store


def without_attributes(row: ResourceRecord) -> dict[str, Any]:
    """What Heat has cached of a resource is worth nothing once something is done to it.

    Our engines read attributes anew each time; Heat's would go on with the old ones.
    """
    return {} if row.attributes_data_id is None else {"attributes_data_id": None}


def drop_attributes(connection: Connection, row: ResourceRecord) -> None:
    """Remove what a row that goes `without_attributes` had cached."""
    properties_data.delete(connection, [row.attributes_data_id])


def holds_as(current: ResourceRecord, expected: ResourceRecord) -> bool:
    """Whether the row's lock is as a write expected it: then it failed for another reason."""
    return (current.engine_id, current.atomic_key) == (expected.engine_id, expected.atomic_key)


def bumped(atomic_key: int | None) -> int:
    """The key after a write that was conditional on this one (rules/i-convergence.md#21)."""
    return 1 if atomic_key is None else atomic_key + 1


def as_written(row: ResourceRecord, values: Mapping[str, Any]) -> ResourceRecord:
    """The row after a write of these values that bumped its key."""
    return replace(row, **values, atomic_key=bumped(row.atomic_key))


def with_data(row: ResourceRecord, values: Mapping[str, str | None]) -> ResourceRecord:
    """The row with these values in its data; None takes one out."""
    data = {key: value for key, value in row.data.items() if key not in values}
    data |= {key: value for key, value in values.items() if value is not None}
    return replace(row, data=data)


def matching(connection: Connection, expected: ResourceRecord) -> Applied[ResourceRecord] | Lost:
    """Whether the row is as the write would have left it (DESIGN: hot path, indeterminate).

    Whole, since the write may have stored new properties: what goes on from here reads them.
    """
    current = resources.fetch(connection, expected.id, with_properties=True, with_data=True)
    same = current is not None and (
        current.engine_id,
        current.atomic_key,
        current.action,
        current.status,
    ) == (expected.engine_id, expected.atomic_key, expected.action, expected.status)
    if current is None or not same:
        return Lost()
    return Applied(current)


def store_data(
    connection: Connection,
    row: ResourceRecord,
    data: Sequence[Datum],
    *,
    none_there: bool = False,
) -> None:
    """Store or remove rows of resource_data; `none_there` as in resource_data.set_many."""
    kept = {datum.key: datum.value for datum in data if datum.value is not None}
    redact = {datum.key for datum in data if datum.redact}
    resource_data.set_many(connection, row.id, kept, redact=redact, none_there=none_there)
    dropped = [datum.key for datum in data if datum.value is None]
    if dropped:
        resource_data.delete(connection, row.id, dropped)


def release_replacement(connection: Connection, row: ResourceRecord) -> None:
    """The replacement replaces nothing any more (rules/h-updates.md#22); a failure is no harm."""
    if row.replaced_by is None:
        return
    replacement = resources.fetch(connection, row.replaced_by)
    if replacement is not None and replacement.replaces == row.id:
        resources.update_if(
            connection,
            replacement.id,
            engine_id=replacement.engine_id,
            atomic_key=replacement.atomic_key,
            values={"replaces": None},
            bump=replacement.engine_id is None,
        )
