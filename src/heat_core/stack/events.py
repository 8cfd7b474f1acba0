"""Events: what a stack's history says (rules/g-events-status.md#9-11)."""

from __future__ import annotations

from datetime import datetime

from heat_core.stack.ids import PropertiesDataId
from heat_core.stack.naming import physical_resource_name
from heat_core.stack.records import EventRecord, ResourceRecord, StackRecord
from heat_core.stack.states import Action

STACK_TYPE = "OS::Heat::Stack"
REASON_LIMIT = 255


def stack_event(stack: StackRecord, *, uuid: str, now: datetime) -> EventRecord:
    """The event of the stack's state as it is in `stack`."""
    return EventRecord(
        uuid=uuid,
        stack_id=stack.id,
        resource_action=stack.action,
        resource_status=stack.status,
        resource_name=stack.name,
        physical_resource_id=stack.id,
        resource_status_reason=(stack.status_reason or "")[:REASON_LIMIT],
        resource_type=STACK_TYPE,
        created_at=now,
    )


def resource_event(
    row: ResourceRecord,
    *,
    stack_name: str,
    type_name: str,
    properties_data_id: PropertiesDataId | None,
    uuid: str,
    now: datetime,
    name_limit: int | None = 255,
) -> EventRecord:
    """The event of a resource's state as it is in `row`.

    Before the physical id is known the event shows the name that the object will have, and while
    the row is INIT nothing.
    """
    physical_id = row.physical_id
    if physical_id is None and row.action is not Action.INIT:
        physical_id = physical_resource_name(stack_name, row.name, row.uuid, limit=name_limit)
    return EventRecord(
        uuid=uuid,
        stack_id=row.stack_id,
        resource_action=row.action,
        resource_status=row.status,
        resource_name=row.name,
        physical_resource_id=physical_id,
        resource_status_reason=(row.status_reason or "")[:REASON_LIMIT],
        resource_type=type_name,
        properties_data_id=properties_data_id,
        created_at=now,
    )
