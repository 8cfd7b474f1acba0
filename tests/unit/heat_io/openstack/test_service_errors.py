"""Class names and texts are keystoneauth's (exceptions/http.py of the reference's version)."""

from __future__ import annotations

import pytest

from heat_core.procedure import HttpAnswer
from heat_io.openstack import (
    AnswerLost,
    EmptyCatalog,
    EndpointNotFound,
    NoToken,
    NotSent,
    Refused,
    Unavailable,
)
from heat_io.openstack.service_errors import (
    from_answer,
    from_missing_endpoint,
    from_no_answer,
    from_no_token,
)

JSON = {"content-type": "application/json"}


def test_keystones_own_words() -> None:
    answer = HttpAnswer(
        409,
        {"error": {"code": 409, "message": "Duplicate entry", "title": "Conflict"}},
        {**JSON, "x-openstack-request-id": "req-1"},
    )
    error = from_answer("identity", answer)
    assert str(error) == "Duplicate entry (HTTP 409) (Request-ID: req-1)"
    assert (error.error_class, error.message, error.status) == ("Conflict", "Duplicate entry", 409)
    assert (error.conflict, error.not_found, error.maybe_done) == (True, False, False)
    assert (error.service, error.body, error.headers) == ("identity", answer.body, answer.headers)


@pytest.mark.parametrize(
    ("status", "error_class", "text"),
    [
        (400, "BadRequest", "Bad Request (HTTP 400)"),
        (401, "Unauthorized", "Unauthorized (HTTP 401)"),
        (403, "Forbidden", "Forbidden (HTTP 403)"),
        (404, "NotFound", "Not Found (HTTP 404)"),
        (413, "RequestEntityTooLarge", "Request Entity Too Large (HTTP 413)"),
        (418, "HTTPClientError", "HTTP Client Error (HTTP 418)"),
        (429, "TooManyRequests", "Too Many Requests (HTTP 429)"),
        (500, "InternalServerError", "Internal Server Error (HTTP 500)"),
        (503, "ServiceUnavailable", "Service Unavailable (HTTP 503)"),
        (599, "HttpServerError", "HTTP Server Error (HTTP 599)"),
    ],
)
def test_answers_without_words(status: int, error_class: str, text: str) -> None:
    error = from_answer("identity", HttpAnswer(status, "<html>", {"content-type": "text/html"}))
    assert (error.error_class, str(error)) == (error_class, text)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "m"}}, "m"),
        ({"error": {"title": "t"}}, "Bad Request"),
        ({"errors": [{"title": "one"}]}, "one"),
        (
            {"errors": [{"title": "one"}, {"title": "two"}]},
            "Multiple error responses, showing first only: one",
        ),
        ({"errors": []}, "Bad Request"),
        ({"badRequest": {"message": "nova's"}}, "Unrecognized schema in response body."),
        ({"error": "text"}, "Unrecognized schema in response body."),
        ([1], "Unrecognized schema in response body."),
        ("not json after all", "Bad Request"),
        (None, "Bad Request"),
    ],
)
def test_what_counts_as_the_message(body: object, message: str) -> None:
    assert from_answer("identity", HttpAnswer(400, body, JSON)).message == message


def test_no_answer() -> None:
    refused = from_no_answer("identity", NotSent("http://k/v3", "[Errno 111] refused"))
    assert str(refused) == "Unable to establish connection to http://k/v3: [Errno 111] refused"
    assert (refused.error_class, refused.status) == ("ConnectFailure", 0)
    late = from_no_answer("identity", AnswerLost("http://k", "x", timed_out=True), maybe_done=True)
    assert str(late) == "Request to http://k timed out"
    assert (late.error_class, late.maybe_done) == ("ConnectTimeout", True)


def test_no_endpoint() -> None:
    error = from_missing_endpoint("network", EndpointNotFound("public endpoint ... not found"))
    assert (error.error_class, str(error)) == ("EndpointNotFound", "public endpoint ... not found")
    assert from_missing_endpoint("network", EmptyCatalog("x")).error_class == "EmptyCatalog"


def test_no_token() -> None:
    refused = NoToken(Refused(401, "The request you have made requires authentication."))
    error = from_no_token("identity", refused)
    assert (error.error_class, str(error), error.status) == (
        "AuthorizationFailure",
        "Authorization failed.",
        401,
    )
    other = from_no_token("network", refused)
    assert other.error_class == "Unauthorized"
    assert str(other) == "The request you have made requires authentication. (HTTP 401)"
    away = from_no_token("identity", NoToken(Unavailable(0, "refused")))
    assert (away.error_class, away.status, away.away) == ("ConnectFailure", 0, True)
    assert not error.away
