"""A bounded queue between those who must not wait and something that may be slow or away.

What is put in is delivered in order, one after the other, by a task of its own. When the queue is
full what comes is dropped, counted and said so: a broker that is away for hours must cost neither
memory nor stacks.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import trio

log = logging.getLogger(__name__)

CAPACITY = 10_000


class Outbox[T]:
    """Holds what is to be delivered. `name` says in the log what it holds."""

    def __init__(
        self, name: str, deliver: Callable[[T], Awaitable[None]], *, capacity: int = CAPACITY
    ) -> None:
        self._name = name
        self._deliver = deliver
        self._send, self._receive = trio.open_memory_channel[T](capacity)
        self._waiting = 0
        self._dropped = 0
        self._empty = trio.Event()
        self._empty.set()

    @property
    def waiting(self) -> int:
        """How many are not delivered yet."""
        return self._waiting

    def put(self, item: T) -> bool:
        """Have `item` delivered some time; False when there is no room for it."""
        try:
            self._send.send_nowait(item)
        except trio.WouldBlock:
            self._dropped += 1
            if self._dropped & (self._dropped - 1) == 0:  # the first, second, fourth, eighth ...
                log.error(
                    "too much waits to be delivered, the newest is dropped",
                    extra={"fields": {"what": self._name, "dropped": self._dropped}},
                )
            return False
        if not self._waiting:
            self._empty = trio.Event()
        self._waiting += 1
        return True

    async def run(self) -> None:
        """Deliver until cancelled. What can't be delivered is logged and given up."""
        while True:
            item = await self._receive.receive()
            try:
                await self._deliver(item)
            except Exception:
                log.exception("it could not be delivered", extra={"fields": {"what": self._name}})
            finally:
                self._waiting -= 1
                if not self._waiting:
                    self._empty.set()

    async def emptied(self) -> None:
        """Wait until everything that is in it now, and what came meanwhile, is delivered."""
        await self._empty.wait()
