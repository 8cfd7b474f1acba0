"""A connection to one of the brokers that is always there, or on its way back.

aio-pika's own robust connection knows one host and hides the loss, so that a message from before
it would be acknowledged after it, which is an error that closes the channel. Here each connection
is a session of its own, and whoever has work under way is told of the loss.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, MutableSequence
from contextlib import asynccontextmanager

import trio

from heat_io.messaging.amqp.session import CONNECTING_ERRORS, Session
from heat_io.messaging.amqp.settings import Address, AmqpSettings, tls_context

log = logging.getLogger(__name__)

type Shuffle = Callable[[MutableSequence[Address]], None]


class Link:
    """Keeps one connection open while `run` runs. `purpose` is for the log and the broker's."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        settings: AmqpSettings,
        *,
        shuffle: Shuffle = random.shuffle,
    ) -> None:
        self._loop = loop
        self._settings = settings
        self._context = None if settings.tls is None else tls_context(settings.tls)
        # Every process begins with another one, so that not all of them are with the first.
        self._addresses = list(settings.addresses)
        shuffle(self._addresses)
        self._session: Session | None = None
        self._up = trio.Event()

    async def session(self) -> Session:
        """The present session; waits for one as long as it takes."""
        while True:
            await self._up.wait()
            if self._session is not None and not self._session.is_lost:
                return self._session
            await trio.lowlevel.checkpoint()  # `run` is about to notice

    @property
    def is_up(self) -> bool:
        """Whether there is a connection right now."""
        return self._session is not None and not self._session.is_lost

    async def run(self) -> None:
        """Connect, and connect again after every loss, until cancelled."""
        turn = 0
        failures = 0
        while True:
            address = self._addresses[turn % len(self._addresses)]
            session = await self._connect(address)
            if session is not None:
                began = trio.current_time()
                await self._hand_out(session, address)
                if trio.current_time() - began > self._settings.retry_seconds:
                    failures = 0
                    continue  # to the same one first: most losses are not the broker's end
            turn += 1
            failures += 1
            if failures % len(self._addresses) == 0:
                await trio.sleep(self._pause_seconds(failures // len(self._addresses)))

    def _pause_seconds(self, round_number: int) -> float:
        settings = self._settings
        growing = settings.retry_seconds + (round_number - 1) * settings.retry_step_seconds
        return min(growing, settings.retry_max_seconds)

    async def _connect(self, address: Address) -> Session | None:
        fields = {"host": address.host, "port": address.port}
        try:
            session = await Session.open(self._loop, address, self._settings, self._context)
        except CONNECTING_ERRORS as error:
            log.error(
                "no connection to the broker",
                extra={"fields": fields | {"error": type(error).__name__, "reason": str(error)}},
            )
            return None
        log.info("connected to the broker", extra={"fields": fields})
        return session

    async def _hand_out(self, session: Session, address: Address) -> None:
        self._session = session
        self._up.set()
        try:
            await session.attend()
            log.warning(
                "the connection to the broker is lost",
                extra={"fields": {"host": address.host, "port": address.port}},
            )
        finally:
            self._session = None
            self._up = trio.Event()
            await session.close()


@asynccontextmanager
async def kept_up(link: Link) -> AsyncIterator[None]:
    """Run the link until the block has ended: the last thing a cancelled block does needs it."""
    until_the_end = trio.CancelScope(shield=True)

    async def keep() -> None:
        with until_the_end:
            await link.run()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep)
        try:
            yield
        finally:
            until_the_end.cancel()
