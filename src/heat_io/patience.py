"""Asking again later what a service could not be asked."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import trio

from heat_core.procedure import ServiceError

log = logging.getLogger(__name__)

PATIENCE_SECONDS = 90.0
"""a service that can't be asked gets so long to come back, and fits into a unit"""
LOOK_AGAIN_SECONDS = 2.0


async def patiently[T](
    ask: Callable[[], Awaitable[T]],
    patience_seconds: float = PATIENCE_SECONDS,
    *,
    pause: Callable[[float], Awaitable[None]] = trio.sleep,
) -> T:
    """What `ask` returns, asked again every so often while its service is away.

    Raises what `ask` raises: its ServiceError when the service has not come back in time, or would
    not be asked again before the caller's own deadline.
    """
    give_up_at = trio.current_time() + patience_seconds
    while True:
        try:
            return await ask()
        except ServiceError as error:
            at = trio.current_time() + LOOK_AGAIN_SECONDS
            if not error.away or at > min(give_up_at, trio.current_effective_deadline()):
                raise
            log.info(
                "a service is away, and asked again later",
                extra={"fields": {"service": error.service, "why": error.message}},
            )
            await pause(LOOK_AGAIN_SECONDS)
