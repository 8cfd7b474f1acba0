"""Crossings from Trio into asyncio that end in time.

A piece of asyncio's work is one task in the loop, and Trio waits for its end. When the deadline
passes, or the connection that the work needs is gone, Trio goes on and the task is cancelled; it
may take its time with that, as some calls of a client do after a cut. Its end is nobody's
business any more then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import trio

from heat_core.rpc import MessagingError


class BrokerLost(MessagingError):
    """The connection to the broker went away, or the broker did not answer in time."""

    def __init__(self) -> None:
        super().__init__("The connection to the broker is gone.")


class Crossings:
    """The work in asyncio's `loop` that belongs to one connection."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._deadlines: dict[asyncio.Task[Any], float] = {}
        self._waiting: set[trio.Event] = set()
        self.severed = trio.Event()
        """set: nothing that is waited for will come any more"""

    async def run[T](
        self, work: Coroutine[Any, Any, T], seconds: float, *, shielded: bool = True
    ) -> T:
        """The result of `work`, which gets `seconds` for it.

        BrokerLost when it had none by then, the connection went away, or asyncio cancelled it.
        Shielded from Trio's cancellation; otherwise a caller that is cancelled goes, and the work
        is carried on without him, within its seconds.
        """
        if self.severed.is_set():
            work.close()
            raise BrokerLost
        task = self.start(work, seconds)
        with trio.CancelScope(shield=shielded), trio.move_on_after(seconds):
            await self._until_done(task)
        if not task.done():
            task.cancel()
            # Whatever else is under way on this connection would hang too.
            self.sever()
            raise BrokerLost
        result: T = _result(task)
        return result

    def start(self, work: Coroutine[Any, Any, Any], seconds: float) -> asyncio.Task[Any]:
        """Start `work` without waiting for it; `watch` cancels it when `seconds` have passed."""
        task = self._loop.create_task(work)
        self._deadlines[task] = trio.current_time() + seconds
        task.add_done_callback(self._ended)
        return task

    def sever(self) -> None:
        """Let everybody who waits go."""
        self.severed.set()
        for event in self._waiting:
            event.set()

    async def watch(self, interval_seconds: float) -> None:
        """Look after the work that nobody waits for; until the connection is severed."""
        while not self.severed.is_set():
            with trio.move_on_after(interval_seconds):
                await self.severed.wait()
            now = trio.current_time()
            if any(deadline < now for deadline in self._deadlines.values()):
                self.sever()

    async def idle(self, seconds: float) -> None:
        """Wait until nothing is under way, for `seconds` at most; cancel what is left then."""
        with trio.move_on_after(seconds, shield=True):
            while self._deadlines and not self.severed.is_set():
                await self._until_done(next(iter(self._deadlines)))
        for task in list(self._deadlines):
            task.cancel()

    async def _until_done(self, task: asyncio.Task[Any]) -> None:
        """Wait for the end of `task`, or of the connection."""
        settled = trio.Event()
        task.add_done_callback(lambda _: settled.set())
        self._waiting.add(settled)
        try:
            await settled.wait()
        finally:
            self._waiting.discard(settled)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        del self._deadlines[task]
        if not task.cancelled():
            task.exception()  # marks it as seen


def _result[T](task: asyncio.Task[T]) -> T:
    if task.cancelled():
        raise BrokerLost
    error = task.exception()
    if isinstance(error, asyncio.CancelledError | TimeoutError):
        raise BrokerLost from error
    return task.result()
