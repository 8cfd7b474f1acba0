"""Records with the fields that a test cares about, and plausible ones for the rest."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from heat_core.stack.ids import EngineId, ResourceId, StackId, TemplateId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status

NOW = datetime(2026, 3, 1, 12)
STACK_ID = StackId("3c2b6f0a-0d1c-4f6c-9b43-0a4c5e1f7d20")
TRAVERSAL = TraversalId("traversal-now")
NEWER = TraversalId("traversal-newer")
MINE = EngineId("engine-mine")
DEAD = EngineId("engine-dead")
OLD_TEMPLATE = TemplateId(1)
TEMPLATE = TemplateId(2)


def a_stack(**fields: Any) -> StackRecord:
    """UPDATE IN_PROGRESS in TRAVERSAL, from OLD_TEMPLATE to TEMPLATE, without a timeout."""
    values: dict[str, Any] = {
        "id": STACK_ID,
        "name": "st",
        "tenant": "tenant",
        "raw_template_id": TEMPLATE,
        "prev_raw_template_id": OLD_TEMPLATE,
        "action": Action.UPDATE,
        "status": Status.IN_PROGRESS,
        "current_traversal": TRAVERSAL,
        "created_at": NOW,
    }
    return StackRecord(**values | fields)


def a_row(row_id: int = 1, **fields: Any) -> ResourceRecord:
    """CREATE COMPLETE on OLD_TEMPLATE, free, called "a"."""
    values: dict[str, Any] = {
        "id": ResourceId(row_id),
        "uuid": f"7f3c1c52-6a54-4b43-8c42-5f1b7c1f8e{row_id:02x}",
        "name": "a",
        "stack_id": STACK_ID,
        "root_stack_id": STACK_ID,
        "action": Action.CREATE,
        "status": Status.COMPLETE,
        "physical_id": "physical",
        "atomic_key": 2,
        "current_template_id": OLD_TEMPLATE,
        "created_at": NOW,
    }
    return ResourceRecord(**values | fields)
