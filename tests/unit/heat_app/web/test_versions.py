"""Version negotiation."""

import pytest
from werkzeug.datastructures import Headers

from heat_app.web.answers import Answer
from heat_app.web.request import ApiRequest
from heat_app.web.versions import negotiate

VENDOR = "application/vnd.openstack.orchestration-"


def _negotiated(path: str, accept: str = "") -> ApiRequest | Answer:
    headers = Headers({"Accept": accept} if accept else {})
    return negotiate(
        ApiRequest(method="GET", scheme="http", host="h", path=path, query=b"", headers=headers)
    )


@pytest.mark.parametrize("path", ["/v1/P/x", "/v1.0/P/x", "/v1./P/x", "/v01/P/x", "/v1x/P/x"])
def test_version_1_in_the_path(path: str) -> None:
    request = _negotiated(path)
    assert isinstance(request, ApiRequest)
    assert request.path == "/P/x"
    assert request.script + request.path == path


@pytest.mark.parametrize("path", ["/", "/versions", "/v2/P/x", "/v1.1/P/x", "/v10/P", "/v0"])
def test_other_versions_get_the_choice(path: str) -> None:
    answer = _negotiated(path)
    assert isinstance(answer, Answer)
    assert answer.status == 300
    assert answer.body == (
        b'{"versions": [{"id": "v1.0", "status": "CURRENT", "links": '
        b'[{"rel": "self", "href": "http://h/v1/"}]}]}'
    )


@pytest.mark.parametrize("suffix", ["v1", "v1.0", "x", ""])
def test_a_vendor_type_names_the_version(suffix: str) -> None:
    request = _negotiated("/P/x", VENDOR + suffix)
    assert isinstance(request, ApiRequest)
    assert (request.script, request.path) == ("", "/P/x")


@pytest.mark.parametrize(
    ("path", "accept", "status"),
    [
        ("/P/x", "", 404),
        ("/P/x", "*/*", 404),
        ("/V1/P", "application/json", 404),
        ("/P/x", VENDOR + "v2", 300),
        ("/P/x", VENDOR + "v1.1", 300),
    ],
)
def test_no_version(path: str, accept: str, status: int) -> None:
    answer = _negotiated(path, accept)
    assert isinstance(answer, Answer)
    assert answer.status == status
