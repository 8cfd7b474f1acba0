"""Actions and snapshots."""

from typing import Any

import pytest

IDENTITY = {"tenant": "PID", "stack_name": "s", "stack_id": "SID", "path": ""}
STACK = "/v1/PID/stacks/s/SID"
ALL: dict[str, Any] = {"not_yet": frozenset()}


@pytest.mark.parametrize(
    ("action", "method", "arguments"),
    [
        ("suspend", "stack_suspend", {}),
        ("resume", "stack_resume", {}),
        ("check", "stack_check", {}),
        ("cancel_update", "stack_cancel_update", {"cancel_with_rollback": True}),
        ("cancel_without_rollback", "stack_cancel_update", {"cancel_with_rollback": False}),
    ],
)
async def test_actions(make_api: Any, action: str, method: str, arguments: Any) -> None:
    api = make_api({method: None}, **ALL)
    got = await api.request("POST", f"{STACK}/actions", body={action: None})
    assert (got.status, got.body) == (200, b"null")
    assert api.engine.calls == [(method, {"stack_identity": IDENTITY, **arguments})]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (None, "No action specified"),
        ({}, "No action specified"),
        ({"check": 1, "resume": 1}, "Multiple actions specified"),
        ({"snapshot": 1}, "Invalid action snapshot specified"),
    ],
)
async def test_bodies_are_judged_before_the_project(make_api: Any, body: Any, message: str) -> None:
    got = await make_api({}, **ALL).request("POST", "/v1/X/stacks/s/SID/actions", body=body)
    assert (got.status, got.message) == (400, message)


async def test_each_action_has_its_rule(make_api: Any) -> None:
    from heat_core.rpc import RequestContext

    reader = RequestContext(project_id="PID", roles=("reader",))
    api = make_api({"stack_check": None}, contexts={"t": reader}, **ALL)
    assert (await api.request("POST", f"{STACK}/actions", body={"check": 1})).status == 200
    got = await api.request("POST", f"{STACK}/actions", body={"suspend": 1})
    assert got.message == "You are not authorized to use actions:suspend."
    got = await api.request("POST", "/v1/X/stacks/s/SID/actions", body={"check": 1})
    assert (got.status, got.json["error"]["type"]) == (403, "HTTPForbidden")


async def test_snapshots(make_api: Any) -> None:
    api = make_api(
        {
            "stack_snapshot": {"id": "N"},
            "show_snapshot": {"id": "N"},
            "delete_snapshot": None,
            "stack_list_snapshots": [],
            "stack_restore": None,
        },
        **ALL,
    )
    path = f"{STACK}/snapshots"
    assert (await api.request("POST", path, body={"name": "n"})).json == {"id": "N"}
    assert (await api.request("GET", path)).json == {"snapshots": []}
    assert (await api.request("GET", f"{path}/N")).json == {"snapshot": {"id": "N"}}
    assert (await api.request("DELETE", f"{path}/N")).status == 204
    assert (await api.request("POST", f"{path}/N/restore")).status == 202
    assert api.engine.calls[0] == ("stack_snapshot", {"stack_identity": IDENTITY, "name": "n"})
    for _, arguments in api.engine.calls[2:]:
        assert arguments == {"stack_identity": IDENTITY, "snapshot_id": "N"}
