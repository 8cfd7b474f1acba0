"""Actions and statuses, spelled as Heat stores them (rules/g-events-status.md#1)."""

from __future__ import annotations

from enum import StrEnum


class Action(StrEnum):
    """What a stack or a resource is doing or did last. INIT is for resources only."""

    INIT = "INIT"
    CREATE = "CREATE"
    DELETE = "DELETE"
    UPDATE = "UPDATE"
    ROLLBACK = "ROLLBACK"
    SUSPEND = "SUSPEND"
    RESUME = "RESUME"
    ADOPT = "ADOPT"
    SNAPSHOT = "SNAPSHOT"
    CHECK = "CHECK"
    RESTORE = "RESTORE"


class Status(StrEnum):
    """How far the action is."""

    IN_PROGRESS = "IN_PROGRESS"
    FAILED = "FAILED"
    COMPLETE = "COMPLETE"
