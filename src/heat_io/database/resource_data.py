"""The table `resource_data`: what a plugin remembers about its resource, key by key.

Redacted values are encrypted, the others are clear with an empty method
(rules/j-encodings.md#6). Writing here does not touch the resource's atomic key
(rules/i-convergence.md#23).
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from heat_core.errors import InvalidEncryptionKey
from heat_core.stack.ids import ResourceId
from heat_io.database.ambient import ambient
from heat_io.database.schema import resource_data

_log = logging.getLogger(__name__)

_TABLE: Final = resource_data.c
_BY_RESOURCES: Final = (
    select(_TABLE.resource_id, _TABLE.key, _TABLE.value, _TABLE.redact, _TABLE.decrypt_method)
    .where(_TABLE.resource_id.in_(bindparam("ids", expanding=True)))
    .order_by(_TABLE.id)
)
_PRESENT_KEYS: Final = select(_TABLE.key).where(
    _TABLE.resource_id == bindparam("row_id"),
    _TABLE.key.in_(bindparam("keys", expanding=True)),
)


def set_many(
    connection: Connection,
    resource_id: ResourceId,
    values: Mapping[str, str | None],
    *,
    redact: Collection[str] = (),
) -> None:
    """Store `values`, replacing those that are there; keys in `redact` are encrypted."""
    if not values:
        return
    table = resource_data
    wanted = {"row_id": resource_id, "keys": list(values)}
    present = set(connection.execute(_PRESENT_KEYS, wanted).scalars())
    around = ambient(connection)
    fresh = []
    for key, value in values.items():
        method: str | None = ""
        if key in redact:
            method, value = around.require_cipher().encrypt(value)
        columns = {"value": value, "redact": key in redact, "decrypt_method": method}
        if key in present:
            connection.execute(
                table.update()
                .where(table.c.resource_id == resource_id, table.c.key == key)
                .values(updated_at=around.now(), **columns)
            )
        else:
            fresh.append(
                {"resource_id": resource_id, "key": key, "created_at": around.now(), **columns}
            )
    if fresh:
        connection.execute(table.insert(), fresh)


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
        found.setdefault(row.resource_id, {})[row.key] = _shown(connection, row)
    return found


def delete(
    connection: Connection, resource_id: ResourceId, keys: Iterable[str] | None = None
) -> None:
    """Delete the values under `keys`, or all of the resource's."""
    statement = resource_data.delete().where(resource_data.c.resource_id == resource_id)
    if keys is not None:
        statement = statement.where(resource_data.c.key.in_(list(keys)))
    connection.execute(statement)


def _shown(connection: Connection, row: Any) -> Any:
    if not row.redact:
        return row.value
    try:
        return ambient(connection).require_cipher().decrypt(row.decrypt_method, row.value)
    except (InvalidEncryptionKey, ValueError):
        _log.error(
            "Resource data can't be decrypted with this key; it is given as stored.",
            extra={"fields": {"resource_id": row.resource_id, "key": row.key}},
        )
        return row.value
