"""What a service's answer means for the request that got it: the one table of it.

Nothing here waits or sends. `classify` reads an answer, `classify_no_answer` the lack of one; who
sends requests acts on the verdict, and nobody else looks at status codes to decide on a retry.

The table (a dash: the request is not repeated here):

    status               GET, HEAD, OPTIONS   DELETE         POST, PUT, PATCH
    below 400            Fine                 Fine           Fine
    401                  Reauthenticate       Reauthenticate Reauthenticate
    404, 410             NotFound             NotFound       NotFound
    409                  Conflict             Conflict       Conflict
    429, 413+Retry-After Retry                Retry          Retry
    408, 502, 503, 504   Retry                Retry          Fatal(maybe_done)
    other 5xx            Fatal                Fatal          Fatal(maybe_done)
    other 4xx            Fatal                Fatal          Fatal
    no answer, not sent  Retry                Retry          Retry
    no answer, sent      Retry                Retry          Fatal(maybe_done)

A refused rate limit was refused before any work, so even a POST may be sent again. A gateway's
error says nothing about what the service behind it did: a POST is then left to the resource type,
which looks for what it may have made. PUT counts with POST because OpenStack uses it for actions
too (adding an interface to a router). A repeated DELETE at worst finds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

READS = frozenset({"GET", "HEAD", "OPTIONS"})
REPEATABLE = READS | {"DELETE"}
_GATEWAY = frozenset({408, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Fine:
    """The request succeeded."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Send it again; not before `after_seconds`, when the service named a time."""

    after_seconds: float | None = None
    throttled: bool = False


@dataclass(frozen=True, slots=True)
class Reauthenticate:
    """The token isn't accepted any more: get a new one and send the request once more."""


@dataclass(frozen=True, slots=True)
class NotFound:
    """What the request names does not exist."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """The object is in use, in another state, or exists already."""


@dataclass(frozen=True, slots=True)
class Fatal:
    """Repeating won't help. `maybe_done`: the request may have taken effect all the same."""

    maybe_done: bool = False


type Verdict = Fine | Retry | Reauthenticate | NotFound | Conflict | Fatal


def classify(method: str, status: int, headers: Mapping[str, str] | None = None) -> Verdict:
    """The verdict on an answer with this status; header names may come in any case."""
    if status < 400:
        return Fine()
    if status == 401:
        return Reauthenticate()
    if status in (404, 410):
        return NotFound()
    if status == 409:
        return Conflict()
    after = retry_after_seconds(headers or {})
    if status == 429 or (status == 413 and after is not None):
        return Retry(after, throttled=True)
    if status in _GATEWAY and method in REPEATABLE:
        return Retry(after)
    return Fatal(maybe_done=method not in REPEATABLE and (status >= 500 or status == 408))


def classify_no_answer(method: str, *, sent: bool) -> Verdict:
    """The verdict when no answer came; `sent`: some of the request may have reached the service."""
    if not sent or method in REPEATABLE:
        return Retry()
    return Fatal(maybe_done=True)


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The wait that Retry-After asks for, in seconds; None without a readable one.

    A date is taken relative to the answer's own Date header, so that only the service's clock
    counts.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    value = lower.get("retry-after", "").strip()
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        wanted = parsedate_to_datetime(value)
        answered = parsedate_to_datetime(lower["date"])
        return max(0.0, (wanted - answered).total_seconds())
    except (KeyError, ValueError, TypeError):
        return None
