"""Filters, sorting, markers and limits of lists, as Heat's lists have them.

Source: rules/o-listing.md#2, #6-7, #16-20.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, Table, and_, desc, or_

from heat_io.database.values import plain, same

_DIRECTIONS: Final = (
    "asc",
    "desc",
    "asc-nullsfirst",
    "asc-nullslast",
    "desc-nullsfirst",
    "desc-nullslast",
)


class UnknownFilter(Exception):
    """A filter names no column that may be filtered by."""


@dataclass(frozen=True, slots=True)
class Page:
    """Sort keys as the API spells them (unknown ones are ignored), direction, marker and limit.

    The marker is the id that clients see; an unknown one is ignored. limit 0 gives no rows.
    """

    sort_keys: Sequence[str] = ()
    sort_dir: str | None = None
    marker: str | None = None
    limit: int | None = None


def filtered(
    query: Select[Any], table: Table, filters: Mapping[str, Any], allowed: Collection[str]
) -> Select[Any]:
    """`query` with exact conditions; a list, tuple or set is IN. Raises UnknownFilter."""
    for name, value in filters.items():
        if name not in allowed:
            raise UnknownFilter(name)
        column = table.c[name]
        if isinstance(value, list | tuple | set | frozenset):
            query = query.where(column.in_([plain(part) for part in value]))
        else:
            query = query.where(same(column, value))
    return query


def paged(
    query: Select[Any],
    table: Table,
    page: Page,
    sort_keys: Mapping[str, str],
    marker: Row[Any] | None,
) -> Select[Any]:
    """`query` ordered and cut to the page after `marker`.

    Without sort keys: created_at descending. With them: ascending unless the page says otherwise.
    The id always comes last. Raises ValueError for an unknown direction.
    """
    names = [sort_keys[key] for key in page.sort_keys if key in sort_keys]
    direction = page.sort_dir
    if not names:
        names = ["created_at"]
        direction = direction or "desc"
    direction = direction or "asc"
    if direction not in _DIRECTIONS:
        raise ValueError(f"Unknown sort direction, must be one of: {', '.join(_DIRECTIONS)}")
    names.append("id")
    downward, _, nulls = direction.partition("-")
    for name in names:
        column = table.c[name]
        if nulls == "nullsfirst":
            query = query.order_by(desc(column.is_(None)))
        elif nulls == "nullslast":
            query = query.order_by(desc(column.is_not(None)))
        query = query.order_by(column.desc() if downward == "desc" else column.asc())
    if marker is not None:
        query = query.where(_after(table, names, direction, marker))
    return query if page.limit is None else query.limit(page.limit)


def _after(table: Table, names: Sequence[str], direction: str, marker: Row[Any]) -> Any:
    """Rows that come after the marker: lexicographically over the sort keys.

    SQLite and MariaDB take NULL for the lowest value. Heat leaves a marker's NULL out of the
    comparison, and a client that pages by updated_time misses stacks or goes round in circles;
    here every row comes once.
    """
    downward, _, nulls = direction.partition("-")
    nulls_first = nulls == "nullsfirst" or (not nulls and downward == "asc")
    values = marker._mapping
    alternatives = []
    equal: list[ColumnElement[bool]] = []
    for name in names:
        column, value = table.c[name], values[name]
        if value is not None:
            beyond = column < value if downward == "desc" else column > value
            alternatives.append(
                and_(*equal, beyond if nulls_first else or_(beyond, column.is_(None)))
            )
        elif nulls_first:
            alternatives.append(and_(*equal, column.is_not(None)))
        equal.append(same(column, value))
    return or_(*alternatives)
