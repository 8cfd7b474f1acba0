"""What all jobs of one evaluation may take together.

A template may hold a thousand patterns that each stay just below their own limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_spent: ContextVar[list[float] | None] = ContextVar("spent", default=None)


@contextmanager
def budget(seconds: float) -> Iterator[None]:
    """Let the jobs of this block take so long together; an outer budget stays the one."""
    if _spent.get() is not None:
        yield
        return
    token = _spent.set([seconds])
    try:
        yield
    finally:
        _spent.reset(token)


def remaining_seconds() -> float:
    """What is left of the budget; infinite without one."""
    left = _spent.get()
    return math.inf if left is None else left[0]


def spend(seconds: float) -> None:
    """Take the time of a job off the budget, if there is one."""
    left = _spent.get()
    if left is not None:
        left[0] -= seconds
