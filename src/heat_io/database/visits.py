"""What a visit to a node reads: the row, its stack and its templates, over four tables.

Each node of a traversal reads this once or twice, so it is two statements and not six: the stack
and the template keys come with the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, select

from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_io.database import resource_data, resources, stacks
from heat_io.database.ambient import ambient
from heat_io.database.schema import raw_template, resource, resource_properties_data, stack
from heat_io.database.templates import TemplateKey

_OWN: Final = raw_template.alias("own_template")
_CURRENT: Final = raw_template.alias("current_template")
_PROPERTIES: Final = resource_properties_data
_STACK_COLUMNS: Final = tuple(column.name for column in stack.c if column.name != "current_deps")
_KEY_COLUMNS: Final = ("id", "created_at", "updated_at", "files_id")
_BY_ID: Final = (
    select(
        resource,
        _PROPERTIES.c.data.label("stored_properties"),
        _PROPERTIES.c.encrypted.label("properties_encrypted"),
        *(stack.c[name].label(f"of_stack_{name}") for name in _STACK_COLUMNS),
        *(_OWN.c[name].label(f"of_own_{name}") for name in _KEY_COLUMNS),
        *(_CURRENT.c[name].label(f"of_current_{name}") for name in _KEY_COLUMNS),
    )
    .select_from(
        resource.join(stack, stack.c.id == resource.c.stack_id)
        .outerjoin(_PROPERTIES, _PROPERTIES.c.id == resource.c.rsrc_prop_data_id)
        .outerjoin(_OWN, _OWN.c.id == resource.c.current_template_id)
        .outerjoin(_CURRENT, _CURRENT.c.id == stack.c.raw_template_id)
    )
    .where(resource.c.id == bindparam("row_id"))
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
    found = connection.execute(_BY_ID, {"row_id": resource_id}).first()
    if found is None:
        return None
    columns = found._mapping
    data = resource_data.fetch(connection, resource_id)
    return Visited(
        resources.record_of(found, _properties(connection, found), data),
        stacks.record_of_columns({name: columns[f"of_stack_{name}"] for name in _STACK_COLUMNS}),
        _template_keys(columns),
    )


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
