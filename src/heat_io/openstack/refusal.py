"""The answers of a request that isn't let in, byte for byte as Heat's clients know them.

A 401 is keystonemiddleware's: JSON whatever the client accepts. A 503 is WebOb's own page, in the
form that the Accept header asks for; without an Accept header it is plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

_OFFERS = ("text/html", "application/json")
_UNAVAILABLE = "The server is currently unavailable. Please try again at a later time."
_RANGE = re.compile(r"[^\s/]+/[^\s/]+")
_QUALITY = re.compile(r"0(\.\d{0,3})?|1(\.0{0,3})?")
_KEYSTONE_UNAVAILABLE = "The Keystone service is temporarily unavailable."


@dataclass(frozen=True, slots=True)
class Refusal:
    """A whole HTTP answer; Content-Length is left to the server."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def unauthorized(www_authenticate_uri: str) -> Refusal:
    """401: no token, or one that isn't good (http-cases/02-auth)."""
    body = {
        "error": {
            "code": 401,
            "title": "Unauthorized",
            "message": "The request you have made requires authentication.",
        }
    }
    return Refusal(
        401,
        (
            ("Content-Type", "application/json"),
            ("WWW-Authenticate", f'Keystone uri="{www_authenticate_uri}"'),
        ),
        json.dumps(body).encode(),
    )


def keystone_unavailable(accept: str, *, head: bool = False) -> Refusal:
    """503: the token could not be checked. A HEAD request gets no body and always HTML's type."""
    html = "text/html; charset=UTF-8"
    if head:
        return Refusal(503, (("Content-Type", html),), b"")
    status = "503 Service Unavailable"
    form = preferred(accept, _OFFERS)
    if form == "application/json":
        text = f"{_UNAVAILABLE}<br /><br />\n{_KEYSTONE_UNAVAILABLE}\n\n"
        body = json.dumps({"message": text, "code": status, "title": "Service Unavailable"})
        return Refusal(503, (("Content-Type", form),), body.encode())
    if form == "text/html":
        page = (
            f"<html>\n <head>\n  <title>{status}</title>\n </head>\n <body>\n  <h1>{status}</h1>\n"
            f"  {_UNAVAILABLE}<br /><br />\n{_KEYSTONE_UNAVAILABLE}\n\n\n </body>\n</html>"
        )
        return Refusal(503, (("Content-Type", html),), page.encode())
    plain = f"{status}\n\n{_UNAVAILABLE}\n\n {_KEYSTONE_UNAVAILABLE}  "
    return Refusal(503, (("Content-Type", "text/plain; charset=UTF-8"),), plain.encode())


def preferred(accept: str, offers: Iterable[str]) -> str | None:
    """The offer that an Accept header likes best, as WebOb decides; None when it likes none.

    No header (or an empty one) likes none; a header that can't be read likes the first. Between
    offers of one quality the order of the offers decides, not that of the header.
    """
    offers = tuple(offers)
    if not accept:
        return None
    ranges = _ranges(accept)
    if not ranges:
        return offers[0] if ranges is None or not accept.strip() else None
    best: tuple[float, str] | None = None
    for offer in offers:
        kind = offer.split("/", 1)[0]
        for wanted in (offer, f"{kind}/*", "*/*"):
            if wanted in ranges:
                quality = ranges[wanted]
                if quality > 0 and (best is None or quality > best[0]):
                    best = (quality, offer)
                break
    return best[1] if best else None


def _ranges(accept: str) -> dict[str, float] | None:
    """Media range -> quality. Ranges with parameters of their own match none of our offers."""
    ranges: dict[str, float] = {}
    for item in accept.split(","):
        if not item.strip():
            continue
        name, *parameters = (part.strip().lower() for part in item.split(";"))
        if not _RANGE.fullmatch(name):
            return None
        quality = 1.0
        plain = True
        for parameter in parameters:
            key, _, value = parameter.partition("=")
            if key == "q":
                if not _QUALITY.fullmatch(value):
                    return None
                quality = float(value)
                break
            plain = False
        if plain:
            ranges.setdefault(name, quality)
    return ranges
