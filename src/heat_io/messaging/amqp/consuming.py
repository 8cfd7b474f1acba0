"""What a session takes from some queues, on a channel of its own.

Acknowledgements are gathered and written in one go, and nobody waits for them: one that does not
reach the broker means that the message comes again, which can happen anyhow.
"""

from __future__ import annotations

import bz2
import zlib
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import trio
from aio_pika.abc import AbstractChannel
from aio_pika.exceptions import CONNECTION_EXCEPTIONS
from aiormq.abc import AbstractChannel as WireChannel

from heat_core.rpc import MalformedMessage, unseal
from heat_io.messaging.amqp.crossing import BrokerLost, Crossings


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message that has come. `tag` is its name for acknowledging, good on this channel only."""

    tag: int
    body: bytes
    compression: str = ""

    def payload(self) -> dict[str, Any]:
        """What is in the envelope; MalformedMessage when that can't be read.

        A peer whose kombu_compression is set says in a header how it has packed the body.
        """
        if not self.compression:
            return unseal(self.body)
        unpack = _UNPACKING.get(self.compression)
        if unpack is None:
            raise MalformedMessage(f"a message packed as {self.compression}")
        try:
            return unseal(unpack(self.body))
        except (zlib.error, OSError, ValueError) as error:
            raise MalformedMessage("a message that can't be unpacked") from error


_UNPACKING: Mapping[str, Callable[[bytes], bytes]] = {
    "application/x-gzip": zlib.decompress,
    "application/x-bz2": bz2.decompress,
}


class Consuming:
    """Messages that keep coming until `ended`.

    `arrivals` has a channel for each queue, in their order. After the end they hold what was not
    taken; the broker gives it to somebody else.
    """

    def __init__(
        self, channel: AbstractChannel, wire: WireChannel, crossings: Crossings, seconds: float
    ) -> None:
        self.arrivals: list[trio.MemoryReceiveChannel[Arrival]] = []
        self.tags: list[str] = []
        """the consumers' names"""
        self.ended = trio.Event()
        self._channel = channel
        self._wire = wire
        self._crossings = crossings
        self._seconds = seconds
        self._owed: deque[tuple[int, bool]] = deque()
        """tags that the broker must hear of; whether the message is done with"""
        self._paying = False
        channel.close_callbacks.add(self._closed)
        wire.on_consumer_cancel_callbacks.add(self._cancelled_by_broker)

    def acknowledge(self, arrival: Arrival) -> None:
        """Tell the broker that the message is done with; after the end it comes again."""
        self._owe(arrival, True)

    def give_back_what_was_not_taken(self) -> None:
        """Have somebody else given what is still in `arrivals`."""
        for arrivals in self.arrivals:
            with suppress(trio.WouldBlock):
                while True:
                    self._owe(arrivals.receive_nowait(), False)

    def _owe(self, arrival: Arrival, done: bool) -> None:
        if self.ended.is_set() or self._crossings.severed.is_set():
            return
        self._owed.append((arrival.tag, done))
        if not self._paying:
            self._paying = True
            self._crossings.start(self._aio_pay(), self._seconds)

    async def take_no_more(self) -> None:
        """Have the broker send nothing more; what is held can still be acknowledged."""
        with suppress(BrokerLost, *CONNECTION_EXCEPTIONS):
            await self._crossings.run(self._aio_take_no_more(), self._seconds)

    async def close(self) -> None:
        """End it: what was acknowledged is, what was not is given to somebody else."""
        with suppress(BrokerLost):
            await self._crossings.run(self._aio_close(), self._seconds)
        self.ended.set()

    async def _aio_pay(self) -> None:
        try:
            while self._owed:
                tag, done = self._owed.popleft()
                if done:
                    await self._wire.basic_ack(tag, wait=not self._owed)
                else:
                    await self._wire.basic_nack(tag, requeue=True)
        except CONNECTION_EXCEPTIONS:
            self.ended.set()
        finally:
            self._paying = False

    async def _aio_take_no_more(self) -> None:
        for tag in self.tags:
            await self._wire.basic_cancel(tag)

    async def _aio_close(self) -> None:
        await self._aio_pay()
        self.ended.set()
        with suppress(*CONNECTION_EXCEPTIONS):
            await self._channel.close()

    def _closed(self, channel: Any, error: BaseException | None) -> None:
        self.ended.set()

    def _cancelled_by_broker(self, frame: Any) -> None:
        """The queue was deleted, or its node went away: all is to be declared again."""
        self.ended.set()
