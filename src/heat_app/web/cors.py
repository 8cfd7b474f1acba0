"""Cross-origin requests, as oslo.middleware's filter at the front of the pipeline handles them.

Even without an allowed origin it has one effect that clients see: an OPTIONS request that nobody
answers with success gets an empty 200 (http-cases, auth/none-options).
"""

from __future__ import annotations

from werkzeug.datastructures import Headers

from heat_app.config import CorsSettings
from heat_app.web.answers import Answer

_SIMPLE_HEADERS = ("Accept", "Accept-Language", "Content-Type", "Cache-Control")
_SIMPLE_ANSWER_HEADERS = (
    "Content-Type",
    "Cache-Control",
    "Content-Language",
    "Expires",
    "Last-Modified",
    "Pragma",
)


def apply_cors(answer: Answer, method: str, headers: Headers, settings: CorsSettings) -> Answer:
    """The answer with the headers that `settings` allow the origin of the request."""
    if any(name == "Access-Control-Allow-Origin" for name, _ in answer.headers):
        return answer
    origin = headers.get("Origin")
    allowed = settings.allowed_origin or ()
    known = origin if origin is not None and (origin in allowed or "*" in allowed) else None
    if method == "OPTIONS":
        if not 200 <= answer.status < 300:
            answer = Answer(200)
        return answer if known is None else _preflight(answer, known, headers, settings)
    if known is None:
        return answer
    answer = _with_origin(answer, known, settings)
    exposed = [name for name in settings.expose_headers if name not in _SIMPLE_ANSWER_HEADERS]
    if exposed:
        answer = answer.with_header("Access-Control-Expose-Headers", ",".join(exposed))
    return answer


def _with_origin(answer: Answer, origin: str, settings: CorsSettings) -> Answer:
    answer = answer.with_header("Vary", "Origin")
    answer = answer.with_header("Access-Control-Allow-Origin", origin)
    if settings.allow_credentials:
        answer = answer.with_header("Access-Control-Allow-Credentials", "true")
    return answer


def _preflight(answer: Answer, origin: str, headers: Headers, settings: CorsSettings) -> Answer:
    wanted_method = headers.get("Access-Control-Request-Method")
    if wanted_method is None or wanted_method not in settings.allow_methods:
        return answer
    listed = headers.get("Access-Control-Request-Headers", "").split(",")
    wanted = [name.strip() for name in listed if name.strip()]
    permitted = {name.upper() for name in (*settings.allow_headers, *_SIMPLE_HEADERS)}
    if any(name.upper() not in permitted for name in wanted):
        return answer
    answer = _with_origin(answer, origin, settings)
    if settings.max_age:
        answer = answer.with_header("Access-Control-Max-Age", str(settings.max_age))
    answer = answer.with_header("Access-Control-Allow-Methods", wanted_method)
    if wanted:
        answer = answer.with_header("Access-Control-Allow-Headers", ",".join(wanted))
    return answer
