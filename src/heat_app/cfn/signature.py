"""Whether a request is signed, in any of the ways in which clients of AWS sign.

Source: rules/l-signals.md#5. Keystone judges signatures; what is not signed at all is refused here.
"""

from __future__ import annotations

from heat_app.cfn.errors import IncompleteSignature, MissingAuthenticationToken
from heat_app.web.parameters import Parameters
from heat_app.web.request import ApiRequest

__all__ = ["check_is_signed"]


def check_is_signed(request: ApiRequest, parameters: Parameters) -> None:
    """Raise IncompleteSignature for a request without a signature, MissingAuthenticationToken for
    one without the id of the key.

    A user's name in X-Auth-User says that a token comes instead.
    """
    authorization = request.headers.get("Authorization", "")
    signature = (
        parameters.get("Signature")
        or parameters.get("X-Amz-Signature")
        or _field(authorization, "Signature=")
    )
    if not signature:
        if "X-Auth-User" in request.headers:
            return
        raise IncompleteSignature
    credential = parameters.get("X-Amz-Credential") or _field(authorization, "Credential=")
    if not (parameters.get("AWSAccessKeyId") or credential.partition("/")[0]):
        raise MissingAuthenticationToken


def _field(authorization: str, name: str) -> str:
    """What follows `name` in the header that Signature Version 4 puts a request's signature in."""
    return authorization.partition(name)[2].partition(",")[0].strip()
