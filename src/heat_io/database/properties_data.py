"""The table `resource_properties_data`: properties as sent, and cached attributes.

A row is either clear, or has every value encrypted by itself (rules/j-encodings.md#5). Resources
and events refer to rows, so a row that was written is not changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select

from heat_core.stack.ids import PropertiesDataId
from heat_io.database.ambient import ambient
from heat_io.database.schema import event, resource, resource_properties_data

_INSERT: Final = resource_properties_data.insert()
_BY_IDS: Final = select(
    resource_properties_data.c.id,
    resource_properties_data.c.data,
    resource_properties_data.c.encrypted,
).where(resource_properties_data.c.id.in_(bindparam("ids", expanding=True)))


def insert(connection: Connection, data: Mapping[str, Any]) -> PropertiesDataId:
    """Store one set of properties or attributes; its id."""
    result = connection.execute(_INSERT, _row(connection, data))
    key: Any = result.inserted_primary_key
    return PropertiesDataId(int(key[0]))


def insert_many(
    connection: Connection, rows: Sequence[Mapping[str, Any]]
) -> list[PropertiesDataId]:
    """Store several; their ids in the order given.

    One statement a row: these rows have no key of their own by which ids could be read back.
    """
    return [insert(connection, data) for data in rows]


def fetch(connection: Connection, data_id: PropertiesDataId) -> dict[str, Any] | None:
    """The decrypted content, or None when there is no such row.

    Raises InvalidEncryptionKey when the row is encrypted with another key.
    """
    return fetch_many(connection, [data_id]).get(data_id)


def fetch_many(
    connection: Connection, data_ids: Collection[PropertiesDataId]
) -> dict[PropertiesDataId, dict[str, Any]]:
    """The decrypted contents by id, by one statement; ids without a row are left out."""
    wanted = sorted(set(data_ids))
    if not wanted:
        return {}
    found: dict[PropertiesDataId, dict[str, Any]] = {}
    for row in connection.execute(_BY_IDS, {"ids": wanted}):
        content = row.data or {}
        if row.encrypted:
            content = ambient(connection).require_cipher().decrypt_values(content)
        found[row.id] = content
    return found


def delete(connection: Connection, data_ids: Iterable[PropertiesDataId | None]) -> None:
    """Delete rows; the caller knows that nothing refers to them."""
    wanted = sorted({data_id for data_id in data_ids if data_id is not None})
    if wanted:
        connection.execute(
            resource_properties_data.delete().where(resource_properties_data.c.id.in_(wanted))
        )


def delete_unreferenced(
    connection: Connection, data_ids: Iterable[PropertiesDataId | None]
) -> None:
    """Delete those of `data_ids` that no resource and no event refers to."""
    wanted = sorted({data_id for data_id in data_ids if data_id is not None})
    if not wanted:
        return
    used: set[Any] = set()
    for column in (
        resource.c.rsrc_prop_data_id,
        resource.c.attr_data_id,
        event.c.rsrc_prop_data_id,
    ):
        used.update(connection.execute(select(column).where(column.in_(wanted))).scalars())
    delete(connection, [data_id for data_id in wanted if data_id not in used])


def _row(connection: Connection, data: Mapping[str, Any]) -> dict[str, Any]:
    around = ambient(connection)
    cipher = around.cipher
    encrypt = cipher is not None and cipher.encrypt_properties and bool(data)
    content: Mapping[str, Any] = data
    if encrypt and cipher is not None:
        content = cipher.encrypt_values(data)
    return {"data": dict(content), "encrypted": encrypt, "created_at": around.now()}
