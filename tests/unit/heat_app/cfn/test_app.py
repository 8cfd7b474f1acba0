"""The CloudFormation API answers as Heat's does, and says which actions are not there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from heat_app.cfn.handlers import Call
from heat_app.config import Settings
from heat_app.web.answers import json_answer
from heat_app.web.pipeline import Pipeline

REQUEST_ID = "req-00000000-0000-4000-8000-000000000000"
SIGNED = {"AWSAccessKeyId": "key", "Signature": "s"}
ARN = "arn%3Aopenstack%3Aheat%3A%3Ap%3Astacks%2Fs%2Fi/resources/r"


def query(**parameters: str) -> str:
    return "/v1/?" + urlencode(SIGNED | parameters)


async def test_recorded_errors(shared: Path, make_api: Any) -> None:
    samples = json.loads((shared / "facts" / "http-samples.json").read_text())["samples"]
    decided = [one for one in samples if "InvalidAction" in str(one["body"])]
    assert {one["label"] for one in decided} >= {"cfn no action", "cfn unknown action JSON"}
    for sample in decided:
        path = sample["request"]["path"]
        path += ("&" if "?" in path else "?") + urlencode(SIGNED)
        got = await make_api().request(sample["request"]["method"], path)
        assert (got.status, got.body.decode()) == (sample["status"], sample["body"])
        assert got.headers["content-type"] == sample["headers"]["Content-Type"]
        assert got.headers["x-openstack-request-id"] == REQUEST_ID


async def test_recorded_cases_of_requests_that_nobody_has_signed(
    shared: Path, make_api: Any
) -> None:
    lines = (shared / "clients" / "http-cases" / "17-cfn.jsonl").read_text().splitlines()
    steps = [step for line in lines for step in json.loads(line)["steps"]]
    unsigned = [step for step in steps if step.get("as") == "none" and "fixtures" not in step]
    assert len(unsigned) >= 6
    for step in unsigned:
        path = step["path"] if step["base"] == "cfnroot" else f"/v1{step['path']}"
        parameters = urlencode(step.get("params", {}))
        headers, body = {}, None
        if step["method"] == "POST":
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = parameters.encode()
        elif parameters:
            path += f"?{parameters}"
        got = await make_api().request(step["method"], path, headers=headers, body=body)
        expect = step["expect"]
        assert got.status == expect["status"], step
        assert got.headers["content-type"] == expect["headers"]["content-type"]
        if "xml" in expect["body"]:
            assert got.body.decode() == _xml(*expect["body"]["xml"])
        else:
            versions = json.dumps(expect["body"]).replace("{{cfn}}", "http://cfn.example:8000/v1")
            assert got.json == json.loads(versions)


def _xml(name: str, inner: Any) -> str:
    text = inner if isinstance(inner, str) else "".join(_xml(*one) for one in inner)
    return f"<{name}>{text}</{name}>"


@pytest.mark.parametrize(
    ("method", "path", "action"),
    [
        ("GET", query(Action="CreateStack"), "CreateStack"),
        ("GET", query(Action="EstimateTemplateCost", ContentType="JSON"), "EstimateTemplateCost"),
        ("POST", query(Action="ListStacks"), "ListStacks"),
        ("PUT", f"/v1/waitcondition/{ARN}?{urlencode(SIGNED)}", "waitcondition"),
        ("POST", f"/v1/signal/{ARN}?{urlencode(SIGNED)}", "signal"),
        ("DELETE", f"/v1/stacks/s?{urlencode(SIGNED)}", "DeleteStack"),
    ],
)
async def test_an_action_that_is_not_there_is_said_to_be_so(
    method: str, path: str, action: str, make_api: Any
) -> None:
    got = await make_api().request(method, path)
    assert (got.status, got.headers["content-type"]) == (500, "application/xml; charset=UTF-8")
    assert got.body.decode() == (
        "<ErrorResponse><Error><Type>Server</Type><Code>APINotImplemented</Code><Message>"
        "The requested action is not yet implemented:"
        f"{action} is not available in this release of heat-trio.</Message></Error></ErrorResponse>"
    )


async def test_parameters_may_stand_in_a_form(make_api: Any) -> None:
    form = urlencode(SIGNED | {"Action": "ListStacks"}).encode()
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    got = await make_api().request("POST", "/v1/", headers=headers, body=form)
    assert b"ListStacks is not available" in got.body


async def test_a_handler_gets_the_call(make_api: Any) -> None:
    calls: list[Call] = []

    async def list_stacks(call: Call) -> Any:
        calls.append(call)
        return json_answer({"ListStacksResponse": {}})

    api = make_api(handlers={"ListStacks": list_stacks})
    got = await api.request("GET", query(Action="ListStacks", Marker="m"))
    assert (got.status, got.json) == (200, {"ListStacksResponse": {}})
    (call,) = calls
    assert (call.action, call.parameters.get("Marker")) == ("ListStacks", "m")


async def test_an_unexpected_error_is_hidden(make_api: Any, caplog: Any) -> None:
    async def broken(call: Call) -> Any:
        raise RuntimeError("secret")

    got = await make_api(handlers={"ListStacks": broken}).request("GET", query(Action="ListStacks"))
    assert got.status == 500
    assert b"<Code>InternalFailure</Code>" in got.body
    assert b"secret" not in got.body
    assert "request failed" in caplog.text


async def test_a_path_that_nobody_knows(make_api: Any) -> None:
    got = await make_api().request("GET", f"/v1/other?{urlencode(SIGNED)}")
    assert (got.status, got.headers["content-type"]) == (404, "text/plain; charset=UTF-8")


async def test_a_body_over_the_limit(make_api: Any) -> None:
    api = make_api(Settings(max_json_body_size=10))
    got = await api.request("POST", query(Action="CreateStack"), body=b"x" * 11)
    assert got.status == 400
    assert b"<Code>RequestLimitExceeded</Code>" in got.body
    assert b"(11 bytes) exceeds maximum allowed size (10 bytes)" in got.body


async def test_parameters_that_are_not_utf8(make_api: Any) -> None:
    got = await make_api().request("GET", "/v1/?Action=%ff")
    assert (got.status, b"<Code>InvalidQueryParameter</Code>" in got.body) == (400, True)


async def test_the_health_check_and_the_stages(make_api: Any) -> None:
    got = await make_api().request("GET", "/healthcheck")
    assert (got.status, "x-openstack-request-id" in got.headers) == (200, False)
    got = await make_api(pipeline=Pipeline(healthcheck_paths=())).request("GET", "/healthcheck")
    assert got.status == 404
    got = await make_api().request("OPTIONS", "/v1/")
    assert (got.status, got.body) == (200, b"")
