"""Answers: JSON results, and the plain texts of redirects, accepted updates and unknown paths.

A plain text comes as JSON, HTML or text by the Accept header; its wording, line breaks and all, is
what clients of the original get from WebOb (facts/http-samples.json, rules/f-redirects.md#6, #14).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from heat_app.web.accept import best_offer

JSON_TYPE = "application/json"
MALFORMED = (
    "The server could not comply with the request since it is either malformed or otherwise "
    "incorrect."
)


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer. `content_type` None: no such header, and no Content-Length either."""

    status: int
    body: bytes = b""
    content_type: str | None = None
    headers: tuple[tuple[str, str], ...] = ()

    def with_header(self, name: str, value: str) -> Answer:
        """The same answer with one header more."""
        return replace(self, headers=(*self.headers, (name, value)))


@dataclass(frozen=True, slots=True)
class _Plain:
    title: str
    explanation: str


_PLAIN: Mapping[int, _Plain] = {
    202: _Plain("Accepted", "The request is accepted for processing."),
    302: _Plain("Found", "The resource was found at"),
    400: _Plain("Bad Request", MALFORMED),
    404: _Plain("Not Found", "The resource could not be found."),
}


def dump_json(data: Any) -> bytes:
    """JSON text as clients know it: default separators, ASCII, times in ISO form."""
    return json.dumps(data, default=_as_text).encode("latin-1")


def _as_text(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


def json_answer(data: Any, status: int = 200) -> Answer:
    """`data` as JSON."""
    return Answer(status, dump_json(data), JSON_TYPE)


def no_content() -> Answer:
    """204 without a body."""
    return Answer(204)


def plain_answer(status: int, method: str, accept: str) -> Answer:
    """The text of `status` in the form that the client takes.

    The answer to a HEAD request has the type of an empty page.
    """
    if method == "HEAD":
        return Answer(status, b"", "text/html; charset=UTF-8")
    plain = _PLAIN[status]
    markup = f"{plain.explanation}<br /><br />\n\n\n"
    return _formed(status, accept, markup, html_markup=markup)


def redirect(location: str, method: str, accept: str) -> Answer:
    """302 to `location`, an absolute URL."""
    if method == "HEAD":
        answer = Answer(302, b"", "text/html; charset=UTF-8")
    else:
        answer = _formed(302, accept, _moved(location), html_markup=_moved(html.escape(location)))
    return answer.with_header("Location", location)


def _moved(location: str) -> str:
    explanation = _PLAIN[302].explanation
    return (
        f'{explanation} <a href="{location}">{location}</a>;\n'
        "you should be redirected automatically.\n\n"
    )


def _formed(status: int, accept: str, markup: str, *, html_markup: str) -> Answer:
    title = _PLAIN[status].title
    line = f"{status} {title}"
    form = best_offer(accept, ("text/html", JSON_TYPE))
    if form == JSON_TYPE:
        return json_answer({"message": markup, "code": line, "title": title}, status)
    if form == "text/html":
        page = (
            f"<html>\n <head>\n  <title>{line}</title>\n </head>\n <body>\n  <h1>{line}</h1>\n"
            f"  {html_markup}\n </body>\n</html>"
        )
        return Answer(status, page.encode(), "text/html; charset=UTF-8")
    return Answer(
        status, f"{line}\n\n{_without_tags(markup)}".encode(), "text/plain; charset=UTF-8"
    )


def _without_tags(markup: str) -> str:
    text = markup.replace("\n", " ").replace("\r", "")
    text = re.sub(r"<br.*?>", "\n", text, flags=re.IGNORECASE)
    return re.sub(r"<.*?>", "", text)
