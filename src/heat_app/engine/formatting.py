"""Answers as clients know them: stacks, resources, events, outputs, services.

Everything returned is plain JSON data. Source: facts/formats.json (engine).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from heat_core.stack import (
    EventRecord,
    HeatIdentifier,
    ResourceRecord,
    ServiceRecord,
    StackRecord,
)

TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
NO_OUTPUT_DESCRIPTION = "No description given"


def shown_time(time: datetime | None) -> str | None:
    """UTC to the second, null for none."""
    return None if time is None else time.strftime(TIME_FORMAT)


def identity_of(stack: StackRecord) -> HeatIdentifier:
    """What a stack is called from outside."""
    return HeatIdentifier(stack.tenant, stack.name, stack.id)


def listed_stack(stack: StackRecord, tags: Sequence[str]) -> dict[str, Any]:
    """A stack within a list; its tags are null when it has none."""
    return {
        "stack_identity": identity_of(stack).to_dict(),
        "stack_name": stack.name,
        "description": "",
        "stack_action": stack.action,
        "stack_status": stack.status,
        "stack_status_reason": stack.status_reason,
        "creation_time": shown_time(stack.created_at),
        "updated_time": shown_time(stack.updated_at),
        "deletion_time": shown_time(stack.deleted_at),
        "stack_owner": stack.username,
        "parent": stack.owner_id,
        "stack_user_project_id": stack.stack_user_project_id,
        "tags": list(tags) or None,
    }


def shown_stack(
    stack: StackRecord,
    tags: Sequence[str],
    *,
    description: str,
    parameters: Mapping[str, str],
) -> dict[str, Any]:
    """A stack on its own, without its outputs."""
    return {
        "stack_name": stack.name,
        "stack_identity": identity_of(stack).to_dict(),
        "creation_time": shown_time(stack.created_at),
        "updated_time": shown_time(stack.updated_at),
        "deletion_time": shown_time(stack.deleted_at),
        "notification_topics": [],
        "parameters": dict(parameters),
        "description": description,
        "template_description": description,
        "capabilities": [],
        "disable_rollback": stack.disable_rollback,
        "timeout_mins": stack.timeout,
        "stack_owner": stack.username,
        "parent": stack.owner_id,
        "stack_user_project_id": stack.stack_user_project_id,
        "tags": list(tags),
        "stack_action": stack.action,
        "stack_status": stack.status,
        "stack_status_reason": stack.status_reason,
    }


def shown_output(key: str, description: str | None) -> dict[str, Any]:
    """An output without its value."""
    return {
        "output_key": key,
        "description": NO_OUTPUT_DESCRIPTION if description is None else str(description),
    }


def shown_resource(
    stack: StackRecord, resource: ResourceRecord, type_name: str, required_by: Iterable[str]
) -> dict[str, Any]:
    """A resource as in a list; `type_name` is the one its template gives."""
    identity = identity_of(stack)
    shown: dict[str, Any] = {
        "updated_time": shown_time(resource.updated_at or resource.created_at),
        "creation_time": shown_time(resource.created_at),
        "resource_name": resource.name,
        "physical_resource_id": resource.physical_id or "",
        "resource_action": resource.action,
        "resource_status": resource.status,
        "resource_status_reason": resource.status_reason,
        "resource_type": type_name,
        "resource_identity": identity.resource(resource.name).to_dict(),
        "stack_identity": identity.to_dict(),
        "stack_name": stack.name,
        "required_by": list(required_by),
    }
    if stack.parent_resource_name:
        shown["parent_resource"] = stack.parent_resource_name
    return shown


def shown_event(
    event: EventRecord, stack: HeatIdentifier, root: HeatIdentifier | None = None
) -> dict[str, Any]:
    """An event without the resource's properties; `root` is given in lists of nested stacks."""
    shown: dict[str, Any] = {
        "event_identity": stack.event(event.resource_name or "", event.uuid).to_dict(),
        "stack_identity": stack.to_dict(),
        "stack_name": stack.stack_name,
        "event_time": shown_time(event.created_at),
        "resource_name": event.resource_name,
        "physical_resource_id": event.physical_resource_id,
        "resource_action": event.resource_action,
        "resource_status": event.resource_status,
        "resource_status_reason": event.resource_status_reason,
        "resource_type": event.resource_type,
    }
    if root is not None:
        shown["root_stack_id"] = root.to_dict()
    return shown


def shown_service(service: ServiceRecord, now: datetime) -> dict[str, Any]:
    """An engine process: up when it reported within two of its intervals.

    Times are left as they are: the bus gives them their text (rules/k-locks-services.md#9).
    """
    last_sign = service.updated_at or service.created_at
    silent_seconds = float("inf") if last_sign is None else (now - last_sign).total_seconds()
    return {
        "id": service.id,
        "binary": service.binary,
        "engine_id": service.engine_id,
        "host": service.host,
        "hostname": service.hostname,
        "topic": service.topic,
        "report_interval": service.report_interval,
        "created_at": service.created_at,
        "updated_at": service.updated_at,
        "deleted_at": service.deleted_at,
        "status": "up" if silent_seconds <= 2 * service.report_interval else "down",
    }
