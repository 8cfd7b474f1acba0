from __future__ import annotations

from datetime import datetime, timedelta

from heat_app.engine import formatting
from heat_core.stack import (
    Action,
    EngineId,
    EventRecord,
    HeatIdentifier,
    ResourceId,
    ResourceRecord,
    ServiceRecord,
    StackId,
    StackRecord,
    Status,
    TemplateId,
)

_MADE = datetime(2026, 11, 29, 14, 7, 31, 596955)
_STACK = StackRecord(
    id=StackId("sid"),
    name="st1",
    tenant="PID",
    raw_template_id=TemplateId(1),
    action=Action.CREATE,
    status=Status.COMPLETE,
    status_reason="Stack CREATE completed successfully",
    username="uname",
    stack_user_project_id="SUP",
    created_at=_MADE,
)
_IDENTITY = {"path": "", "stack_id": "sid", "stack_name": "st1", "tenant": "PID"}


def test_times_are_utc_to_the_second() -> None:
    assert formatting.shown_time(_MADE) == "2026-11-29T14:07:31Z"
    assert formatting.shown_time(None) is None


def test_a_stack_in_a_list() -> None:
    assert formatting.listed_stack(_STACK, []) == {
        "creation_time": "2026-11-29T14:07:31Z",
        "deletion_time": None,
        "description": "",
        "parent": None,
        "stack_action": "CREATE",
        "stack_identity": _IDENTITY,
        "stack_name": "st1",
        "stack_owner": "uname",
        "stack_status": "COMPLETE",
        "stack_status_reason": "Stack CREATE completed successfully",
        "stack_user_project_id": "SUP",
        "tags": None,
        "updated_time": None,
    }
    assert formatting.listed_stack(_STACK, ["a"])["tags"] == ["a"]


def test_a_stack_on_its_own() -> None:
    parameters = {"OS::project_id": "PID", "OS::stack_id": "sid", "OS::stack_name": "st1"}
    shown = formatting.shown_stack(_STACK, [], description="No description", parameters=parameters)
    assert shown == {
        "capabilities": [],
        "creation_time": "2026-11-29T14:07:31Z",
        "deletion_time": None,
        "description": "No description",
        "disable_rollback": True,
        "notification_topics": [],
        "parameters": parameters,
        "parent": None,
        "stack_action": "CREATE",
        "stack_identity": _IDENTITY,
        "stack_name": "st1",
        "stack_owner": "uname",
        "stack_status": "COMPLETE",
        "stack_status_reason": "Stack CREATE completed successfully",
        "stack_user_project_id": "SUP",
        "tags": [],
        "template_description": "No description",
        "timeout_mins": None,
        "updated_time": None,
    }


def test_a_resource() -> None:
    row = ResourceRecord(
        id=ResourceId(1),
        uuid="u",
        name="a",
        stack_id=_STACK.id,
        physical_id="st1-a-x",
        action=Action.CREATE,
        status_reason="state changed",
        created_at=_MADE,
    )
    shown = formatting.shown_resource(_STACK, row, "OS::Heat::TestResource", ["b", "c"])
    assert shown == {
        "creation_time": "2026-11-29T14:07:31Z",
        "physical_resource_id": "st1-a-x",
        "required_by": ["b", "c"],
        "resource_action": "CREATE",
        "resource_identity": {**_IDENTITY, "path": "/resources/a"},
        "resource_name": "a",
        "resource_status": "COMPLETE",
        "resource_status_reason": "state changed",
        "resource_type": "OS::Heat::TestResource",
        "stack_identity": _IDENTITY,
        "stack_name": "st1",
        "updated_time": "2026-11-29T14:07:31Z",
    }


def test_an_event() -> None:
    event = EventRecord(
        uuid="ev",
        stack_id=_STACK.id,
        resource_action="CREATE",
        resource_status="IN_PROGRESS",
        resource_name="d",
        physical_resource_id="st1-d-x",
        resource_status_reason="state changed",
        resource_type="OS::Heat::TestResource",
        created_at=_MADE,
    )
    identity = HeatIdentifier.from_dict(_IDENTITY)
    shown = formatting.shown_event(event, identity)
    assert shown == {
        "event_identity": {**_IDENTITY, "path": "/resources/d/events/ev"},
        "event_time": "2026-11-29T14:07:31Z",
        "physical_resource_id": "st1-d-x",
        "resource_action": "CREATE",
        "resource_name": "d",
        "resource_status": "IN_PROGRESS",
        "resource_status_reason": "state changed",
        "resource_type": "OS::Heat::TestResource",
        "stack_identity": _IDENTITY,
        "stack_name": "st1",
    }
    nested = formatting.shown_event(event, identity, identity)
    assert nested == {**shown, "root_stack_id": _IDENTITY}


def test_an_output_without_a_description() -> None:
    assert formatting.shown_output("o", None) == {
        "output_key": "o",
        "description": "No description given",
    }


def test_a_service_is_up_for_two_intervals() -> None:
    service = ServiceRecord(
        id="s",
        engine_id=EngineId("e"),
        host="h",
        hostname="hn",
        binary="heat-engine",
        topic="engine",
        report_interval=60,
        created_at=_MADE,
    )
    shown = formatting.shown_service(service, _MADE + timedelta(seconds=120))
    assert shown["status"] == "up"
    assert set(shown) == {
        "binary",
        "created_at",
        "deleted_at",
        "engine_id",
        "host",
        "hostname",
        "id",
        "report_interval",
        "status",
        "topic",
        "updated_at",
    }
    assert formatting.shown_service(service, _MADE + timedelta(seconds=121))["status"] == "down"
