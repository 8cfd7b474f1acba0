"""How long to wait between two looks at a service.

Short first, for what is done at once; longer from look to look, for what isn't. A service that
says "too many requests" gets fewer of them for a while: its waits are multiplied by a pressure
that doubles with each such answer and halves with each half minute without one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import trio


@dataclass(frozen=True, slots=True)
class Pace:
    """The waits of one kind of service in seconds: first, then times `growth`, up to `longest`."""

    first: float = 0.25
    growth: float = 1.5
    longest: float = 5.0


DEFAULT_PACE = Pace()
PACES: Mapping[str, Pace] = {
    "identity": Pace(first=0.1, longest=2.0),
    # A server or a volume takes seconds at the least.
    "compute": Pace(first=1.0, growth=1.3),
    "block-storage": Pace(first=0.5),
    "orchestration": Pace(first=0.5),
    "database": Pace(first=2.0, longest=10.0),
    "container-infrastructure-management": Pace(first=2.0, longest=15.0),
}
_CALM_SECONDS = 30.0
_MAX_PRESSURE = 16.0


class PollPolicy:
    """Poll intervals of all services, told about their complaints."""

    def __init__(
        self,
        *,
        paces: Mapping[str, Pace] = PACES,
        clock: Callable[[], float] = trio.current_time,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`clock` is monotonic seconds; `jitter` gives numbers in [0, 1)."""
        self._paces = paces
        self._clock = clock
        self._jitter = jitter
        self._pressure: dict[str, tuple[float, float]] = {}
        self._open_at: dict[str, float] = {}

    def delay(self, service: str | None, attempt: int, hint_seconds: float | None = None) -> float:
        """Seconds to wait before look number `attempt` + 1.

        `hint_seconds` replaces the service's first wait. Spread by a tenth up or down, so that a
        thousand nodes that started together don't look together.
        """
        pace = self._paces.get(service or "", DEFAULT_PACE)
        first = pace.first if hint_seconds is None else hint_seconds
        longest = max(pace.longest, first)
        # Past this many steps every pace has reached its longest wait; the power would overflow.
        seconds = min(longest, first * math.pow(pace.growth, min(attempt, 60)))
        seconds *= self.pressure(service) * (0.9 + 0.2 * self._jitter())
        return max(seconds, self._open_at.get(service or "", 0.0) - self._clock())

    def throttled(self, service: str | None, after_seconds: float | None = None) -> None:
        """The service complained; it wants no request for `after_seconds`, if it named a time."""
        name, now = service or "", self._clock()
        self._pressure[name] = (min(_MAX_PRESSURE, self.pressure(service) * 2), now)
        if after_seconds:
            self._open_at[name] = max(self._open_at.get(name, 0.0), now + after_seconds)

    def pressure(self, service: str | None) -> float:
        """The factor on this service's waits now; 1 when all is calm."""
        value, since = self._pressure.get(service or "", (1.0, 0.0))
        calm = (self._clock() - since) / _CALM_SECONDS
        return max(1.0, value / math.pow(2.0, min(calm, 10.0)))
