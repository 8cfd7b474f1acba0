"""One request for many who ask the same at the same time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable

import trio


class _Flight[V]:
    __slots__ = ("done", "result")

    def __init__(self) -> None:
        self.done = trio.Event()
        self.result: tuple[V] | None = None


class SingleFlight[K: Hashable, V]:
    """Whoever asks first does the work, the others wait for its result.

    When the first one is cancelled or fails with an exception, one of those waiting does the work
    anew: a cancelled request never takes others down with it. Expected failures are results,
    not exceptions, so that all who wait get them.
    """

    def __init__(self) -> None:
        self._flights: dict[K, _Flight[V]] = {}

    async def do(self, key: K, work: Callable[[], Awaitable[V]]) -> V:
        """The result of `work` for this key: our own run of it, or that of one under way."""
        while (flight := self._flights.get(key)) is not None:
            await flight.done.wait()
            if flight.result is not None:
                return flight.result[0]
        flight = self._flights[key] = _Flight()
        try:
            value = await work()
            flight.result = (value,)
            return value
        finally:
            del self._flights[key]
            flight.done.set()
