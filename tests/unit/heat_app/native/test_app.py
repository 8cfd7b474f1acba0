"""Recorded answers of Heat's own API, its engine stubbed, are given byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from heat_app.config import Settings
from heat_core import errors

IDENTITY = {"tenant": "PID", "stack_name": "s", "stack_id": "SID", "path": ""}


def _identify(stack_name: str) -> dict[str, str]:
    if stack_name == "missing":
        raise errors.EntityNotFound(entity="Stack", name=stack_name)
    return IDENTITY


# What the engine said when the answers were recorded.
RECORDED_ENGINE: dict[str, Any] = {
    "identify_stack": _identify,
    "list_stacks": [],
    "show_stack": errors.EntityNotFound(entity="Stack", name="s"),
    "create_stack": IDENTITY,
    "update_stack": IDENTITY,
    "delete_stack": None,
    "stack_suspend": None,
    "resource_signal": None,
    "list_events": [],
    "validate_template": {"Error": "The template is bad"},
    "list_resource_types": errors.Invalid(reason="x"),
    "get_revision": ValueError("unsafe"),
    "list_software_configs": errors.Error("boom"),
}


async def test_recorded_answers(shared: Path, make_api: Any) -> None:
    samples = json.loads((shared / "facts" / "http-samples.json").read_text())["samples"]
    native = [sample for sample in samples if not sample["label"].startswith("cfn ")]
    assert len(native) == 56
    wrong = []
    for sample in native:
        request = sample["request"]
        limit = 10 if sample["label"] == "body too large" else 1048576
        api = make_api(
            RECORDED_ENGINE, settings=Settings(max_json_body_size=limit), not_yet=frozenset()
        )
        body = request.get("body")
        got = await api.request(
            request["method"],
            request["path"],
            headers={"Content-Type": "application/json", **request.get("headers", {})},
            body=body.encode() if isinstance(body, str) else body,
        )
        problem = _difference(sample, got.status, dict(got.headers), got.body)
        if problem:
            wrong.append(f"{sample['label']}: {problem}")
    assert wrong == []


def _difference(sample: dict[str, Any], status: int, headers: dict[str, str], body: bytes) -> str:
    if status != sample["status"]:
        return f"status {status}, not {sample['status']}: {body!r}"
    if not headers.pop("x-openstack-request-id", ""):
        return "no request id"
    recorded = {name.lower(): value for name, value in sample["headers"].items()}
    if headers != recorded:
        return f"headers {headers}, not {recorded}: {body!r}"
    shown = body.decode()
    if isinstance(sample["body"], str):
        return "" if shown == sample["body"] else f"body {shown!r}, not {sample['body']!r}"
    return "" if json.loads(shown) == sample["body"] else f"body {shown}, not {sample['body']}"
