"""Resources and events."""

from typing import Any

import pytest

IDENTITY = {"tenant": "PID", "stack_name": "s", "stack_id": "SID", "path": ""}
STACK = "/v1/PID/stacks/s/SID"
EVENT = {
    "event_identity": {**IDENTITY, "path": "/resources/r/events/E"},
    "resource_name": "r",
    "resource_type": "T",
}


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("", {"nested_depth": 0, "with_detail": False, "filters": {}}),
        (
            "?nested_depth=2&with_detail=true&type=T&name=a&name=b&id=",
            {
                "nested_depth": 2,
                "with_detail": True,
                "filters": {"type": "T", "name": ["a", "b"]},
            },
        ),
    ],
)
async def test_list(make_api: Any, query: str, arguments: dict[str, Any]) -> None:
    api = make_api({"list_stack_resources": [{"resource_name": "r"}]})
    got = await api.request("GET", f"{STACK}/resources{query}")
    assert got.json == {"resources": [{"logical_resource_id": "r", "resource_name": "r"}]}
    assert api.engine.calls == [("list_stack_resources", {"stack_identity": IDENTITY, **arguments})]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("foo=1&name=x&bar=2", "Invalid filter parameters ['foo', 'bar']"),
        ("nested_depth=x", "Only integer is acceptable by 'nested_depth'."),
        (
            "with_detail=1",
            'Unrecognized value "1" for "with_detail", acceptable values are: true, false.',
        ),
    ],
)
async def test_list_with_bad_values(make_api: Any, query: str, message: str) -> None:
    got = await make_api({}).request("GET", f"{STACK}/resources?{query}")
    assert (got.status, got.message) == (400, message)


@pytest.mark.parametrize(
    ("query", "with_attr"), [("", None), ("?with_attr=a&with_attr=b", ["a", "b"])]
)
async def test_show(make_api: Any, query: str, with_attr: Any) -> None:
    api = make_api({"describe_stack_resource": {"resource_name": "r", "metadata": {}}})
    got = await api.request("GET", f"{STACK}/resources/r{query}")
    assert got.json == {"resource": {"logical_resource_id": "r", "resource_name": "r"}}
    assert api.engine.calls == [
        (
            "describe_stack_resource",
            {"stack_identity": IDENTITY, "resource_name": "r", "with_attr": with_attr},
        )
    ]


async def test_metadata(make_api: Any) -> None:
    api = make_api({"describe_stack_resource": {"metadata": {"a": 1}}})
    assert (await api.request("GET", f"{STACK}/resources/r/metadata")).json == {
        "metadata": {"a": 1}
    }
    assert api.engine.calls[0][1]["with_attr"] is False


@pytest.mark.parametrize("body", [None, {"a": 1}])
async def test_signal(make_api: Any, body: Any) -> None:
    api = make_api({"resource_signal": None}, not_yet=frozenset())
    got = await api.request("POST", f"{STACK}/resources/r/signal", body=body)
    assert (got.status, got.body) == (200, b"null")
    assert api.engine.calls == [
        (
            "resource_signal",
            {
                "stack_identity": IDENTITY,
                "resource_name": "r",
                "details": body,
                "sync_call": False,
            },
        )
    ]


async def test_mark_unhealthy(make_api: Any) -> None:
    api = make_api({"resource_mark_unhealthy": None}, not_yet=frozenset())
    path = f"{STACK}/resources/r"
    got = await api.request("PATCH", path, body={"mark_unhealthy": "TRUE"})
    assert (got.status, got.body) == (200, b"null")
    assert api.engine.calls == [
        (
            "resource_mark_unhealthy",
            {
                "stack_identity": IDENTITY,
                "resource_name": "r",
                "mark_unhealthy": True,
                "resource_status_reason": "",
            },
        )
    ]
    for body in ({}, {"mark_unhealthy": 1}, {"mark_unhealthy": True, "x": 1}):
        assert (await api.request("PATCH", path, body=body)).status == 400


async def test_events_of_a_stack(make_api: Any) -> None:
    api = make_api({"list_events": [EVENT]})
    query = "limit=2&marker=M&sort_keys=event_time&sort_dir=asc&nested_depth=1&resource_type=T"
    got = await api.request("GET", f"{STACK}/events?{query}")
    assert [event["id"] for event in got.json["events"]] == ["E"]
    assert "resource_type" not in got.json["events"][0]
    assert api.engine.calls == [
        (
            "list_events",
            {
                "stack_identity": IDENTITY,
                "limit": 2,
                "marker": "M",
                "sort_keys": ["event_time"],
                "sort_dir": "asc",
                "nested_depth": 1,
                "filters": {"resource_type": "T"},
            },
        )
    ]
    assert (await api.request("GET", f"{STACK}/events?limit=x")).status == 400


async def test_no_events_of_a_stack(make_api: Any) -> None:
    api = make_api({"list_events": []})
    assert (await api.request("GET", f"{STACK}/events")).json == {"events": []}
    assert api.engine.calls[0][1]["filters"] is None


async def test_events_of_a_resource(make_api: Any) -> None:
    api = make_api({"list_events": [EVENT]})
    await api.request("GET", f"{STACK}/resources/r/events?resource_name=other")
    assert api.engine.calls[0][1]["filters"] == {"resource_name": "r"}
    got = await make_api({"list_events": []}).request("GET", f"{STACK}/resources/r/events")
    assert (got.status, got.message) == (404, "No events found for resource r")


async def test_one_event(make_api: Any) -> None:
    api = make_api({"list_events": [EVENT]})
    got = await api.request("GET", f"{STACK}/resources/r/events/E")
    assert got.json["event"]["resource_type"] == "T"
    assert api.engine.calls[0][1]["filters"] == {"resource_name": "r", "uuid": "E"}
    got = await make_api({"list_events": []}).request("GET", f"{STACK}/resources/r/events/E")
    assert (got.status, got.message) == (404, "No event E found")
