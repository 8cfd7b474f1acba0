"""`/healthcheck`: whether this process answers; for load balancers, without a token."""

from __future__ import annotations

import json
from collections.abc import Iterable

from heat_app.web.accept import best_offer
from heat_app.web.answers import Answer, no_content

PATH = "/healthcheck"
_PAGE = b"""<HTML>
<HEAD><TITLE>Healthcheck Status</TITLE></HEAD>
<BODY>

<H2>Result of 0 checks:</H2>
<TABLE bgcolor="#ffffff" border="1">
<TBODY>
<TR>

<TH>
Reason
</TH>
</TR>

</TBODY>
</TABLE>
<HR></HR>

</BODY>
</HTML>"""


def is_healthcheck(path: str, at: Iterable[str] = (PATH,)) -> bool:
    """Whether the path belongs to the health check, which is `at` these paths."""
    return any(path == one or path.startswith(f"{one}/") for one in at)


def healthcheck(method: str, accept: str) -> Answer:
    """Healthy, in the form that the client takes, as oslo.middleware's own page says it."""
    if method == "HEAD":
        return no_content()
    form = best_offer(accept, ("text/plain", "text/html", "application/json"))
    if form == "application/json":
        text = json.dumps({"detailed": False, "reasons": []}, indent=4)
        return Answer(200, text.encode(), form)
    if form == "text/html":
        return Answer(200, _PAGE, "text/html; charset=UTF-8")
    return Answer(200, b"", "text/plain; charset=UTF-8")
