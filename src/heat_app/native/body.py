"""The body of a request: when it is JSON.

Source: rules/f-redirects.md#16-18.
"""

from __future__ import annotations

import json
from typing import Any

from heat_app.native.faults import HTTPBadRequest
from heat_app.web.parameters import Parameters
from heat_app.web.request import ApiRequest
from heat_core.errors import RequestLimitExceeded


def json_body(request: ApiRequest, parameters: Parameters, *, limit: int) -> dict[str, Any] | None:
    """The JSON object in the body; None when there is none.

    There is none without a Content-Length, with a type that is not JSON's, or when the text does
    not begin with a brace. Raises HTTPBadRequest with the parser's text for bad JSON,
    RequestLimitExceeded for too much of it.
    """
    if request.content_length <= 0 or not _is_json(request, parameters):
        return None
    if request.body_size > limit:
        raise RequestLimitExceeded(
            message=f"JSON body size ({request.body_size} bytes) exceeds maximum allowed size "
            f"({limit} bytes)."
        )
    try:
        document: dict[str, Any] = json.loads(request.body.decode())
    except ValueError as error:
        raise HTTPBadRequest(str(error)) from None
    return document


def _is_json(request: ApiRequest, parameters: Parameters) -> bool:
    kind = request.content_type
    if request.method == "GET":
        kind = parameters.get("ContentType") or kind
    if not kind or kind.startswith("text/plain"):
        kind = "application/json"
    return kind in {"JSON", "application/json"} and request.body.startswith(b"{")
