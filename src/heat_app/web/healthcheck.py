"""`/healthcheck`: whether this process answers, and what its backends say; without a token.

The answers are oslo.middleware's, down to the line breaks.
"""

from __future__ import annotations

import gc
import json
import platform
import socket
import sys
import traceback
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from heat_app.web.accept import best_offer
from heat_app.web.answers import JSON_TYPE, Answer, no_content
from heat_app.web.health_backends import Result

__all__ = ["healthcheck", "is_healthcheck"]

PATH = "/healthcheck"
PLAIN = "text/plain; charset=UTF-8"
KIND = "HealthcheckResult"


def is_healthcheck(path: str, at: Iterable[str] = (PATH,)) -> bool:
    """Whether the path belongs to the health check, which is `at` these paths."""
    return any(path == one or path.startswith(f"{one}/") for one in at)


def healthcheck(
    method: str, accept: str, results: Sequence[Result] = (), *, detailed: bool = False
) -> Answer:
    """What the backends have found, in the form that the client takes: 503 if any is not well.

    `detailed` tells much of the process, to anybody who asks.
    """
    status = 200 if all(result.available for result in results) else 503
    if method == "HEAD":
        return no_content() if status == 200 else Answer(status, b"", PLAIN)
    form = best_offer(accept, ("text/plain", "text/html", JSON_TYPE))
    if form == JSON_TYPE:
        found = _detailed(results) if detailed else _plain(results)
        text = json.dumps(found, indent=4, sort_keys=True)
        return Answer(status, text.encode(), form)
    if form == "text/html":
        return Answer(status, _page(results, detailed).encode(), "text/html; charset=UTF-8")
    text = "\n".join(result.reason for result in results)
    return Answer(status, text.encode(), PLAIN)


def _plain(results: Sequence[Result]) -> dict[str, Any]:
    return {"detailed": False, "reasons": [result.reason for result in results]}


def _detailed(results: Sequence[Result]) -> dict[str, Any]:
    return {
        "detailed": True,
        "python_version": sys.version,
        "now": _now(),
        "platform": platform.platform(),
        "gc": {"counts": gc.get_count(), "threshold": gc.get_threshold()},
        "reasons": [
            {"reason": result.reason, "details": result.details, "class": KIND}
            for result in results
        ],
        "greenthreads": [],
        "threads": _threads(),
    }


def _now() -> str:
    return str(datetime.now(UTC).replace(tzinfo=None))


def _threads() -> list[str]:
    return ["".join(traceback.format_stack(frame)) for frame in sys._current_frames().values()]


# --- the page --------------------------------------------------------------------------------

_TABLE = '<TABLE bgcolor="#ffffff" border="1">\n<TBODY>\n'
_END_OF_TABLE = "\n</TBODY>\n</TABLE>"
_RULE = "<HR></HR>"


def _page(results: Sequence[Result], detailed: bool) -> str:
    parts = [
        "<HTML>\n<HEAD><TITLE>Healthcheck Status</TITLE></HEAD>\n<BODY>\n",
        _server() if detailed else "",
        f"\n<H2>Result of {len(results)} checks:</H2>\n{_TABLE}<TR>\n",
        _heads("Kind", "Reason", "Details") + "\n" if detailed else "\n" + _heads("Reason"),
        "</TR>\n",
        *(_detailed_row(one) if detailed else _row(one) for one in results),
        f"{_END_OF_TABLE}\n{_RULE}\n",
        _active_threads() if detailed else "",
        "\n</BODY>\n</HTML>",
    ]
    return "".join(parts)


def _server() -> str:
    facts = (
        ("Server hostname", socket.gethostname()),
        ("Current time", _now()),
        ("Python version", sys.version),
        ("Platform", platform.platform()),
    )
    collector = (("Counts", gc.get_count()), ("Thresholds", gc.get_threshold()))
    lines = [
        "<H1>Server status</H1>",
        *(f"<B>{name}:</B><PRE>{_escaped(value)}</PRE>" for name, value in facts),
        f"{_RULE}\n<H2>Garbage collector:</H2>",
        *(f"<B>{name}:</B><PRE>{_escaped(value)}</PRE>" for name, value in collector),
        _RULE,
    ]
    return "\n".join(lines)


def _heads(*names: str) -> str:
    return "".join(f"<TH>\n{name}\n</TH>\n" for name in names)


def _row(result: Result) -> str:
    return f"<TR>\n\n    <TD>{_escaped(result.reason)}</TD>\n\n</TR>"


def _detailed_row(result: Result) -> str:
    reason, details = _escaped(result.reason), _escaped(result.details)
    return f"<TR>\n<TD>{KIND}</TD>\n    <TD>{reason}</TD>\n<TD>{details}</TD>\n</TR>"


def _active_threads() -> str:
    threads = _threads()
    rows = "".join(f"<TR>\n    <TD><PRE>{_escaped(one)}</PRE></TD>\n</TR>" for one in threads)
    return f"<H2>{len(threads)} thread(s) active:</H2>\n{_TABLE}{rows}{_END_OF_TABLE}"


def _escaped(value: object) -> str:
    text = str(value)
    for character in "&<>'\"":
        text = text.replace(character, _ENTITIES[character])
    return text


_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;", '"': "&#34;"}
