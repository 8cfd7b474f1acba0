"""Errors as clients of CloudFormation see them.

Source: facts/errors.json (cfn_errors); rules/f-redirects.md#29: XML, also for those who ask for
JSON, since all of these are raised before a handler has answered.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from heat_app.web.answers import Answer

__all__ = [
    "ActionNotAvailable",
    "CfnError",
    "IncompleteSignature",
    "InternalFailure",
    "InvalidAction",
    "InvalidQueryParameter",
    "MissingAuthenticationToken",
    "RequestLimitExceeded",
    "error_answer",
]

XML_TYPE = "application/xml; charset=UTF-8"


class CfnError(Exception):
    """An error with a code that clients know; `detail` follows its explanation after a colon."""

    code = ""
    status = 400
    whose = "Sender"
    explanation = ""

    def __init__(self, detail: str | None = None) -> None:
        self.message = self.explanation if detail is None else f"{self.explanation}:{detail}"
        super().__init__(self.message)


class ActionNotAvailable(CfnError):
    """Heat has this action, heat-trio not yet."""

    code = "APINotImplemented"
    status = 500
    whose = "Server"
    explanation = "The requested action is not yet implemented"

    def __init__(self, action: str) -> None:
        super().__init__(f"{action} is not available in this release of heat-trio.")


class IncompleteSignature(CfnError):
    """Nobody has signed the request."""

    code = "IncompleteSignature"
    explanation = "The request signature does not conform to AWS standards"


class InternalFailure(CfnError):
    """Our own fault."""

    code = "InternalFailure"
    status = 500
    whose = "Server"
    explanation = "The request processing has failed due to an internal error"


class InvalidAction(CfnError):
    """Nobody knows the action, or none is named."""

    code = "InvalidAction"
    explanation = "The action or operation requested is invalid"


class InvalidQueryParameter(CfnError):
    """Parameters that are not UTF-8."""

    code = "InvalidQueryParameter"
    explanation = "AWS query string is malformed, does not adhere to AWS spec"


class MissingAuthenticationToken(CfnError):
    """Signed with a key that is not named."""

    code = "MissingAuthenticationToken"
    status = 403
    explanation = "Does not contain a valid AWS Access Key or certificate"


class RequestLimitExceeded(CfnError):
    """A body of more than max_json_body_size."""

    code = "RequestLimitExceeded"
    explanation = "Payload exceeds maximum allowed size"


def error_answer(error: CfnError) -> Answer:
    """The answer for `error`."""
    fields = {"Type": error.whose, "Code": error.code, "Message": error.message}
    inner = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in fields.items())
    text = f"<ErrorResponse><Error>{inner}</Error></ErrorResponse>"
    return Answer(error.status, text.encode(), XML_TYPE)
