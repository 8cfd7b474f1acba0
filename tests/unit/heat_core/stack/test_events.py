"""Rows of history (rules/g-events-status.md#9-11), held to those that Heat wrote."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from heat_core.stack.events import REASON_LIMIT, resource_event, stack_event
from heat_core.stack.ids import PropertiesDataId, ResourceId, StackId, TemplateId
from heat_core.stack.naming import physical_resource_name
from heat_core.stack.records import EventRecord, ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status

sys.path.insert(0, str(Path(__file__).parents[3]))

from recorded_states import scenarios

NOW = datetime(2026, 3, 1, 12)
UUID = "7f3c1c52-6a54-4b43-8c42-5f1b7c1f8e11"


def a_stack(**fields: Any) -> StackRecord:
    values: dict[str, Any] = {
        "id": StackId("stack-1"),
        "name": "st",
        "tenant": "tenant",
        "raw_template_id": TemplateId(1),
        "action": Action.CREATE,
        "status": Status.IN_PROGRESS,
        "status_reason": "Stack CREATE started",
    }
    return StackRecord(**values | fields)


def a_row(**fields: Any) -> ResourceRecord:
    values: dict[str, Any] = {
        "id": ResourceId(1),
        "uuid": UUID,
        "name": "a",
        "stack_id": StackId("stack-1"),
        "action": Action.CREATE,
        "status": Status.IN_PROGRESS,
        "status_reason": "state changed",
    }
    return ResourceRecord(**values | fields)


def of(row: ResourceRecord, **more: Any) -> EventRecord:
    values: dict[str, Any] = {
        "stack_name": "st",
        "type_name": "OS::Heat::TestResource",
        "properties_data_id": PropertiesDataId(9),
        "uuid": "event-1",
        "now": NOW,
    }
    return resource_event(row, **values | more)


def test_a_stack_is_a_resource_of_its_own_type() -> None:
    event = stack_event(a_stack(), uuid="event-1", now=NOW)
    assert event == EventRecord(
        uuid="event-1",
        stack_id=StackId("stack-1"),
        resource_action="CREATE",
        resource_status="IN_PROGRESS",
        resource_name="st",
        physical_resource_id="stack-1",
        resource_status_reason="Stack CREATE started",
        resource_type="OS::Heat::Stack",
        properties_data_id=None,
        created_at=NOW,
    )


def test_a_resource_has_its_type_and_its_properties() -> None:
    event = of(a_row(physical_id="physical"))
    assert event.resource_name == "a"
    assert event.resource_type == "OS::Heat::TestResource"
    assert event.physical_resource_id == "physical"
    assert event.properties_data_id == 9
    assert (event.resource_action, event.resource_status) == ("CREATE", "IN_PROGRESS")
    assert (event.uuid, event.created_at) == ("event-1", NOW)


def test_before_there_is_an_id_the_event_shows_the_name_to_be() -> None:
    whole = physical_resource_name("st", "a", UUID)
    assert of(a_row()).physical_resource_id == whole
    assert of(a_row(), name_limit=10).physical_resource_id == physical_resource_name(
        "st", "a", UUID, limit=10
    )


def test_a_row_with_which_nothing_was_done_has_no_name_to_show() -> None:
    assert of(a_row(action=Action.INIT, status=Status.COMPLETE)).physical_resource_id is None


@pytest.mark.parametrize(
    ("reason", "shown"), [(None, ""), ("", ""), ("x" * 300, "x" * REASON_LIMIT)]
)
def test_the_reason_is_never_null_and_never_long(reason: str | None, shown: str) -> None:
    assert of(a_row(status_reason=reason)).resource_status_reason == shown
    event = stack_event(a_stack(status_reason=reason), uuid="event-1", now=NOW)
    assert event.resource_status_reason == shown


def test_heat_showed_the_same_kinds_of_ids_and_types(shared: Path) -> None:
    seen = 0
    for scenario in scenarios(shared):
        for recorded in scenario.events:
            if recorded["resource_type"] == "OS::Heat::Stack":
                made = stack_event(
                    a_stack(id=recorded["physical_resource_id"]), uuid="event-1", now=NOW
                )
                assert made.physical_resource_id == recorded["physical_resource_id"]
            elif recorded["resource_type"] == "OS::Heat::TestResource":
                known = recorded["physical_resource_id"]
                made = of(
                    a_row(
                        name=recorded["resource_name"], action=Action(recorded["resource_action"])
                    ),
                    stack_name=str(known).split("-")[0],
                )
                # A placeholder takes the place of the short id in the recorded names.
                assert _without_id(made.physical_resource_id) == _without_id(known)
            assert len(recorded["resource_status_reason"]) <= REASON_LIMIT
            seen += 1
    assert seen > 100


def _without_id(name: str | None) -> str | None:
    return None if name is None else name.rpartition("-")[0]
