"""What a visit to a node reads: the row with its data, its stack and its templates.

Each node of a traversal reads this once or twice, so it is one statement over five tables, and one
for all nodes that are visited at the same time. A row comes once for each of its data.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, select

from heat_core.stack.ids import ResourceId, StackId, TemplateId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_io.database import resource_data, resources, stacks
from heat_io.database.ambient import ambient
from heat_io.database.schema import (
    raw_template,
    resource,
    resource_properties_data,
    stack,
)
from heat_io.database.schema import resource_data as resource_data_table
from heat_io.database.templates import TemplateKey

_OWN: Final = raw_template.alias("own_template")
_CURRENT: Final = raw_template.alias("current_template")
_PROPERTIES: Final = resource_properties_data
_STACK_COLUMNS: Final = tuple(column.name for column in stack.c if column.name != "current_deps")
_KEY_COLUMNS: Final = ("id", "created_at", "updated_at", "files_id")
_DATA: Final = resource_data_table.alias("data")
_DATA_COLUMNS: Final = ("resource_id", "key", "value", "redact", "decrypt_method")
_BY_IDS: Final = (
    select(
        resource,
        _PROPERTIES.c.data.label("stored_properties"),
        _PROPERTIES.c.encrypted.label("properties_encrypted"),
        *(stack.c[name].label(f"of_stack_{name}") for name in _STACK_COLUMNS),
        *(_OWN.c[name].label(f"of_own_{name}") for name in _KEY_COLUMNS),
        *(_CURRENT.c[name].label(f"of_current_{name}") for name in _KEY_COLUMNS),
        *(_DATA.c[name].label(f"of_data_{name}") for name in _DATA_COLUMNS),
    )
    .select_from(
        resource.join(stack, stack.c.id == resource.c.stack_id)
        .outerjoin(_PROPERTIES, _PROPERTIES.c.id == resource.c.rsrc_prop_data_id)
        .outerjoin(_OWN, _OWN.c.id == resource.c.current_template_id)
        .outerjoin(_CURRENT, _CURRENT.c.id == stack.c.raw_template_id)
        .outerjoin(_DATA, _DATA.c.resource_id == resource.c.id)
    )
    .where(resource.c.id.in_(bindparam("row_ids", expanding=True)))
    .order_by(resource.c.id, _DATA.c.id)
)


@dataclass(frozen=True, slots=True)
class Visited:
    """A row with its properties (decrypted) and data, its stack without the graph, deleted or not,
    and the keys of the templates that the two are of."""

    row: ResourceRecord
    stack: StackRecord
    template_keys: Mapping[TemplateId, TemplateKey]


def fetch(connection: Connection, resource_id: ResourceId) -> Visited | None:
    """What there is about the row; None when it is gone."""
    return fetch_many(connection, [resource_id]).get(resource_id)


def fetch_many(
    connection: Connection, resource_ids: Collection[ResourceId]
) -> dict[ResourceId, Visited]:
    """The same for several rows, without those that are gone."""
    rows = connection.execute(_BY_IDS, {"row_ids": sorted(resource_ids)}).all()
    known: dict[StackId, StackRecord] = {}
    return {
        ResourceId(row_id): _visited(connection, list(of_row), known)
        for row_id, of_row in groupby(rows, key=lambda row: row.id)
    }


def _visited(
    connection: Connection, rows: Sequence[Row[Any]], known: dict[StackId, StackRecord]
) -> Visited:
    """From the rows of one resource, each with another of its data; stacks are made once."""
    first, columns = rows[0], rows[0]._mapping
    stack_record = known.get(first.stack_id)
    if stack_record is None:
        stack_record = known[first.stack_id] = stacks.record_of_columns(
            {name: columns[f"of_stack_{name}"] for name in _STACK_COLUMNS}
        )
    return Visited(
        resources.record_of(first, _properties(connection, first), _data(connection, rows)),
        stack_record,
        _template_keys(columns),
    )


def _data(connection: Connection, rows: Sequence[Row[Any]]) -> dict[str, Any]:
    return {
        row.of_data_key: resource_data.shown(
            connection,
            (row.id, row.of_data_key),
            row.of_data_value,
            row.of_data_redact,
            row.of_data_decrypt_method,
        )
        for row in rows
        if row.of_data_resource_id is not None
    }


def _properties(connection: Connection, found: Row[Any]) -> Mapping[str, Any] | None:
    if found.properties_encrypted is None and found.stored_properties is None:
        return resources.old_properties(connection, found)
    content: Mapping[str, Any] = found.stored_properties or {}
    if found.properties_encrypted:
        return ambient(connection).require_cipher().decrypt_values(content)
    return content


def _template_keys(columns: Mapping[Any, Any]) -> dict[TemplateId, TemplateKey]:
    keys = (
        TemplateKey(*(columns[f"{prefix}_{name}"] for name in _KEY_COLUMNS))
        for prefix in ("of_own", "of_current")
    )
    return {key.id: key for key in keys if key.id is not None}
