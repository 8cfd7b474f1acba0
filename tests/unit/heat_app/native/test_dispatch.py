"""Project, policy, bodies, and routes that are not built yet: who is told what first."""

from dataclasses import replace
from typing import Any

import pytest

from heat_core.rpc import RequestContext

MEMBER = RequestContext(user_id="u", project_id="PID", roles=("member", "reader"))
READER = replace(MEMBER, roles=("reader",))
ADMIN = replace(MEMBER, project_id="ADMIN", roles=("admin", "member", "reader"))
SYSTEM = RequestContext(user_id="u", system_scope="all", roles=("admin", "member", "reader"))
IDENTITY = {"tenant": "PID", "stack_name": "s", "stack_id": "SID", "path": ""}
STACK = "/v1/PID/stacks/s/SID"


def _as(context: RequestContext) -> dict[str, Any]:
    return {"contexts": {"t": context}}


async def test_another_project_is_forbidden(make_api: Any) -> None:
    api = make_api({}, **_as(replace(MEMBER, project_id="OTHER")))
    got = await api.request("GET", STACK)
    assert (got.status, got.json["error"]["type"]) == (403, "HTTPForbidden")
    assert api.engine.calls == []


async def test_an_administrator_may_name_any_project(make_api: Any) -> None:
    api = make_api({"get_template": {}}, **_as(ADMIN))
    got = await api.request("GET", f"{STACK}/template")
    assert got.status == 200
    # The stack is looked for in the caller's own project.
    assert api.engine.calls == [
        ("get_template", {"stack_identity": {**IDENTITY, "tenant": "ADMIN"}})
    ]
    assert api.engine.contexts[0].is_admin


async def test_a_token_without_a_project_is_forbidden(make_api: Any) -> None:
    got = await make_api({}, **_as(SYSTEM)).request("GET", "/v1/PID/stacks")
    assert (got.status, got.json["error"]["type"]) == (403, "HTTPForbidden")


async def test_policy_names_its_rule(make_api: Any) -> None:
    got = await make_api({}, **_as(READER)).request("DELETE", STACK)
    assert (got.status, got.json["error"]["type"]) == (403, "Forbidden")
    assert got.message == "You are not authorized to use stacks:delete."


async def test_bad_json_is_told_before_the_project_is_looked_at(make_api: Any) -> None:
    api = make_api({}, **_as(replace(MEMBER, project_id="OTHER")))
    got = await api.request("PUT", STACK, body=b"{x", headers={"Content-Type": "text/plain"})
    assert got.status == 400
    got = await api.request("DELETE", "/v1/PID/stacks", body=b"{x")
    assert got.status == 400


async def test_policy_is_told_before_a_missing_body(make_api: Any) -> None:
    assert (await make_api({}, **_as(READER)).request("PUT", STACK)).status == 403
    assert (await make_api({}).request("PUT", STACK)).status == 400


async def test_a_body_where_none_is_taken(make_api: Any) -> None:
    api = make_api({})
    got = await api.request("GET", STACK, body={"a": 1})
    assert got.status == 400
    assert api.engine.calls == []


@pytest.mark.parametrize("error", [TypeError("engine"), KeyError("engine"), ValueError("engine")])
async def test_errors_of_the_engine_that_are_pythons_own(make_api: Any, error: Exception) -> None:
    got = await make_api({"show_stack": error}).request("GET", STACK)
    if isinstance(error, TypeError):
        assert (got.status, got.json["error"]["type"]) == (400, "HTTPBadRequest")
        assert got.message.startswith("The server could not comply")
    else:
        assert got.status == (400 if isinstance(error, ValueError) else 500)
        assert got.message is None


async def test_what_is_not_built_yet_is_an_unknown_path(make_api: Any) -> None:
    api = make_api({}, not_yet=frozenset({"stack_snapshot", "action_stack"}))
    got = await api.request("POST", f"{STACK}/snapshots", body={}, headers={"Accept": "*/*"})
    assert got.status == 404
    assert got.body.startswith(b"<html>")
    assert (await api.request("POST", f"{STACK}/actions", body={"check": None})).status == 404
    assert api.engine.calls == []


async def test_what_is_not_built_yet_still_knows_methods_and_policy(make_api: Any) -> None:
    unbuilt = {"not_yet": frozenset({"stack_snapshot"})}
    got = await make_api({}, **unbuilt).request("OPTIONS", f"{STACK}/snapshots")
    assert (got.status, got.headers["allow"]) == (204, "POST,GET")
    assert (await make_api({}, **unbuilt).request("PUT", f"{STACK}/snapshots")).status == 405
    api = make_api({}, **unbuilt, **_as(READER))
    assert (await api.request("POST", f"{STACK}/snapshots", body={})).status == 403


async def test_method_in_the_query(make_api: Any) -> None:
    api = make_api({"delete_stack": None})
    assert (await api.request("GET", f"{STACK}?_method=delete")).status == 204
    assert (await api.request("GET", f"{STACK}?_method=")).status == 500
    assert [name for name, _ in api.engine.calls] == ["delete_stack", "show_stack"]
    # Text that is not UTF-8 is no method, and then a bad request.
    assert (await api.request("GET", f"{STACK}?_method=%ff")).status == 400
