"""Bodies: when they are JSON."""

from dataclasses import replace
from typing import Any

import pytest
from werkzeug.datastructures import Headers

from heat_app.config import Settings
from heat_app.native.body import json_body
from heat_app.native.faults import HTTPBadRequest
from heat_app.web.parameters import Parameters
from heat_app.web.request import ApiRequest
from heat_core.errors import RequestLimitExceeded

SMALL = Settings(max_json_body_size=10)


def _body(
    body: bytes, kind: str | None = "application/json", *, method: str = "POST", query: bytes = b""
) -> Any:
    headers = Headers({"Content-Length": str(len(body))})
    if kind is not None:
        headers["Content-Type"] = kind
    request = ApiRequest(
        method=method, scheme="http", host="h", path="/", query=query, headers=headers
    )
    request = replace(request, body=body, body_size=len(body))
    return json_body(request, Parameters.parse(query), limit=100)


@pytest.mark.parametrize(
    "kind",
    ["application/json", "application/json; charset=x", "text/plain", "text/plain; a=b", "", None],
)
def test_types_that_are_json(kind: str | None) -> None:
    assert _body(b'{"a": 1}', kind) == {"a": 1}


@pytest.mark.parametrize("kind", ["text/html", "application/xml", "Application/Json"])
def test_types_that_are_not(kind: str) -> None:
    assert _body(b'{"a": 1}', kind) is None


@pytest.mark.parametrize("body", [b"", b"[1]", b' {"a": 1}', b"null"])
def test_texts_that_are_no_object(body: bytes) -> None:
    assert _body(body) is None


def test_content_type_in_the_query_of_a_get() -> None:
    assert _body(b"{}", "text/html", method="GET", query=b"ContentType=JSON") == {}
    assert _body(b"{}", "text/html", query=b"ContentType=JSON") is None
    assert _body(b"{}", "application/json", method="GET", query=b"ContentType=XML") is None


def test_bad_json() -> None:
    with pytest.raises(HTTPBadRequest) as caught:
        _body(b"{bad")
    assert str(caught.value) == (
        "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
    )
    with pytest.raises(HTTPBadRequest, match="'utf-8' codec can't decode byte 0xff"):
        _body(b'{"a": "\xff"}')


def test_too_long() -> None:
    with pytest.raises(RequestLimitExceeded) as caught:
        _body(b"{" + b" " * 100)
    assert str(caught.value) == (
        "Request limit exceeded: "
        "JSON body size (101 bytes) exceeds maximum allowed size (100 bytes)."
    )
    assert _body(b"[" + b" " * 100) is None


async def test_a_long_body_is_refused_with_its_size(make_api: Any) -> None:
    api = make_api(settings=SMALL)
    got = await api.request("POST", "/v1/PID/stacks", body=b"{" + b"x" * 40)
    assert got.status == 400
    assert got.json["error"]["type"] == "RequestLimitExceeded"
    assert "(41 bytes) exceeds maximum allowed size (10 bytes)" in got.message


async def test_a_chunked_body_is_no_body(make_api: Any) -> None:
    api = make_api(settings=SMALL)
    chunks = [b'{"a"', b": 1}" * 10]
    got = await api.request("POST", "/v1/PID/stacks", chunks=chunks)
    assert got.status == 400
    assert got.message.startswith("The server could not comply")
