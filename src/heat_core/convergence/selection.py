"""Which existing row stands for a resource of the template (rules/h-updates.md#1-4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.records import ResourceRecord
from heat_core.stack.states import Action, Status

_NEVER = datetime.min


def is_gone(row: ResourceRecord) -> bool:
    """Whether nothing of the resource is left but its row."""
    return row.action is Action.DELETE and row.status is Status.COMPLETE


def score(
    row: ResourceRecord, *, template_id: TemplateId, previous_template_id: TemplateId | None
) -> int:
    """How well the row fits the template that the stack is moving to; the highest wins."""
    points = 0
    if row.status is Status.FAILED:
        points -= 30
    if row.action is Action.DELETE:
        points -= 50
    if row.replaced_by is not None:
        points -= 1
    if previous_template_id is not None and row.current_template_id == previous_template_id:
        points += 5
    if row.current_template_id == template_id:
        points += 10
    return points


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows chosen by name, and the names that need a new row, in the order of insertion."""

    chosen: Mapping[str, ResourceId]
    missing: tuple[str, ...]


def select_rows(
    names: Iterable[str],
    rows: Iterable[ResourceRecord],
    *,
    template_id: TemplateId,
    previous_template_id: TemplateId | None,
) -> Selection:
    """Choose a row for each name.

    `names` comes with dependencies first; new rows are inserted the other way round
    (rules/h-updates.md#4). Ties go to the row that changed last, then to the higher id, so that
    the choice is the same whoever makes it.
    """
    best: dict[str, tuple[tuple[int, datetime, int], ResourceId]] = {}
    for row in rows:
        if is_gone(row):
            continue
        rank = (
            score(row, template_id=template_id, previous_template_id=previous_template_id),
            row.updated_at or row.created_at or _NEVER,
            row.id,
        )
        if row.name not in best or rank > best[row.name][0]:
            best[row.name] = (rank, row.id)
    wanted = tuple(names)
    return Selection(
        chosen={name: best[name][1] for name in wanted if name in best},
        missing=tuple(name for name in reversed(wanted) if name not in best),
    )
