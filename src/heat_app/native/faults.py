"""Errors as clients see them: the fault body and the status of every exception class.

Source: facts/errors.json, rules/f-redirects.md#20-24.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Any

from heat_app.web.answers import JSON_TYPE, MALFORMED, Answer, json_answer

_EXPLANATIONS: Mapping[int, tuple[str, str]] = {
    400: ("Bad Request", MALFORMED),
    403: ("Forbidden", "Access was denied to this resource."),
    404: ("Not Found", "The resource could not be found."),
    405: ("Method Not Allowed", MALFORMED),
    409: ("Conflict", "There was a conflict when trying to complete your request."),
    500: (
        "Internal Server Error",
        "The server has either erred or is incapable of performing the requested operation.",
    ),
    503: (
        "Service Unavailable",
        "The server is currently unavailable. Please try again at a later time.",
    ),
}

_STATUS_OF_CLASS: Mapping[str, int] = {
    "ActionInProgress": 409,
    "AttributeError": 400,
    "CircularDependencyException": 400,
    "DownloadLimitExceeded": 400,
    "EntityNotFound": 404,
    "EventSendFailed": 500,
    "Forbidden": 403,
    "ImmutableParameterModified": 400,
    "IncompatibleObjectVersion": 400,
    "Invalid": 400,
    "InvalidBreakPointHook": 400,
    "InvalidEncryptionKey": 500,
    "InvalidGlobalResource": 500,
    "InvalidSchemaError": 400,
    "InvalidTemplateReference": 400,
    "InvalidTemplateSection": 400,
    "InvalidTemplateVersion": 400,
    "InvalidTenant": 403,
    "MissingCredentialError": 400,
    "NotFound": 404,
    "NotSupported": 400,
    "ObjectActionError": 400,
    "ObjectFieldInvalid": 400,
    "OrphanedObjectError": 400,
    "PhysicalResourceIDAmbiguity": 400,
    "PhysicalResourceNameAmbiguity": 400,
    "PropertyUnspecifiedError": 400,
    "ReadOnlyFieldError": 400,
    "RequestLimitExceeded": 400,
    "ResourceActionNotSupported": 400,
    "ResourceNotAvailable": 404,
    "ResourcePropertyConflict": 400,
    "ResourceTypeUnavailable": 400,
    "RevertFailed": 500,
    "ServerBuildFailed": 500,
    "StackExists": 409,
    "StackValidationFailed": 400,
    "StopActionFailed": 500,
    "UnknownUserParameter": 400,
    "UnsupportedObjectError": 400,
    "UserParameterMissing": 400,
    "ValueError": 400,
}


class HttpError(Exception):
    """An error that the API itself finds; `detail` None gives the text of the status."""

    status = 500

    def __init__(self, detail: str | None = None) -> None:
        self.detail = detail
        super().__init__(detail or _EXPLANATIONS[self.status][1])


class HTTPBadRequest(HttpError):
    """400: the request makes no sense."""

    status = 400


class HTTPForbidden(HttpError):
    """403: another project's."""

    status = 403


class HTTPNotFound(HttpError):
    """404: there is nothing of that name."""

    status = 404


class HTTPMethodNotAllowed(HttpError):
    """405: the path exists, the method does not."""

    status = 405


class HTTPInternalServerError(HttpError):
    """500: an engine's answer makes no sense."""


class HTTPServiceUnavailable(HttpError):
    """503: no engine answers."""

    status = 503


def malformed() -> HTTPBadRequest:
    """The answer to a body where none is taken, or none where one is needed."""
    return HTTPBadRequest(MALFORMED)


def status_of(error: BaseException) -> int:
    """The HTTP status: the class's own, or that of the nearest base that has one, else 500.

    The nearest base is looked for along the first bases only.
    """
    if isinstance(error, HttpError):
        return error.status
    kind: type | None = type(error)
    while kind is not None and kind is not Exception:
        status = _STATUS_OF_CLASS.get(_class_name(kind))
        if status is not None:
            return status
        kind = kind.__base__
    return 500


def fault(error: BaseException, *, debug: bool = False) -> dict[str, Any]:
    """The body for `error`; its text only when the class says that users may read it."""
    status = status_of(error)
    title, explanation = _EXPLANATIONS[status]
    described: dict[str, Any] = {"type": _type_name(error), "traceback": None}
    if debug:
        described["traceback"] = "".join(traceback.format_exception(error))
    if isinstance(error, HttpError) or getattr(error, "safe", False):
        described["message"] = str(error)
    return {"code": status, "title": title, "explanation": explanation, "error": described}


def fault_answer(error: BaseException, *, content_type: str = "", debug: bool = False) -> Answer:
    """The answer for `error`. A client that sent XML gets the code alone, as XML."""
    body = fault(error, debug=debug)
    if content_type == "application/xml":
        text = f"<code>{body['code']}</code>".encode()
        return Answer(body["code"], text, "application/xml; charset=UTF-8")
    answer = json_answer(body, body["code"])
    assert answer.content_type == JSON_TYPE
    return answer


def _type_name(error: BaseException) -> str:
    wire_name = getattr(error, "wire_class", None)
    return wire_name if isinstance(wire_name, str) else _class_name(type(error))


def _class_name(kind: type) -> str:
    return kind.__name__.removesuffix("_Remote")
