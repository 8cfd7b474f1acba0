"""The table `stack`: one row a stack, kept after its deletion with `deleted_at` set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, bindparam, or_, select

from heat_core.stack.ids import StackId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database.ambient import ambient
from heat_io.database.schema import stack
from heat_io.database.values import columns_of, same

_FIELDS: Final[Mapping[str, str]] = {
    name: name for name in StackRecord.__dataclass_fields__ if name != "id"
}
_ALL: Final = tuple(stack.c)
_WITHOUT_DEPS: Final = tuple(column for column in stack.c if column.name != "current_deps")

# Every node reads its stack, and making a statement takes longer than running it.
_BY_ID: Final = {
    with_deps: select(*(_ALL if with_deps else _WITHOUT_DEPS)).where(
        stack.c.id == bindparam("stack_id")
    )
    for with_deps in (True, False)
}
_LIVE_BY_ID: Final = {
    with_deps: query.where(stack.c.deleted_at.is_(None)) for with_deps, query in _BY_ID.items()
}

_INSERT: Final = stack.insert()
_STATES: Final = select(stack.c.id, stack.c.action, stack.c.status, stack.c.status_reason).where(
    stack.c.id.in_(bindparam("ids", expanding=True))
)
_OWNER: Final = select(stack.c.owner_id).where(stack.c.id == bindparam("stack_id"))
_CHILDREN: Final = (
    select(*_WITHOUT_DEPS)
    .where(
        stack.c.owner_id == bindparam("stack_id"),
        stack.c.backup.is_(False),
        stack.c.deleted_at.is_(None),
    )
    .order_by(stack.c.created_at, stack.c.id)
)
_UPDATE: Final = stack.update().where(
    stack.c.id == bindparam("of_stack"), stack.c.deleted_at.is_(None)
)
_UPDATE_IN_TRAVERSAL: Final = {
    True: _UPDATE.where(stack.c.current_traversal == bindparam("of_traversal")),
    False: _UPDATE.where(stack.c.current_traversal.is_(None)),
}


def insert(connection: Connection, record: StackRecord) -> None:
    """Store a new stack; `created_at` is now unless the record has one."""
    values = {name: getattr(record, name) for name in _FIELDS}
    if record.created_at is None:
        values["created_at"] = ambient(connection).now()
    connection.execute(_INSERT, {"id": record.id, **columns_of(connection, _FIELDS, values)})


def fetch(
    connection: Connection,
    stack_id: StackId,
    *,
    show_deleted: bool = False,
    with_deps: bool = True,
) -> StackRecord | None:
    """The stack, or None. Without `with_deps` the graph is neither read nor decoded."""
    query = (_BY_ID if show_deleted else _LIVE_BY_ID)[with_deps]
    row = connection.execute(query, {"stack_id": stack_id}).first()
    return None if row is None else record_of(row)


def fetch_many(
    connection: Connection, stack_ids: Sequence[StackId], *, with_deps: bool = False
) -> dict[StackId, StackRecord]:
    """The stacks that exist among `stack_ids`, deleted ones too, by id."""
    rows = connection.execute(_query(with_deps).where(stack.c.id.in_(stack_ids)))
    return {row.id: record_of(row) for row in rows}


def fetch_by_name(connection: Connection, tenant: str, name: str) -> StackRecord | None:
    """The oldest live stack of that name which the project sees (rules/e-identity.md#16).

    A project sees its own stacks and the stack whose user project it is.
    """
    query = _named(tenant, name).order_by(stack.c.created_at, stack.c.id).limit(1)
    row = connection.execute(query).first()
    return None if row is None else record_of(row)


def fetch_by_name_and_owner(
    connection: Connection, tenant: str, name: str, owner_id: StackId | None
) -> StackRecord | None:
    """The live stack of that name under `owner_id`: how a nested stack is found again."""
    query = _named(tenant, name).where(same(stack.c.owner_id, owner_id))
    row = connection.execute(query.order_by(stack.c.created_at, stack.c.id).limit(1)).first()
    return None if row is None else record_of(row)


def is_earliest_of_its_name(connection: Connection, record: StackRecord) -> bool:
    """Whether no live stack of the same name is older: read after the insert.

    False means that another create was first (rules/j-encodings.md#19).
    """
    found = fetch_by_name(connection, record.tenant, record.name)
    return found is None or found.id == record.id


def update_if_traversal(
    connection: Connection,
    stack_id: StackId,
    expected_traversal: TraversalId | None,
    values: Mapping[str, Any],
) -> bool:
    """Store `values` if the live stack is still in `expected_traversal`; False if it is not."""
    columns = columns_of(connection, _FIELDS, values)
    parameters: dict[str, Any] = {**columns, "of_stack": stack_id}
    if expected_traversal is not None:
        parameters["of_traversal"] = expected_traversal
    statement = _UPDATE_IN_TRAVERSAL[expected_traversal is not None]
    return connection.execute(statement, parameters).rowcount > 0


def update(connection: Connection, stack_id: StackId, values: Mapping[str, Any]) -> bool:
    """Store `values` whatever the traversal; False when there is no such live stack."""
    columns = columns_of(connection, _FIELDS, values)
    return connection.execute(_UPDATE, {**columns, "of_stack": stack_id}).rowcount > 0


def soft_delete(connection: Connection, stack_id: StackId) -> bool:
    """Mark the stack as deleted; its template stays, its credentials do not.

    False when it is deleted already (rules/j-encodings.md#20).
    """
    now = ambient(connection).now()
    return update(connection, stack_id, {"deleted_at": now, "user_creds_id": None})


def root_id(connection: Connection, record: StackRecord) -> StackId:
    """The id of the stack at the top of the tree that `record` is in (rules/e-identity.md#24)."""
    found, owner = record.id, record.owner_id
    while owner is not None:
        found = owner
        owner = connection.execute(_OWNER, {"stack_id": owner}).scalar()
    return found


def children(connection: Connection, owner_id: StackId) -> list[StackRecord]:
    """The live stacks nested directly in `owner_id`, without backups, oldest first."""
    return [record_of(row) for row in connection.execute(_CHILDREN, {"stack_id": owner_id})]


def descendants(connection: Connection, stack_id: StackId) -> list[StackRecord]:
    """The live stacks nested in `stack_id` at any depth, each after the one that it is in."""
    found: list[StackRecord] = []
    level = children(connection, stack_id)
    while level:
        found += level
        level = [below for record in level for below in children(connection, record.id)]
    return found


def root_of(connection: Connection, stack_id: StackId) -> StackId:
    """The root of the tree that a stack is in, by its owners: itself if it has none."""
    while True:
        owner_id = connection.execute(_OWNER, {"stack_id": stack_id}).scalar()
        if owner_id is None:
            return stack_id
        stack_id = StackId(owner_id)


def states(
    connection: Connection, stack_ids: Sequence[StackId]
) -> dict[StackId, tuple[Action, Status, str | None]]:
    """(action, status, reason) of many stacks by one query: for parents that wait for children.

    Deleted stacks are in it, as DELETE COMPLETE.
    """
    rows = connection.execute(_STATES, {"ids": list(stack_ids)})
    return {row.id: (Action(row.action), Status(row.status), row.status_reason) for row in rows}


def _query(with_deps: bool) -> Select[Any]:
    return select(*(_ALL if with_deps else _WITHOUT_DEPS))


def _named(tenant: str, name: str) -> Select[Any]:
    return _query(with_deps=True).where(
        or_(stack.c.tenant == tenant, stack.c.stack_user_project_id == tenant),
        stack.c.name == name,
        stack.c.deleted_at.is_(None),
    )


def _records(connection: Connection, query: Select[Any]) -> list[StackRecord]:
    return [record_of(row) for row in connection.execute(query)]


def record_of(row: Row[Any]) -> StackRecord:
    """The record of a row of `stack`; the graph is None where it was not selected."""
    return record_of_columns(dict(row._mapping))


def record_of_columns(values: dict[str, Any]) -> StackRecord:
    """The record of the columns of a row of `stack`, which it takes over."""
    for name in ("disable_rollback", "backup", "convergence"):
        values[name] = bool(values[name])
    values["nested_depth"] = values["nested_depth"] or 0
    values["action"] = Action(values["action"])
    values["status"] = Status(values["status"])
    return StackRecord(**values)
