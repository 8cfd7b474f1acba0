"""Evaluations of the core that may meet hostile work, run from Trio.

Most templates have none: the evaluation runs in place, as it would without a sandbox. When it
meets a job it leaves off (heat_core.isolation.Postponed) and runs again from its beginning in a
thread, where waiting for a worker holds up nobody. Going through `evaluate` takes 2 µs where
nothing is met, a thread for every evaluation would take 150 µs; asking a worker takes 150 µs more.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import trio

from heat_core.isolation import Postponed, inline
from heat_io.sandbox.budget import budget
from heat_io.sandbox.limits import EVALUATION_SECONDS

THREADS = 8
"""at once in evaluations that wait for a worker; others queue for these"""

_limiter: trio.lowlevel.RunVar[trio.CapacityLimiter] = trio.lowlevel.RunVar("sandbox threads")


async def evaluate[T](work: Callable[..., T], *arguments: object) -> T:
    """`work(*arguments)`, in place or else in a thread. Raises what it raises.

    It must change nothing that a second run from the beginning would mind. A cancellation waits for
    its end, which the limits of the sandbox bound.
    """
    whole: Callable[[], T] = partial(work, *arguments)
    try:
        return inline(whole)
    except Postponed:
        return await trio.to_thread.run_sync(_within_budget, whole, limiter=_threads())


async def evaluate_in_thread[T](work: Callable[..., T], *arguments: object) -> T:
    """The same for work that is known to be long: in a thread at once."""
    return await trio.to_thread.run_sync(_within_budget, partial(work, *arguments))


def _within_budget[T](work: Callable[[], T]) -> T:
    with budget(EVALUATION_SECONDS):
        return work()


def _threads() -> trio.CapacityLimiter:
    try:
        return _limiter.get()
    except LookupError:
        limiter = trio.CapacityLimiter(THREADS)
        _limiter.set(limiter)
        return limiter
