"""Slots bound how much is in memory at once; whoever only waits holds none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio


class Slot:
    """One visit's place. `parked()` gives it up for the time of a wait."""

    __slots__ = ("_limiter", "is_parked")

    def __init__(self, limiter: trio.CapacityLimiter) -> None:
        self._limiter = limiter
        self.is_parked = False
        """nothing is done but waiting"""

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        await self._limiter.acquire_on_behalf_of(self)
        try:
            yield
        finally:
            self._limiter.release_on_behalf_of(self)

    @asynccontextmanager
    async def parked(self) -> AsyncIterator[None]:
        """Wait without a place; on the way out wait for one, even when cancelled."""
        self._limiter.release_on_behalf_of(self)
        self.is_parked = True
        try:
            yield
        finally:
            self.is_parked = False
            with trio.CancelScope(shield=True):
                await self._limiter.acquire_on_behalf_of(self)


class Slots:
    """Places for `count` visits that are doing something."""

    def __init__(self, count: int) -> None:
        self._limiter = trio.CapacityLimiter(count)

    def slot(self) -> Slot:
        return Slot(self._limiter)

    @property
    def in_use(self) -> int:
        return self._limiter.borrowed_tokens
