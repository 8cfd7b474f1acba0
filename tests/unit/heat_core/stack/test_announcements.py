"""What others are told of a stack, against the recorded shapes."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from heat_core.stack.announcements import (
    event_document,
    is_of_stack,
    priority_of,
    publisher_of,
    stack_event_type,
    stack_payload,
)
from heat_core.stack.events import stack_event
from heat_core.stack.ids import StackId, TemplateId
from heat_core.stack.records import EventRecord, StackRecord
from heat_core.stack.states import Action, Status

NOW = datetime(2026, 3, 1, 12, 0, 5, 600)
STACK = StackRecord(
    id=StackId("s-1"),
    name="st",
    tenant="p",
    raw_template_id=TemplateId(1),
    action=Action.UPDATE,
    status=Status.IN_PROGRESS,
    status_reason="Stack UPDATE started",
    created_at=NOW,
)


@pytest.mark.parametrize(
    ("status", "suffix", "priority"),
    [
        (Status.IN_PROGRESS, "start", "INFO"),
        (Status.COMPLETE, "end", "INFO"),
        (Status.FAILED, "error", "ERROR"),
    ],
)
def test_kinds_and_priorities(status: Status, suffix: str, priority: str) -> None:
    stack = replace(STACK, status=status)
    assert stack_event_type(stack) == f"orchestration.stack.update.{suffix}"
    assert priority_of(stack, "info") == priority
    assert publisher_of("h") == "orchestration.h"


def test_the_payload_has_the_fields_of_heats(shared: Path) -> None:
    facts = json.loads((shared / "facts" / "events-notifications.json").read_text())
    payload = stack_payload(
        STACK, description="d", tags=("a",), project_id="p", user_id="uid", user_name="u"
    )
    assert set(payload) == set(facts["oslo_notification"]["stack_payload"])
    assert payload == {
        "tenant_id": "p",
        "user_id": "u",
        "user_identity": "uid",
        "username": "u",
        "stack_identity": "s-1",
        "stack_name": "st",
        "state": "UPDATE_IN_PROGRESS",
        "state_reason": "Stack UPDATE started",
        "create_at": "2026-03-01T12:00:05Z",
        "tags": ["a"],
        "updated_at": None,
        "description": "d",
    }


def test_events_for_sinks(shared: Path) -> None:
    facts = json.loads((shared / "facts" / "events-notifications.json").read_text())
    event = stack_event(STACK, uuid="e-1", now=NOW)
    document = event_document(event, None)
    assert set(document) == set(facts["event_document"])
    assert set(document["payload"]) == set(facts["event_document"]["payload"])
    assert document["timestamp"] == "2026-03-01T12:00:05.000600"
    assert document["id"] == "e-1"
    assert document["payload"]["resource_properties"] == {}
    assert document["payload"]["stack_id"] == "s-1"
    assert event_document(event, {"a": 1})["payload"]["resource_properties"] == {"a": 1}


def test_an_event_of_a_nested_stacks_resource_is_not_the_stacks() -> None:
    event = stack_event(STACK, uuid="e", now=NOW)
    assert is_of_stack(event)
    nested = EventRecord(
        uuid="e",
        stack_id=STACK.id,
        resource_action="CREATE",
        resource_status="COMPLETE",
        resource_name="n",
        physical_resource_id="other",
        resource_status_reason="",
        resource_type="OS::Heat::Stack",
    )
    assert not is_of_stack(nested)
    assert event_document(nested, None)["timestamp"] is None
