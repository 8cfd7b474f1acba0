"""Filters, sorting, markers and limits of lists, as Heat's lists have them.

Source: rules/o-listing.md#2, #6-7, #16-20.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, Select, Table, and_, desc, or_

from heat_io.database.values import plain

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
            query = query.where(column.is_(None) if value is None else column == plain(value))
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

    A NULL of the marker is passed over, as it can't be compared; the id settles the rest.
    """
    values = marker._mapping
    alternatives = []
    for index, name in enumerate(names):
        if values[name] is None:
            continue
        equal = [
            table.c[before] == values[before]
            for before in names[:index]
            if values[before] is not None
        ]
        column = table.c[name]
        if direction.startswith("desc"):
            beyond = column < values[name]
            with_nulls = direction.endswith("nullsfirst")
        else:
            beyond = column > values[name]
            with_nulls = direction.endswith("nullslast")
        alternatives.append(and_(*equal, or_(beyond, column.is_(None)) if with_nulls else beyond))
    return or_(*alternatives)
