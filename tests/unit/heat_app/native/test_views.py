"""Engine answers in the form of the HTTP API."""

from typing import Any

import pytest
from werkzeug.datastructures import Headers

from heat_app.native.faults import HTTPInternalServerError
from heat_app.native.views import (
    EVENT_LIST_KEYS,
    format_event,
    format_resource,
    format_stack,
    format_stacks,
    stack_url,
)
from heat_app.web.parameters import Parameters
from heat_app.web.request import ApiRequest

REQUEST = ApiRequest(
    method="GET",
    scheme="http",
    host="h",
    path="/P/stacks",
    query=b"",
    headers=Headers(),
    script="/v1",
)
BASE = "http://h/v1/P/stacks/s/I"


def _identity(path: str = "", name: str = "s", stack_id: str = "I") -> dict[str, str]:
    return {"tenant": "P", "stack_name": name, "stack_id": stack_id, "path": path}


def test_a_stack() -> None:
    stack = {
        "stack_name": "s",
        "stack_identity": _identity(),
        "stack_action": "CREATE",
        "stack_status": "COMPLETE",
        "outputs": [],
    }
    shown = format_stack(REQUEST, stack)
    assert list(shown.items()) == [
        ("stack_name", "s"),
        ("id", "I"),
        ("links", [{"href": BASE, "rel": "self"}]),
        ("stack_status", "CREATE_COMPLETE"),
        ("outputs", []),
    ]
    assert format_stack(REQUEST, stack, {"stack_identity"}, with_project=True) == {
        "id": "I",
        "links": [{"href": BASE, "rel": "self"}],
        "project": "P",
    }


def test_a_stack_without_an_action_keeps_its_status() -> None:
    assert format_stack(REQUEST, {"stack_status": "X"}) == {"stack_status": "X"}


def test_names_are_quoted_in_links() -> None:
    assert stack_url(REQUEST, _identity("/resources/a b")) == f"{BASE}/resources/a%20b"
    with pytest.raises(HTTPInternalServerError, match="Invalid Stack address"):
        stack_url(REQUEST, _identity(name="a/b"))


def _stacks(parameters: Parameters, **options: Any) -> dict[str, Any]:
    found = [{"stack_identity": _identity(stack_id=stack_id)} for stack_id in ("I", "J")]
    return format_stacks(REQUEST, found, parameters, count=None, with_project=False, **options)


def test_next_link_only_for_a_full_page() -> None:
    full = _stacks(Parameters.parse(b"limit=2&marker=A&name=x"))
    assert full["links"] == [
        {"rel": "next", "href": "http://h/v1/P/stacks?limit=2&name=x&marker=J"}
    ]
    for query in (b"", b"limit=3", b"limit=0", b"limit=", b"limit=x"):
        assert "links" not in _stacks(Parameters.parse(query))


def test_count_comes_last() -> None:
    shown = format_stacks(REQUEST, [], Parameters(), count=0, with_project=False)
    assert shown == {"stacks": [], "count": 0}


def test_a_resource() -> None:
    resource = {
        "resource_identity": _identity("/resources/r"),
        "stack_name": "s",
        "stack_identity": _identity(),
        "resource_name": "r",
        "resource_action": "CREATE",
        "resource_status": "FAILED",
        "metadata": {"a": 1},
        "nested_stack_id": _identity(name="n", stack_id="N"),
        "parent_resource": "p",
    }
    assert list(format_resource(REQUEST, resource).items()) == [
        (
            "links",
            [
                {"href": f"{BASE}/resources/r", "rel": "self"},
                {"href": BASE, "rel": "stack"},
                {"href": "http://h/v1/P/stacks/n/N", "rel": "nested"},
            ],
        ),
        ("logical_resource_id", "r"),
        ("resource_name", "r"),
        ("resource_status", "CREATE_FAILED"),
        ("parent_resource", "p"),
    ]


def test_an_event() -> None:
    event = {
        "event_identity": _identity("/resources/r/events/E"),
        "stack_name": "s",
        "stack_identity": _identity(),
        "event_time": "t",
        "resource_name": "r",
        "resource_action": "CREATE",
        "resource_status": "COMPLETE",
        "resource_type": "T",
        "root_stack_id": _identity(name="top", stack_id="R"),
    }
    shown = format_event(REQUEST, event)
    assert shown["id"] == "E"
    assert shown["links"] == [
        {"href": f"{BASE}/resources/r/events/E", "rel": "self"},
        {"href": f"{BASE}/resources/r", "rel": "resource"},
        {"href": BASE, "rel": "stack"},
        {"href": "http://h/v1/P/stacks/top/R", "rel": "root_stack"},
    ]
    assert shown["resource_status"] == "CREATE_COMPLETE"
    assert shown["resource_type"] == "T"
    listed = format_event(REQUEST, event, EVENT_LIST_KEYS)
    assert set(listed) == {
        "id",
        "links",
        "event_time",
        "resource_name",
        "logical_resource_id",
        "resource_status",
    }
