"""The asyncio loop for libraries that need one: opened once a process, around everything.

Two things are changed in trio-asyncio's. It lets an error that nobody waits for (a callback's, a
forgotten task's) bring the whole process down; a stray error of a client library is no reason for
that, so here it is logged. And it gives each callback a pass of Trio's scheduler for itself; here
a pass runs what is ready, up to a bound, which halves the CPU time of database and AMQP work
(bench/amqp.py). That replaces a private method of the loop: this module is the only place.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import trio
import trio_asyncio

__all__ = ["CALLBACKS_A_PASS", "AsyncioLoop", "open_asyncio_loop"]

log = logging.getLogger(__name__)


class AsyncioLoop(asyncio.AbstractEventLoop):
    """trio-asyncio's loop as far as it is used: asyncio's, and the way into it."""

    async def run_aio_coroutine(self, coro: Any) -> Any:
        """Run an asyncio coroutine and return its result, from Trio."""
        raise NotImplementedError


CALLBACKS_A_PASS = 100
"""a few milliseconds: nobody else in Trio waits longer for asyncio"""


@asynccontextmanager
async def open_asyncio_loop() -> AsyncIterator[AsyncioLoop]:
    """The loop, running until the block ends; what still runs in it then is cancelled."""
    async with trio_asyncio.open_loop() as loop:
        loop.set_exception_handler(_log_stray)
        loop._main_loop_one = _several(loop._main_loop_one)
        yield loop


def _several(run_one: Callable[[bool], Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """The loop's step, repeated while there is something to do at once.

    `run_one(True)` does not wait: WouldBlock when nothing is ready.
    """

    async def run_ready(no_wait: bool = False) -> None:
        await run_one(no_wait)
        try:
            for _ in range(CALLBACKS_A_PASS - 1):
                await run_one(True)
        except trio.WouldBlock:
            pass

    return run_ready


def _log_stray(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    # The context names callbacks and tasks, whose texts may hold what users sent: not logged.
    error = context.get("exception")
    log.error(
        "stray error in the asyncio loop",
        extra={"fields": {"error": type(error).__name__, "what": context.get("message")}},
        exc_info=error if isinstance(error, BaseException) else None,
    )
