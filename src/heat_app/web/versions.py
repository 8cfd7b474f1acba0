"""Which version of the API a request wants; the answer when that is not version 1.

Decided before anybody is authenticated (rules/f-redirects.md#15).
"""

from __future__ import annotations

import re

from heat_app.web.answers import Answer, json_answer, plain_answer
from heat_app.web.request import ApiRequest

_VERSION = re.compile(r"v(\d+)\.?(\d+)?")
_VENDOR_TYPE = "application/vnd.openstack.orchestration-"


def negotiate(request: ApiRequest) -> ApiRequest | Answer:
    """The request without its version segment, or the answer to give instead."""
    first = request.first_segment()
    if first in {"versions", ""}:
        return _versions(request)
    in_path = _version(first)
    if in_path is not None:
        return request.pop_segment() if in_path == (1, 0) else _versions(request)
    accept = request.accept.strip()
    if not accept.startswith(_VENDOR_TYPE):
        return plain_answer(404, request.method, request.accept)
    in_accept = _version(accept.removeprefix(_VENDOR_TYPE))
    # A vendor type without a version takes whatever there is.
    return request if in_accept in {None, (1, 0)} else _versions(request)


def _version(text: str) -> tuple[int, int] | None:
    match = _VERSION.match(text)
    return (int(match[1]), int(match[2] or 0)) if match else None


def _versions(request: ApiRequest) -> Answer:
    link = {"rel": "self", "href": f"{request.application_url}/v1/"}
    return json_answer({"versions": [{"id": "v1.0", "status": "CURRENT", "links": [link]}]}, 300)
