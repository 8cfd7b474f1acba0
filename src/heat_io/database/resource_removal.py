"""Removing rows of `resource` with everything that only they refer to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select

from heat_core.stack.ids import ResourceId, StackId
from heat_core.stack.states import Action, Status
from heat_io.database import properties_data, templates
from heat_io.database.schema import resource, resource_data


def delete_rows(connection: Connection, resource_ids: Sequence[ResourceId]) -> int:
    """Delete rows with their data, and property data that no event refers to; how many went.

    Unconditional: the caller holds the rows, or knows that nobody can.
    """
    return _delete(connection, resource.c.id.in_(sorted(resource_ids))) if resource_ids else 0


def delete_free_row(connection: Connection, resource_id: ResourceId) -> bool:
    """Delete the row if no engine holds it (an INIT row that is not wanted any more)."""
    return _delete(connection, resource.c.id == resource_id, resource.c.engine_id.is_(None)) > 0


def purge_deleted(connection: Connection, stack_id: StackId) -> int:
    """Delete the stack's DELETE COMPLETE rows and templates nothing refers to then; how many rows.

    Source: rules/i-convergence.md#35.
    """
    deleted = (
        resource.c.stack_id == stack_id,
        resource.c.action == Action.DELETE.value,
        resource.c.status == Status.COMPLETE.value,
    )
    query = select(resource.c.current_template_id).where(*deleted).distinct()
    template_ids = {found for found in connection.execute(query).scalars() if found is not None}
    count = _delete(connection, *deleted)
    templates.delete_unreferenced(connection, template_ids)
    return count


def delete_by_stack(connection: Connection, stack_id: StackId) -> int:
    """Delete all rows of the stack, for a stack that is deleted itself; how many went."""
    return _delete(connection, resource.c.stack_id == stack_id)


def _delete(connection: Connection, *conditions: Any) -> int:
    query = select(resource.c.id, resource.c.rsrc_prop_data_id, resource.c.attr_data_id)
    rows = connection.execute(query.where(*conditions).with_for_update()).all()
    if not rows:
        return 0
    ids = [row.id for row in rows]
    connection.execute(resource_data.delete().where(resource_data.c.resource_id.in_(ids)))
    connection.execute(resource.delete().where(resource.c.id.in_(ids)))
    properties_data.delete_unreferenced(
        connection,
        [data_id for row in rows for data_id in (row.rsrc_prop_data_id, row.attr_data_id)],
    )
    return len(ids)
