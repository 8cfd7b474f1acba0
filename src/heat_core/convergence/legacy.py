"""What a stack of Heat's legacy engine lacks to converge: who requires whom, in its rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from heat_core.stack.ids import ResourceId
from heat_core.stack.records import ResourceRecord


def converted_requires(
    rows: Iterable[ResourceRecord], requires: Mapping[str, Collection[str]]
) -> dict[ResourceId, tuple[ResourceId, ...]]:
    """The `requires` of each row, as Heat's migration writes them.

    `requires` is the template's, by name; a row whose name it does not have requires nothing.
    Source: rules/j-encodings.md#11, states of a stack before and after migrate_convergence_1.
    """
    by_name = {row.name: row.id for row in rows}
    return {
        row_id: tuple(
            sorted((by_name[one] for one in requires.get(name, ()) if one in by_name), reverse=True)
        )
        for name, row_id in by_name.items()
    }
