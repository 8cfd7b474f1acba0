"""URLs of requests, and where links lead."""

import pytest
from werkzeug.datastructures import Headers

from heat_app.web.request import ApiRequest, decode_path, from_scope


def _request(path: str = "/v1/P/stacks", *, method: str = "GET", **headers: str) -> ApiRequest:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {
        "method": method,
        "scheme": "http",
        "query_string": b"q=1",
        "server": ("127.0.0.1", 8004),
    }
    return from_scope(scope, Headers(names), path=path)


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        (b"/v1//P///stacks", "/v1/P/stacks"),
        (b"/a%2Fb%2F%2Fc", "/a/b/c"),
        (b"/a%252Fb", "/a%2Fb"),
        ("/é".encode(), "/é"),
        (b"/%C3%A9", "/é"),
        (b"/a+b", "/a+b"),
    ],
)
def test_paths(raw: bytes, path: str) -> None:
    assert decode_path(raw) == path


def test_a_path_that_is_not_utf8() -> None:
    with pytest.raises(UnicodeDecodeError):
        decode_path(b"/%ff")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("h", "http://h"),
        ("h:80", "http://h"),
        ("h:443", "http://h:443"),
        ("[::1]", "http://[::1]"),
        ("[::1]:8004", "http://[::1]:8004"),
    ],
)
def test_host_url(host: str, url: str) -> None:
    assert _request(Host=host).host_url == url


def test_without_a_host_header_the_server_is_named() -> None:
    assert _request().host_url == "http://127.0.0.1:8004"


def test_links_start_at_the_version() -> None:
    request = _request("/v1.0/P/s t", Host="h").pop_segment()
    assert (request.script, request.path) == ("/v1.0", "/P/s t")
    assert request.application_url == "http://h/v1.0"
    assert request.path_url == "http://h/v1.0/P/s%20t"
    assert request.link("P/stacks/s/i") == "http://h/v1.0/P/stacks/s/i"
    assert request.first_segment() == "P"


def test_popping_the_only_segment() -> None:
    request = _request("/v1", Host="h").pop_segment()
    assert (request.script, request.path) == ("/v1", "")


def test_forwarded_headers() -> None:
    told = _request(Host="h", Forwarded="proto=https;host=f:443;for=1.2.3.4, host=g").behind_proxy()
    assert told.host_url == "https://f"
    older = _request(Host="h", X_Forwarded_Proto="https", X_Forwarded_Prefix="/heat").behind_proxy()
    assert older.application_url == "https://h/heat"
    assert _request(Host="h").behind_proxy().application_url == "http://h"


def test_global_request_id_must_look_like_one() -> None:
    good = "req-11111111-2222-3333-4444-555555555555"
    assert _request(X_Openstack_Request_Id=good).global_request_id == good
    assert _request(X_Openstack_Request_Id="req-x").global_request_id is None


def test_lengths_and_types() -> None:
    request = _request(Content_Length="12", Content_Type="text/plain; charset=x")
    assert (request.content_length, request.content_type) == (12, "text/plain")
    assert _request(Content_Length="-1").content_length == 0
    assert _request().content_length == 0


@pytest.mark.parametrize(
    ("method", "kind", "names"),
    [
        ("POST", None, ["q", "a"]),
        ("POST", "application/x-www-form-urlencoded", ["q", "a"]),
        ("PUT", "application/x-www-form-urlencoded", ["q", "a"]),
        ("POST", "application/json", ["q"]),
        ("POST", "", ["q"]),
        ("PUT", None, ["q"]),
        ("POST", "multipart/form-data", ["q"]),
    ],
)
def test_form_parameters(method: str, kind: str | None, names: list[str]) -> None:
    from dataclasses import replace

    headers = {} if kind is None else {"Content_Type": kind}
    request = replace(_request(method=method, **headers), body=b"a=1")
    assert request.parameters().names() == names
