from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heat_core import errors
from heat_core.rpc import (
    Failure,
    MalformedMessage,
    RemoteError,
    Reply,
    Request,
    RequestContext,
    seal,
    unseal,
)


def _samples(shared: Path, kind: str) -> list[dict[str, Any]]:
    """The captured payloads that are requests, or replies."""
    samples = json.loads((shared / "facts" / "rpc-samples.json").read_text())["samples"]
    payloads = [sample["body"]["oslo.message (decoded)"] for sample in samples]
    mark = {"request": "method", "reply": "ending"}[kind]
    found = [payload for payload in payloads if mark in payload]
    assert found
    return found


def _captured(payload: dict[str, Any]) -> str:
    return json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(payload)})


def test_captured_requests_read_and_write_back_equal(shared: Path) -> None:
    for payload in _samples(shared, "request"):
        request = Request.from_payload(unseal(_captured(payload)))
        assert request.method == payload["method"]
        assert request.is_call is ("_msg_id" in payload)
        assert request.context.user_id == "USER_ID"
        assert unseal(seal(request.to_payload())) == payload


def test_captured_replies_read_and_write_back_equal(shared: Path) -> None:
    for payload in _samples(shared, "reply"):
        reply = Reply.from_payload(unseal(_captured(payload)))
        written = unseal(seal(reply.to_payload()))
        if payload["failure"] is not None:
            assert json.loads(written.pop("failure")) == json.loads(payload.pop("failure"))
        assert written == payload


def test_captured_replies_give_their_value_or_raise(shared: Path) -> None:
    for payload in _samples(shared, "reply"):
        _check_value(payload)


def _check_value(payload: dict[str, Any]) -> None:
    reply = Reply.from_payload(payload)
    if payload["failure"] is None:
        assert reply.value() == payload["result"]
        return
    described = json.loads(payload["failure"])
    expected: type[Exception] = {
        "EntityNotFound": errors.EntityNotFound,
        "ValueError": ValueError,
    }.get(described["class"], RemoteError)
    with pytest.raises(expected) as caught:
        reply.value()
    assert described["message"] in str(caught.value)


def test_a_namespace_travels() -> None:
    request = Request(
        method="m",
        arguments={},
        context=RequestContext(),
        unique_id="1",
        namespace="n",
    )
    back = Request.from_payload(unseal(seal(request.to_payload())))
    assert back == request
    assert back.is_call is False


def test_a_body_without_an_envelope_is_the_payload() -> None:
    assert unseal(b'{"method": "m"}') == {"method": "m"}


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        "[]",
        '{"oslo.version": "3.0", "oslo.message": "{}"}',
        '{"oslo.version": 2, "oslo.message": "{}"}',
        '{"oslo.version": "2.0", "oslo.message": {}}',
        '{"oslo.version": "2.0", "oslo.message": "1"}',
    ],
)
def test_what_is_no_message_is_refused(body: str) -> None:
    with pytest.raises(MalformedMessage):
        unseal(body)


def test_what_is_no_request_or_reply_is_refused() -> None:
    with pytest.raises(MalformedMessage, match="without a method"):
        Request.from_payload({})
    with pytest.raises(MalformedMessage, match="without a message id"):
        Reply.from_payload({})


@pytest.mark.parametrize(
    "payload",
    [
        {"_unique_id": ["a", "list"]},
        {"_msg_id": 5},
        {"_reply_q": {}},
        {"version": 1.0},
        {"args": ["not", "a", "map"]},
        {"_context_roles": 5},
    ],
)
def test_requests_whose_parts_are_of_the_wrong_kind_are_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(MalformedMessage):
        Request.from_payload({"method": "m"} | payload)


@pytest.mark.parametrize("failure", ["no JSON", "5", 5, '{"tb": 5}'])
def test_replies_with_a_malformed_failure_are_refused(failure: Any) -> None:
    with pytest.raises(MalformedMessage, match="malformed failure"):
        Reply.from_payload({"_msg_id": "1", "failure": failure})


def test_defaults_of_short_messages() -> None:
    request = Request.from_payload({"method": "m"})
    assert (request.arguments, request.version, request.unique_id) == ({}, "1.0", "")
    reply = Reply.from_payload({"_msg_id": "1"})
    assert (reply.result, reply.failure, reply.ending) == (None, None, True)


def test_a_failure_is_raised_as_it_is_at_the_caller() -> None:
    failure = Failure.of(errors.StackExists(stack_name="s"))
    with pytest.raises(errors.StackExists):
        Reply(message_id="1", unique_id="2", failure=failure).value()
