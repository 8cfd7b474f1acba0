"""An engine's right to act: it lasts for a while after each sign of life that was stored.

Another engine takes over what an engine holds that has given no sign for a lease and doesn't answer
(see liveness). So an engine that can't store its signs must stop asking services to change
anything before that time is over; what it does afterwards, somebody else may be doing too. This
is no proof against a request that is under way for longer than the margin.
"""

from __future__ import annotations

from typing import Protocol

import trio

MARGIN = 1 / 3
"""part of the lease that is left to requests under way: they must have ended when it is over"""


class Lease(Protocol):
    """Whether this engine may act."""

    def is_held(self) -> bool:
        """Whether it may act now."""
        ...

    async def wait(self) -> None:
        """Return once it may act. Others may hold its rows by then."""
        ...


class Unlimited:
    """The lease of an engine that nobody takes anything over from while it runs."""

    def is_held(self) -> bool:
        return True

    async def wait(self) -> None:
        await trio.lowlevel.checkpoint()


class SignedLease:
    """A lease of `lease_seconds` from the beginning of the last write of a sign that succeeded."""

    def __init__(self, lease_seconds: float) -> None:
        self._acting_seconds = lease_seconds * (1 - MARGIN)
        self._signed_at: float | None = None
        self._signed = trio.Event()

    def sign(self, began_at: float) -> None:
        """A sign of life whose write began at that time (trio's clock) is stored."""
        self._signed_at = began_at
        self._signed.set()
        self._signed = trio.Event()

    def is_held(self) -> bool:
        if self._signed_at is None:
            return False
        return trio.current_time() - self._signed_at < self._acting_seconds

    async def wait(self) -> None:
        await trio.lowlevel.checkpoint()
        while not self.is_held():
            await self._signed.wait()
