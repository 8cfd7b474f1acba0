"""Work that a user's text can make endless, and who may be asked to do it elsewhere.

A regular expression such as `^(a+)+$`, a yaql expression with loops in loops, and large YAML hold
the interpreter's lock for as long as they run: a thread does not help (DESIGN section 5). The core
names each such piece of work by a Job with plain arguments and hands it to `isolated`. Where a
process has installed an Isolation with `using`, that does the work within limits of its own; else
the work is done here and now.

The Isolation is ambient (a context variable) and no argument: it changes where a value is worked
out and for how long that may take, never the value, and no caller can forget to pass it on.

An event loop must not wait for it. Inside of `inline` a job is not done at all: Postponed leaves
the whole evaluation, which has changed nothing, and whoever called `inline` repeats it where
waiting does no harm (heat_io.sandbox.evaluate; ProcedureIO.evaluate for procedures).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any, Protocol


class Job(StrEnum):
    """What may be done in isolation; arguments and results are plain data."""

    COMPILE = "compile"
    MATCH = "match"
    YAQL_PARSE = "yaql-parse"
    YAQL = "yaql"
    YAML = "yaml"


class Isolation(Protocol):
    """Does a job within limits of time and memory."""

    def __call__(self, job: Job, arguments: tuple[Any, ...]) -> Any:
        """The job's value; raises what the job raises, TooCostly when it passes a limit."""


class TooCostly(ValueError):
    """A user's text asks for more time or memory than is allowed: the user's mistake."""


class Postponed(BaseException):
    """An evaluation has met a job where it must not wait for it.

    No Exception: it has to pass by every handler of what a user's template may raise.
    """


_isolation: ContextVar[Isolation | None] = ContextVar("isolation", default=None)
_inline: ContextVar[bool] = ContextVar("inline", default=False)


def isolated[T](job: Job, work: Callable[..., T], *arguments: Any) -> T:
    """`work(*arguments)`, done by the Isolation that is installed, if any.

    Raises Postponed instead inside of `inline`, TooCostly when the job passes a limit.
    """
    isolation = _isolation.get()
    if isolation is None:
        return work(*arguments)
    if _inline.get():
        raise Postponed
    value: T = isolation(job, arguments)
    return value


@contextmanager
def using(isolation: Isolation | None) -> Iterator[None]:
    """Let `isolation` do the jobs of this block, and of tasks and threads begun in it."""
    token = _isolation.set(isolation)
    try:
        yield
    finally:
        _isolation.reset(token)


def inline[T](work: Callable[[], T]) -> T:
    """`work()`; raises Postponed as soon as it meets a job that the Isolation should do."""
    token = _inline.set(True)
    try:
        return work()
    finally:
        _inline.reset(token)
