"""The table `resource_data`: what a plugin remembers about its resource, key by key.

Redacted values are encrypted, the others are clear with an empty method
(rules/j-encodings.md#6). Writing here does not touch the resource's atomic key
(rules/i-convergence.md#23).
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from heat_core.errors import InvalidEncryptionKey
from heat_core.stack.ids import ResourceId
from heat_io.database.ambient import ambient
from heat_io.database.appends import append
from heat_io.database.schema import resource_data

_log = logging.getLogger(__name__)

_TABLE: Final = resource_data.c
_BY_RESOURCES: Final = (
    select(_TABLE.resource_id, _TABLE.key, _TABLE.value, _TABLE.redact, _TABLE.decrypt_method)
    .where(_TABLE.resource_id.in_(bindparam("ids", expanding=True)))
    .order_by(_TABLE.id)
)
_PRESENT_KEYS: Final = select(_TABLE.resource_id, _TABLE.key).where(
    _TABLE.resource_id.in_(bindparam("ids", expanding=True))
)
_INSERT: Final = resource_data.insert()


@dataclass(frozen=True, slots=True)
class _Datum:
    """A value on its way into the table, encrypted already where it has to be."""

    resource_id: ResourceId
    key: str
    columns: Mapping[str, Any]


def set_many(
    connection: Connection,
    resource_id: ResourceId,
    values: Mapping[str, str | None],
    *,
    redact: Collection[str] = (),
    none_there: bool = False,
) -> None:
    """Store `values`, replacing those that are there; keys in `redact` are encrypted.

    With `none_there` the caller knows that the resource has no data yet. In a transaction that
    gathers what is added, they are stored at its end.
    """
    around = ambient(connection)
    data = []
    for key, value in values.items():
        method: str | None = ""
        if key in redact:
            method, value = around.require_cipher().encrypt(value)
        columns = {"value": value, "redact": key in redact, "decrypt_method": method}
        data.append(_Datum(resource_id, key, columns))
    if data:
        append(connection, _add if none_there else _store, data)


def _add(connection: Connection, data: Sequence[_Datum]) -> None:
    now = ambient(connection).now()
    connection.execute(_INSERT, [_row(datum, now) for datum in data])


def _row(datum: _Datum, now: datetime) -> dict[str, Any]:
    place = {"resource_id": datum.resource_id, "key": datum.key}
    return {**place, "created_at": now, **datum.columns}


def _store(connection: Connection, data: Sequence[_Datum]) -> None:
    table, now = resource_data, ambient(connection).now()
    wanted = {"ids": sorted({datum.resource_id for datum in data})}
    present = {(row.resource_id, row.key) for row in connection.execute(_PRESENT_KEYS, wanted)}
    fresh = []
    # The last value of a key wins.
    for place, datum in {(datum.resource_id, datum.key): datum for datum in data}.items():
        if place in present:
            connection.execute(
                table.update()
                .where(table.c.resource_id == datum.resource_id, table.c.key == datum.key)
                .values(updated_at=now, **datum.columns)
            )
        else:
            fresh.append(_row(datum, now))
    if fresh:
        connection.execute(_INSERT, fresh)


def fetch(connection: Connection, resource_id: ResourceId) -> dict[str, str]:
    """The values of one resource, decrypted, in the order in which they were first stored."""
    return fetch_many(connection, [resource_id]).get(resource_id, {})


def fetch_many(
    connection: Connection, resource_ids: Collection[ResourceId]
) -> dict[ResourceId, dict[str, str]]:
    """The values of many resources by one statement; resources without any are left out."""
    if not resource_ids:
        return {}
    found: dict[ResourceId, dict[str, str]] = {}
    for row in connection.execute(_BY_RESOURCES, {"ids": sorted(resource_ids)}):
        value = shown(
            connection, (row.resource_id, row.key), row.value, row.redact, row.decrypt_method
        )
        found.setdefault(row.resource_id, {})[row.key] = value
    return found


def delete(
    connection: Connection, resource_id: ResourceId, keys: Iterable[str] | None = None
) -> None:
    """Delete the values under `keys`, or all of the resource's."""
    statement = resource_data.delete().where(resource_data.c.resource_id == resource_id)
    if keys is not None:
        statement = statement.where(resource_data.c.key.in_(list(keys)))
    connection.execute(statement)


def shown(
    connection: Connection,
    place: tuple[ResourceId, str],
    value: str | None,
    redact: bool | None,
    method: str | None,
) -> Any:
    """A stored value in clear; `place` (resource and key) is for the log when it can't be had."""
    if not redact:
        return value
    try:
        return ambient(connection).require_cipher().decrypt(method, value)
    except (InvalidEncryptionKey, ValueError):
        _log.error(
            "Resource data can't be decrypted with this key; it is given as stored.",
            extra={"fields": {"resource_id": place[0], "key": place[1]}},
        )
        return value
