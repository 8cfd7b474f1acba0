"""Which resource a nested stack belongs to: the row that its name was made of."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, bindparam, select

from heat_core.stack.ids import ResourceId
from heat_core.stack.naming import short_id
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action
from heat_io.database.schema import resource, stack

_OWNER: Final = select(stack.c.convergence).where(
    stack.c.id == bindparam("owner"), stack.c.deleted_at.is_(None)
)
_OF_NAME: Final = select(resource.c.id, resource.c.uuid).where(
    resource.c.stack_id == bindparam("owner"), resource.c.name == bindparam("row_name")
)
_LOCK: Final = (
    select(resource.c.engine_id, resource.c.action)
    .where(resource.c.id == bindparam("row_id"))
    .with_for_update(read=True)
)


def is_awaited(connection: Connection, child: StackRecord) -> bool:
    """Whether the resource that asked for `child` still waits for it; ask before the insert.

    Who dies while its request is under way leaves the request behind. Its heir finds no nested
    stack, gives the row up, deletes it, and then the request arrives: nobody would ever know what
    it makes. So the row has to be held, for anything but its deletion: later, the deletion finds
    what has been made. The row stays as it is until the transaction ends. True for a stack that no
    resource has, and for the members of stacks that do not converge, whose rows are never held.
    """
    if child.owner_id is None or child.parent_resource_name is None:
        return True
    owner = connection.execute(_OWNER, {"owner": child.owner_id}).first()
    if owner is None or not owner.convergence:
        return owner is not None
    row_id = _row_of(connection, child)
    if row_id is None:
        return False
    row = connection.execute(_LOCK, {"row_id": row_id}).first()
    return row is not None and row.engine_id is not None and row.action != Action.DELETE


def _row_of(connection: Connection, child: StackRecord) -> ResourceId | None:
    """The row by its short id, the end of the name: the generations of a resource share theirs."""
    end = child.name.rpartition("-")[2]
    rows = connection.execute(
        _OF_NAME, {"owner": child.owner_id, "row_name": child.parent_resource_name}
    )
    return next((row.id for row in rows if short_id(row.uuid) == end), None)
