"""Lists and counts of stacks (rules/o-listing.md#1-7)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, not_, select

from heat_core.stack.records import StackRecord
from heat_io.database.pages import Page, filtered, paged
from heat_io.database.schema import stack, stack_tag
from heat_io.database.stacks import record_of

_SORT_KEYS: Final = {
    "stack_name": "name",
    "stack_status": "status",
    "creation_time": "created_at",
    "updated_time": "updated_at",
}
_FILTERS: Final = frozenset(column.name for column in stack.c) - {"current_deps"}
_COLUMNS: Final = tuple(column for column in stack.c if column.name != "current_deps")


@dataclass(frozen=True, slots=True)
class StackQuery:
    """Which stacks are wanted. `tenant` None lists every project's (an admin context).

    Filters go by column name, after the mapping of rules/o-listing.md#2. `hidden_tags` is the
    option hidden_stack_tags, empty when hidden stacks are to be shown.
    """

    tenant: str | None
    filters: Mapping[str, Any] = field(default_factory=dict)
    show_deleted: bool = False
    show_nested: bool = False
    hidden_tags: Sequence[str] = ()
    tags: Sequence[str] = ()
    tags_any: Sequence[str] = ()
    not_tags: Sequence[str] = ()
    not_tags_any: Sequence[str] = ()
    page: Page = field(default_factory=Page)


def list_stacks(connection: Connection, query: StackQuery) -> list[StackRecord]:
    """The page of stacks, without their graphs.

    Raises UnknownFilter and ValueError (sort direction).
    """
    statement = _conditions(select(*_COLUMNS), query)
    marker = None
    if query.page.marker:
        marker = connection.execute(
            select(*_COLUMNS).where(stack.c.id == query.page.marker)
        ).first()
    statement = paged(statement, stack, query.page, _SORT_KEYS, marker)
    return [record_of(row) for row in connection.execute(statement)]


def count_stacks(connection: Connection, query: StackQuery) -> int:
    """How many stacks there are; the page is ignored. Raises UnknownFilter."""
    statement = _conditions(select(func.count()).select_from(stack), query)
    return int(connection.execute(statement).scalar_one())


def count_live(connection: Connection, tenant: str, hidden_tags: Sequence[str] = ()) -> int:
    """How many root stacks the project has, for max_stacks_per_tenant; hidden ones don't count."""
    return count_stacks(connection, StackQuery(tenant, hidden_tags=hidden_tags))


def _conditions(statement: Select[Any], query: StackQuery) -> Select[Any]:
    if not query.show_deleted:
        statement = statement.where(stack.c.deleted_at.is_(None))
    if query.show_nested:
        statement = statement.where(stack.c.backup.is_(False))
    else:
        statement = statement.where(stack.c.owner_id.is_(None))
    if query.tenant is not None:
        statement = statement.where(stack.c.tenant == query.tenant)
    for tag in query.tags:
        statement = statement.where(_tagged([tag]))
    if query.tags_any:
        statement = statement.where(_tagged(query.tags_any))
    if query.not_tags:
        statement = statement.where(not_(and_(*(_tagged([tag]) for tag in query.not_tags))))
    for unwanted in (query.not_tags_any, query.hidden_tags):
        if unwanted:
            statement = statement.where(not_(_tagged(unwanted)))
    return filtered(statement, stack, query.filters, _FILTERS)


def _tagged(tags: Collection[str]) -> ColumnElement[bool]:
    return exists().where(stack_tag.c.stack_id == stack.c.id, stack_tag.c.tag.in_(list(tags)))
