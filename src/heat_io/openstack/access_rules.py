"""The access rules of application credentials: which requests such a token may make.

The middleware enforces them, not Keystone; the rules are keystonemiddleware's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_PIECES = re.compile(r"(?P<tag>{[^}]*})|(?P<deep>\*\*)|(?P<wild>\*)|(?P<literal>[^{}*])")


def allowed(
    token: Mapping[str, Any],
    *,
    method: str,
    path: str,
    service_type: str | None,
    with_service_token: bool,
) -> bool:
    """Whether the token (a v3 token body) may be used for this request.

    Without access rules: always. With rules and without our own service type in the settings or
    in the token's catalog: never. A request with a service token is another service's doing on the
    user's behalf and isn't matched.
    """
    credential = token.get("application_credential")
    rules = credential.get("access_rules") if isinstance(credential, Mapping) else None
    if rules is None:
        return True
    catalog = token.get("catalog") or ()
    if not service_type or all(service.get("type") != service_type for service in catalog):
        return False
    if with_service_token:
        return True
    return any(
        rule["method"] == method
        and rule["service"] == service_type
        and _pattern(rule["path"]).match(path)
        for rule in rules
    )


@lru_cache(maxsize=500)
def _pattern(path: str) -> re.Pattern[str]:
    """`{name}` and `*` stand for one segment's worth of text, `**` for any text."""
    parts = []
    for piece in _PIECES.finditer(path):
        if piece["deep"]:
            parts.append(".*")
        elif piece["literal"]:
            parts.append(re.escape(piece["literal"]))
        else:
            parts.append(r"[^/]+")
    return re.compile("".join(parts) + r"\Z")
