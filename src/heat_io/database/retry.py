"""How often, and after which pause, a unit of work is tried again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from heat_io.database.failures import Conflict, ConnectionLost


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds for conflicts and lost connections; pauses are random in [0, limit).

    The limit doubles from `first_pause_seconds` up to the kind's own maximum. A lost connection is
    first retried at once, since a pool hands out connections that the server has long closed.
    Heat tries 20 times, up to 10 s apart (rules/j-encodings.md#18).
    """

    conflict_attempts: int = 20
    lost_attempts: int = 20
    first_pause_seconds: float = 0.02
    conflict_pause_seconds: float = 1.0
    lost_pause_seconds: float = 10.0

    def pause_seconds(self, failure: Exception, attempt: int, random: float) -> float | None:
        """The pause after failed attempt number `attempt` (from 1); None: give up."""
        if isinstance(failure, Conflict):
            attempts, ceiling = self.conflict_attempts, self.conflict_pause_seconds
        elif isinstance(failure, ConnectionLost):
            attempts, ceiling = self.lost_attempts, self.lost_pause_seconds
            if attempt == 1 and attempts > 1:
                return 0.0
        else:
            return None
        if attempt >= attempts:
            return None
        limit: float = min(ceiling, self.first_pause_seconds * 2.0 ** min(attempt, 20))
        return limit * random


@dataclass(frozen=True, slots=True)
class Retrier:
    """A policy with the randomness and the sleep that it uses."""

    policy: RetryPolicy
    random: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]

    async def run[T](self, call: Callable[[], Awaitable[T]]) -> T:
        """`call()` until it succeeds or the policy gives up; the last failure is raised."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await call()
            except (Conflict, ConnectionLost) as failure:
                pause = self.policy.pause_seconds(failure, attempt, self.random())
                if pause is None:
                    raise
            await self.sleep(pause)
