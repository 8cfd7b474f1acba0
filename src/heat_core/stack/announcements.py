"""What others are told of a stack: notifications of its states, and events for its event sinks.

Source: facts/events-notifications.json.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from heat_core.stack.events import STACK_TYPE
from heat_core.stack.records import EventRecord, StackRecord
from heat_core.stack.states import Status

ERROR: Final = "ERROR"
_SERVICE: Final = "orchestration"
_SUFFIXES: Final[Mapping[Status, str]] = {Status.IN_PROGRESS: "start", Status.COMPLETE: "end"}
_DOCUMENT_VERSION: Final = "0.1"


def publisher_of(host: str) -> str:
    """The publisher id where default_publisher_id is not set."""
    return f"{_SERVICE}.{host}"


def is_of_stack(event: EventRecord) -> bool:
    """Whether the event is of a state of the stack itself, not of one of its resources."""
    return event.resource_type == STACK_TYPE and event.physical_resource_id == event.stack_id


def stack_event_type(stack: StackRecord) -> str:
    """`orchestration.stack.<action>.<start, end or error>`."""
    return f"{_SERVICE}.stack.{stack.action.lower()}.{_SUFFIXES.get(stack.status, 'error')}"


def priority_of(stack: StackRecord, default: str) -> str:
    """ERROR for a failure, else `default` (default_notification_level)."""
    return default.upper() if stack.status in _SUFFIXES else ERROR


def stack_payload(
    stack: StackRecord,
    *,
    description: str,
    tags: Sequence[str],
    project_id: str | None,
    user_id: str | None,
    user_name: str | None,
) -> dict[str, Any]:
    """The payload of a stack's notification; whoever acts stands in the last three."""
    return {
        "tenant_id": project_id,
        "user_id": user_name,
        "user_identity": user_id,
        "username": user_name,
        "stack_identity": stack.id,
        "stack_name": stack.name,
        "state": f"{stack.action}_{stack.status}",
        "state_reason": stack.status_reason,
        "create_at": _shown(stack.created_at),
        "tags": list(tags),
        "updated_at": _shown(stack.updated_at),
        "description": description,
    }


def event_document(event: EventRecord, properties: Mapping[str, Any] | None) -> dict[str, Any]:
    """An event as a stack's event sinks get it, with the properties of its resource at the time."""
    return {
        "timestamp": None if event.created_at is None else event.created_at.isoformat(),
        "version": _DOCUMENT_VERSION,
        "type": "os.heat.event",
        "id": event.uuid,
        "payload": {
            "resource_name": event.resource_name,
            "physical_resource_id": event.physical_resource_id,
            "stack_id": event.stack_id,
            "resource_action": event.resource_action,
            "resource_status": event.resource_status,
            "resource_status_reason": event.resource_status_reason,
            "resource_type": event.resource_type,
            "resource_properties": dict(properties or {}),
            "version": _DOCUMENT_VERSION,
        },
    }


def _shown(time: datetime | None) -> str | None:
    return None if time is None else time.strftime("%Y-%m-%dT%H:%M:%SZ")
