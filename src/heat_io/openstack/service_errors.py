"""A service's refusal in the words that Heat's users know.

Heat shows the text and the class name of the exception that OpenStack's client library made of the
answer. Here are keystoneauth's, which Keystone's client uses; a library with another way of its
own (neutron's, glance's, ...) gets its entry beside it when its resource types arrive.
"""

from __future__ import annotations

from collections.abc import Mapping

from heat_core.procedure import HttpAnswer, ServiceError
from heat_io.openstack.catalog import EndpointNotFound
from heat_io.openstack.client import NoAnswer
from heat_io.openstack.tokens import NoToken

_BY_STATUS: Mapping[int, tuple[str, str]] = {
    400: ("BadRequest", "Bad Request"),
    401: ("Unauthorized", "Unauthorized"),
    402: ("PaymentRequired", "Payment Required"),
    403: ("Forbidden", "Forbidden"),
    404: ("NotFound", "Not Found"),
    405: ("MethodNotAllowed", "Method Not Allowed"),
    406: ("NotAcceptable", "Not Acceptable"),
    407: ("ProxyAuthenticationRequired", "Proxy Authentication Required"),
    408: ("RequestTimeout", "Request Timeout"),
    409: ("Conflict", "Conflict"),
    410: ("Gone", "Gone"),
    411: ("LengthRequired", "Length Required"),
    412: ("PreconditionFailed", "Precondition Failed"),
    413: ("RequestEntityTooLarge", "Request Entity Too Large"),
    414: ("RequestUriTooLong", "Request-URI Too Long"),
    415: ("UnsupportedMediaType", "Unsupported Media Type"),
    416: ("RequestedRangeNotSatisfiable", "Requested Range Not Satisfiable"),
    417: ("ExpectationFailed", "Expectation Failed"),
    422: ("UnprocessableEntity", "Unprocessable Entity"),
    429: ("TooManyRequests", "Too Many Requests"),
    500: ("InternalServerError", "Internal Server Error"),
    501: ("HttpNotImplemented", "Not Implemented"),
    502: ("BadGateway", "Bad Gateway"),
    503: ("ServiceUnavailable", "Service Unavailable"),
    504: ("GatewayTimeout", "Gateway Timeout"),
    505: ("HttpVersionNotSupported", "HTTP Version Not Supported"),
}


def from_answer(
    service: str, answer: HttpAnswer, *, maybe_done: bool = False, away: bool = False
) -> ServiceError:
    """The error for an answer of 400 or above: "<message> (HTTP 409) (Request-ID: req-...)"."""
    error_class, default = _BY_STATUS.get(answer.status) or (
        ("HttpServerError", "HTTP Server Error")
        if answer.status >= 500
        else ("HTTPClientError", "HTTP Client Error")
    )
    message = _message(answer) or default
    text = f"{message} (HTTP {answer.status})"
    if request_id := answer.headers.get("x-openstack-request-id"):
        text += f" (Request-ID: {request_id})"
    return ServiceError(
        service,
        answer.status,
        message,
        error_class=error_class,
        text=text,
        body=answer.body,
        headers=answer.headers,
        maybe_done=maybe_done,
        away=away,
    )


def from_no_answer(
    service: str, error: NoAnswer, *, maybe_done: bool = False, away: bool = False
) -> ServiceError:
    """The error for a service that couldn't be reached or didn't answer in time: status 0."""
    if error.timed_out:
        error_class, text = "ConnectTimeout", f"Request to {error.url} timed out"
    else:
        error_class = "ConnectFailure"
        text = f"Unable to establish connection to {error.url}: {error.reason}"
    return ServiceError(
        service, 0, text, error_class=error_class, text=text, maybe_done=maybe_done, away=away
    )


def from_missing_endpoint(service: str, error: EndpointNotFound) -> ServiceError:
    """The error for a service that isn't in the catalog: status 0, nothing was sent."""
    return ServiceError(service, 0, str(error), error_class=error.error_class, text=str(error))


def from_no_token(service: str, error: NoToken) -> ServiceError:
    """The error for credentials that give no token: 401 when Keystone refuses, 0 when it's away.

    Heat asks for a token when it makes Keystone's client and says "Authorization failed." there;
    the other services' clients ask on first use and print Keystone's words.
    """
    if not error.refused:
        text = f"Unable to establish connection to Keystone: {error}"
        return ServiceError(service, 0, text, error_class="ConnectFailure", text=text, away=True)
    if service == "identity":
        text = "Authorization failed."
        return ServiceError(service, 401, text, error_class="AuthorizationFailure", text=text)
    text = f"{error} (HTTP 401)"
    return ServiceError(service, 401, str(error), error_class="Unauthorized", text=text)


def _message(answer: HttpAnswer) -> str | None:
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return None
    body = answer.body
    if isinstance(body, str) or body is None:  # said to be JSON, and isn't
        return None
    if isinstance(body, Mapping):
        if isinstance(body.get("error"), Mapping):
            message = body["error"].get("message")
            return None if message is None else str(message)
        errors = body.get("errors")
        if isinstance(errors, list):
            if not errors:
                return None
            first = "Multiple error responses, showing first only: " if len(errors) > 1 else ""
            return f"{first}{errors[0].get('title')}"
    return "Unrecognized schema in response body."
