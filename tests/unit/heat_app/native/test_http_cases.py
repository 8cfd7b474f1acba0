"""Recorded cases of the client suite that the API decides without an engine's data.

The engine knows a few stacks by name and id, and nothing about them.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from heat_core import errors
from heat_core.rpc import RequestContext

X = "tag"
NO_ID = "11111111-2222-3333-4444-555555555555"
MAIN, SECOND, GONE, SCRATCH, CHILD = (
    f"{digit * 8}-0000-4000-8000-000000000000" for digit in ("a", "b", "c", "d", "e")
)
ROOT = "http://heat.example:8004"
HEAT = f"{ROOT}/v1/PROJECT"
KEYSTONE = "http://keystone.example:5000"
NAMES = {
    "x": X,
    "project": "PROJECT",
    "other_project": "OTHER",
    "admin_project": "ADMIN",
    "heat": HEAT,
    "root": ROOT,
    "keystone_root": KEYSTONE,
    "none_id": NO_ID,
    "server_id": NO_ID,
    "main_id": MAIN,
    "main_id_upper": MAIN.upper(),
    "second_id": SECOND,
    "gone_id": GONE,
    "scratch_id": SCRATCH,
    "child_id": CHILD,
    "child_name": f"{X}-parent-child",
    "event1": NO_ID,
    "deployment_id": NO_ID,
}
STACKS = {
    f"{X}-main": MAIN,
    f"{X}-second": SECOND,
    f"{X}-scratch": SCRATCH,
    f"{X}-parent-child": CHILD,
}
DELETED = {f"{X}-gone": GONE}

_HERE = RequestContext(user_id="u", project_id="PROJECT", roles=("member", "reader"))
CONTEXTS = {
    "user": _HERE,
    "reader": replace(_HERE, roles=("reader",)),
    "other": replace(_HERE, project_id="OTHER"),
    "admin": replace(_HERE, project_id="ADMIN", roles=("admin", "member", "reader")),
    "admin_system": RequestContext(user_id="a", system_scope="all", roles=("admin", "reader")),
}

FAMILIES = ("version/", "route/", "auth/", "redirect/", "proxy/")
ENGINE_DECIDES = frozenset(
    {
        # An engine's answer that only looks like the API's own error.
        "validate/unknown-type-ignored",
        "validate/file-missing",
        "validate/bad-section",
        # Needs an engine that knows no method of that name.
        "software/config-bad-inputs",
    }
)


def _identity(name: str, stack_id: str) -> dict[str, str]:
    return {"tenant": "PROJECT", "stack_name": name, "stack_id": stack_id, "path": ""}


def _engine(context_project: str | None, is_admin: bool) -> dict[str, Any]:
    visible = is_admin or context_project == "PROJECT"

    def identify(stack_name: str) -> dict[str, str]:
        known = {**STACKS, **DELETED} if visible else {}
        for name, stack_id in known.items():
            if stack_name.lower() == stack_id or (stack_name == name and name in STACKS):
                return _identity(name, stack_id)
        raise errors.EntityNotFound(entity="Stack", name=stack_name)

    def unknown(stack_identity: dict[str, str], **_: Any) -> Any:
        name = stack_identity["stack_name"]
        if visible and STACKS.get(name) == stack_identity["stack_id"]:
            return []
        raise errors.EntityNotFound(entity="Stack", name=name)

    methods = ("show_stack", "delete_stack", "list_events", "list_stack_resources")
    return {
        "identify_stack": identify,
        "get_revision": "unknown",
        **dict.fromkeys(methods, unknown),
    }


def _substituted(value: Any) -> Any:
    if isinstance(value, str):
        value = re.sub(r"\{\{big:(\d+)\}\}", lambda match: "x" * int(match[1]), value)
        return re.sub(r"\{\{(\w+)\}\}", lambda match: NAMES.get(match[1], match[0]), value)
    if isinstance(value, list):
        return [_substituted(item) for item in value]
    if isinstance(value, dict):
        return {_substituted(key): _substituted(item) for key, item in value.items()}
    return value


def _is_the_apis_own(case: dict[str, Any]) -> bool:
    if case["id"] in ENGINE_DECIDES:
        return False
    of_family = case["id"].startswith(FAMILIES)
    return all(
        (_needs_no_data(step) if of_family else _is_own_error(step))
        for step in case["steps"]
        if "method" in step
    )


def _needs_no_data(step: dict[str, Any]) -> bool:
    expect = step["expect"]
    return (
        expect["status"] not in {200, 201}
        or step["method"] == "OPTIONS"
        or "build_info" in step["path"]
        or "healthcheck" in step["path"]
    )


def _is_own_error(step: dict[str, Any]) -> bool:
    body = step["expect"].get("body")
    error = body.get("error") if isinstance(body, dict) else None
    return isinstance(error, dict) and str(error.get("type")).startswith("HTTP")


@pytest.fixture
def cases(shared: Path) -> list[dict[str, Any]]:
    found = []
    for file in sorted((shared / "clients" / "http-cases").glob("*.jsonl")):
        if "cfn" not in file.name:
            lines = (json.loads(line) for line in file.read_text().splitlines() if line.strip())
            found += [case for case in lines if _is_the_apis_own(case)]
    return found


async def test_cases_that_the_api_decides(cases: list[dict[str, Any]], make_api: Any) -> None:
    assert len(cases) > 150
    api = make_api(contexts=CONTEXTS, headers={"Host": "heat.example:8004"}, not_yet=frozenset())
    wrong = []
    for case in cases:
        for step in case["steps"]:
            if "method" not in step:
                continue
            problem = await _problem(step, api)
            if problem:
                wrong.append(f"{case['id']}: {problem}")
    assert wrong == []


async def _problem(step: dict[str, Any], api: Any) -> str:
    who = step["as"]
    context = CONTEXTS.get(who)
    api.engine.script = _engine(context.project_id if context else None, who == "admin")
    headers = {"X-Auth-Token": who, **_substituted(step.get("headers", {}))}
    if who == "none":
        headers = _substituted(step.get("headers", {}))
    path = _substituted(step["path"])
    path = "/v1/PROJECT" + path[1:] if path.startswith("~") else path
    body = _substituted(step["body"]) if "body" in step else None
    if "raw" in step:
        body = _substituted(step["raw"]).encode()
    got = await api.request(step["method"], path, headers=headers, body=body)
    return _difference(step, got)


def _difference(step: dict[str, Any], got: Any) -> str:
    expect = _substituted(step["expect"])
    if got.status != expect["status"]:
        return f"status {got.status}, not {expect['status']}: {got.body!r}"
    for name in ("content-type", "location", "allow", "www-authenticate", "vary"):
        if expect["headers"].get(name) != got.headers.get(name):
            return f"{name} {got.headers.get(name)!r}, not {expect['headers'].get(name)!r}"
    if ("x-openstack-request-id" in expect["headers"]) != ("x-openstack-request-id" in got.headers):
        return "request id"
    wanted = expect["body"]
    if step["method"] == "HEAD" or step.get("status_only"):
        return ""
    shown: Any = got.body.decode() or None
    if got.headers.get("content-type") == "application/json":
        shown = json.loads(got.body)
    elif shown is not None:
        shown = {"text": shown}
    return "" if shown == wanted else f"body {shown!r}, not {wanted!r}"
