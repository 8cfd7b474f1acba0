"""How long an operation of a stack may take when nobody said (the option stack_action_timeout).

Ambient (a context variable): deadlines are worked out wherever a stack has been read, and an engine
says it once. A stack's own timeout goes before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from heat_core.stack.records import StackRecord

__all__ = ["DEFAULT_ACTION_TIMEOUT_SECONDS", "action_timeout", "timeout_seconds"]

DEFAULT_ACTION_TIMEOUT_SECONDS: Final = 3600.0

_seconds: ContextVar[float] = ContextVar(
    "stack_action_timeout", default=DEFAULT_ACTION_TIMEOUT_SECONDS
)


def timeout_seconds(stack: StackRecord) -> float:
    """How long an operation of the stack may take."""
    return _seconds.get() if stack.timeout is None else stack.timeout * 60.0


@contextmanager
def action_timeout(seconds: float) -> Iterator[None]:
    """Let operations take so long in this block, and in tasks and threads begun in it."""
    token = _seconds.set(seconds)
    try:
        yield
    finally:
        _seconds.reset(token)
