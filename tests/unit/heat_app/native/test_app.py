"""Recorded answers of Heat's own API, its engine stubbed, are given byte for byte."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import hypercorn.config
import hypercorn.trio
import pytest
import trio
import trio.testing

from heat_app.config import ProxySettings, Settings
from heat_app.web.pipeline import Pipeline
from heat_core import errors
from heat_io.log_context import current_fields

REQUEST_ID = "req-00000000-0000-4000-8000-000000000000"

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


async def test_every_answer_has_a_request_id(make_api: Any) -> None:
    api = make_api({"list_stacks": []})
    for path in ("/", "/v1/PID/stacks", "/v1/OTHER/stacks", "/v1/PID/nothing", "/v1/%ff", "/x"):
        got = await api.request("GET", path)
        assert got.headers["x-openstack-request-id"] == REQUEST_ID, path
    got = await api.request("GET", "/v1/PID/stacks", headers={"X-Auth-Token": "bad"})
    assert (got.status, got.headers["x-openstack-request-id"]) == (401, REQUEST_ID)
    assert got.headers["www-authenticate"] == 'Keystone uri="http://keystone.example:5000"'


async def test_the_context_carries_the_ids(make_api: Any) -> None:
    api = make_api({"list_stacks": []})
    given = "req-11111111-2222-3333-4444-555555555555"
    await api.request("GET", "/v1/PID/stacks", headers={"X-Openstack-Request-Id": given})
    [context] = api.engine.contexts
    assert (context.request_id, context.global_request_id) == (REQUEST_ID, given)
    assert not context.is_admin


async def test_a_path_that_is_not_utf8_is_refused_before_anybody_is_asked(make_api: Any) -> None:
    got = await make_api({}, headers={}).request("GET", "/v1/PID/stacks/%ff")
    assert got.status == 400
    assert got.body.startswith(b"400 Bad Request\n\n")


async def test_options_without_a_token(make_api: Any) -> None:
    got = await make_api({}, headers={}).request("OPTIONS", "/v1/PID/stacks")
    assert (got.status, got.body) == (200, b"")
    assert got.headers == {"content-length": "0"}


async def test_proxy_headers_are_believed_only_when_asked_to(make_api: Any) -> None:
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "outside"}
    believing = Settings(oslo_middleware=ProxySettings(enable_proxy_headers_parsing=True))
    hrefs = []
    for settings in (Settings(), believing):
        got = await make_api({}, settings=settings).request("GET", "/", headers=headers)
        hrefs.append(got.json["versions"][0]["links"][0]["href"])
    assert hrefs == ["http://api.example:8004/v1/", "https://outside/v1/"]


async def test_an_unexpected_error_is_logged_and_hidden(
    make_api: Any, caplog: pytest.LogCaptureFixture
) -> None:
    got = await make_api({"list_stacks": RuntimeError("secret")}).request("GET", "/v1/PID/stacks")
    assert (got.status, got.json["error"]) == (500, {"type": "RuntimeError", "traceback": None})
    [record] = [record for record in caplog.records if record.message == "request failed"]
    assert record.exc_info is not None


async def test_who_hangs_up_cancels_the_handler(make_api: Any) -> None:
    outcome: list[str] = []

    class Waiting:
        async def call(self, context: Any, method: str, /, **arguments: Any) -> Any:
            try:
                await trio.sleep_forever()
            except trio.Cancelled:
                outcome.append("cancelled")
                raise

    api = make_api({})
    api.app._dispatcher = replace(api.app._dispatcher, engine=Waiting())
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/v1/PID/stacks",
        "raw_path": b"/v1/PID/stacks",
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"h"), (b"x-auth-token", b"t")],
        "client": None,
        "server": None,
    }
    events = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:
        await trio.testing.wait_all_tasks_blocked()
        return events.pop(0) if events else {"type": "http.disconnect"}

    async def send(event: Any) -> None:
        raise AssertionError("nobody is there to read an answer")

    await api.app(scope, receive, send)
    assert outcome == ["cancelled"]


async def test_served_by_hypercorn(make_api: Any, nursery: trio.Nursery) -> None:
    api = make_api({"list_stacks": []})
    config = hypercorn.config.Config()
    config.bind = ["127.0.0.1:0"]
    config.accesslog = config.errorlog = None
    done = trio.Event()
    [url] = await nursery.start(
        partial(hypercorn.trio.serve, api.app, config, shutdown_trigger=done.wait)
    )
    async with httpx2.AsyncClient(base_url=url, headers={"X-Auth-Token": "t"}) as client:
        listed = await client.get("/v1/PID//stacks?name=%C3%A9")
        assert (listed.status_code, listed.json()) == (200, {"stacks": []})
        head = await client.head("/v1/PID/stacks")
        assert (head.status_code, head.content) == (405, b"")
        gone = await client.delete("/v1/PID/stacks/a%2Fb/c")
        assert gone.status_code == 404
    assert api.engine.calls[0][1]["filters"] == {"name": "é"}
    done.set()


async def test_a_pipeline_may_leave_stages_out(make_api: Any) -> None:
    believing = Settings(oslo_middleware=ProxySettings(enable_proxy_headers_parsing=True))
    short = Pipeline(cors=False, proxy_headers=False, healthcheck_paths=("/alive",))
    api = make_api(settings=believing, pipeline=short)
    headers = {"X-Forwarded-Proto": "https", "Host": "h"}
    got = await api.request("GET", "/", headers=headers)
    assert got.json["versions"][0]["links"][0]["href"] == "http://h/v1/"
    assert (await api.request("OPTIONS", "/nowhere", headers=headers)).status != 200
    assert (await api.request("GET", "/alive", headers=headers)).status == 200
    assert (await api.request("GET", "/healthcheck", headers=headers)).status == 404


async def test_log_records_say_who_asks(make_api: Any) -> None:
    seen: list[Mapping[str, object]] = []

    def note(**_: Any) -> list[Any]:
        seen.append(current_fields())
        return []

    api = make_api({"list_stacks": note})
    assert (await api.request("GET", "/v1/PID/stacks")).status == 200
    assert seen == [{"request_id": REQUEST_ID, "user_id": "UID", "project_id": "PID"}]
    assert current_fields() == {}


async def test_the_health_check_has_no_request_id_and_asks_nobody(make_api: Any) -> None:
    api = make_api()
    got = await api.request("GET", "/healthcheck", headers={"X-Auth-Token": "bad"})
    assert (got.status, got.body) == (200, b"")
    assert "x-openstack-request-id" not in got.headers
    assert api.engine.calls == []
