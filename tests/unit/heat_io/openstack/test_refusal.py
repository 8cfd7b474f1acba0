"""The bytes are what keystonemiddleware with WebOb answered (measured on the reference)."""

from __future__ import annotations

import pytest

from heat_io.openstack.refusal import keystone_unavailable, preferred, unauthorized

HTML = (
    b"<html>\n <head>\n  <title>503 Service Unavailable</title>\n </head>\n <body>\n"
    b"  <h1>503 Service Unavailable</h1>\n  The server is currently unavailable. Please try again "
    b"at a later time.<br /><br />\nThe Keystone service is temporarily unavailable.\n\n\n </body>"
    b"\n</html>"
)
JSON = (
    b'{"message": "The server is currently unavailable. Please try again at a later time.'
    b'<br /><br />\\nThe Keystone service is temporarily unavailable.\\n\\n", '
    b'"code": "503 Service Unavailable", "title": "Service Unavailable"}'
)
PLAIN = (
    b"503 Service Unavailable\n\nThe server is currently unavailable. Please try again at a later "
    b"time.\n\n The Keystone service is temporarily unavailable.  "
)


def test_unauthorized() -> None:
    refusal = unauthorized("http://ks.example:5000")
    assert refusal.status == 401
    assert refusal.headers == (
        ("Content-Type", "application/json"),
        ("WWW-Authenticate", 'Keystone uri="http://ks.example:5000"'),
    )
    assert refusal.body == (
        b'{"error": {"code": 401, "title": "Unauthorized", '
        b'"message": "The request you have made requires authentication."}}'
    )
    assert len(refusal.body) == 114


@pytest.mark.parametrize(
    ("accept", "content_type", "body"),
    [
        ("", "text/plain; charset=UTF-8", PLAIN),
        ("*/*", "text/html; charset=UTF-8", HTML),
        ("text/html", "text/html; charset=UTF-8", HTML),
        ("application/json", "application/json", JSON),
        ("application/json, text/html", "text/html; charset=UTF-8", HTML),
        ("text/html;q=0.5, application/json", "application/json", JSON),
        ("text/plain", "text/plain; charset=UTF-8", PLAIN),
        ("image/png", "text/plain; charset=UTF-8", PLAIN),
        ("application/xml, application/json;q=0.1", "application/json", JSON),
        ("garbage", "text/html; charset=UTF-8", HTML),
    ],
)
def test_unavailable_takes_the_form_that_is_asked_for(
    accept: str, content_type: str, body: bytes
) -> None:
    refusal = keystone_unavailable(accept)
    assert (refusal.status, refusal.headers) == (503, (("Content-Type", content_type),))
    assert refusal.body == body


def test_unavailable_without_a_body() -> None:
    refusal = keystone_unavailable("application/json", head=True)
    assert refusal.headers == (("Content-Type", "text/html; charset=UTF-8"),)
    assert refusal.body == b""


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("application/*", "application/json"),
        ("text/*;q=0.1, application/*;q=0.2", "application/json"),
        ("*/*;q=0.1, text/html;q=0", "application/json"),
        ("text/html;q=0, application/json;q=0", None),
        ("text/html;level=1", None),
        ("TEXT/HTML", "text/html"),
        (", application/json", "application/json"),
        ("text/html;q=much", "text/html"),
        ("application/json;q=2", "text/html"),
        ("application/json;q=0.0001", "text/html"),
        ("text / html, application/json", "text/html"),
        ("text/html;q=0.5;x=y", "text/html"),
        ("text/html, text/html;q=0", "text/html"),
        ("a/b;c=d;q=0.3,application/json;q=0.001", "application/json"),
        ("*/json", None),
        ("   ", "text/html"),
    ],
)
def test_preferred(accept: str, chosen: str | None) -> None:
    assert preferred(accept, ["text/html", "application/json"]) == chosen
