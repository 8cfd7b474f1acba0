"""Plain texts and JSON."""

from datetime import UTC, datetime

from heat_app.web.answers import dump_json, json_answer, no_content, plain_answer, redirect


def test_json_is_ascii_with_default_separators() -> None:
    when = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert dump_json({"a": [1, "é"], "t": when, "o": {1}}) == (
        b'{"a": [1, "\\u00e9"], "t": "2026-01-02T03:04:05+00:00", "o": "{1}"}'
    )
    assert json_answer(None).body == b"null"


def test_plain_text_forms() -> None:
    text = plain_answer(404, "GET", "")
    assert text.content_type == "text/plain; charset=UTF-8"
    assert text.body == b"404 Not Found\n\nThe resource could not be found.\n\n   "
    page = plain_answer(404, "GET", "*/*")
    assert page.content_type == "text/html; charset=UTF-8"
    assert page.body == (
        b"<html>\n <head>\n  <title>404 Not Found</title>\n </head>\n <body>\n"
        b"  <h1>404 Not Found</h1>\n  The resource could not be found.<br /><br />\n\n\n\n"
        b" </body>\n</html>"
    )


def test_head_has_the_type_of_a_page_and_no_body() -> None:
    answer = plain_answer(404, "HEAD", "application/json")
    assert (answer.content_type, answer.body) == ("text/html; charset=UTF-8", b"")
    moved = redirect("http://h/x", "HEAD", "application/json")
    assert (moved.body, moved.headers) == (b"", (("Location", "http://h/x"),))


def test_redirect_escapes_in_html_only() -> None:
    location = "http://h/s?a=1&b=2"
    assert b'<a href="http://h/s?a=1&amp;b=2">' in redirect(location, "GET", "text/html").body
    assert redirect(location, "GET", "").body == (
        b"302 Found\n\nThe resource was found at http://h/s?a=1&b=2; "
        b"you should be redirected automatically.  "
    )


def test_no_content_has_no_type() -> None:
    assert no_content().content_type is None
