"""Answers to calls: waiting for one's own, and sending those that others wait for.

A process has one reply queue, made at its first call; every call carries its name. The queue
outlives a lost connection, and with it an answer that comes meanwhile.
"""

from __future__ import annotations

import logging
import math
from collections import OrderedDict
from dataclasses import dataclass, field

import trio

from heat_core.rpc import CallTimeout, MalformedMessage, Reply
from heat_io.messaging.amqp.consuming import Consuming
from heat_io.messaging.amqp.link import Link
from heat_io.messaging.amqp.publisher import Publisher
from heat_io.messaging.amqp.session import CONNECTING_ERRORS, Posting
from heat_io.messaging.amqp.topology import QueueSpec

log = logging.getLogger(__name__)

RETRY_SECONDS = 0.25
DECLARE_AGAIN_SECONDS = 1.0
GONE_CALLERS = 200
GONE_SECONDS = 60.0
GOODBYE_SECONDS = 2.0


@dataclass(slots=True)
class Waiter:
    """Somebody who waits for the answer to one call."""

    arrived: trio.Event = field(default_factory=trio.Event)
    reply: Reply | None = None
    heard_at: float = 0.0
    """when the server was last heard of"""

    def take(self, reply: Reply) -> None:
        """An answer, or a sign that the server is still at it."""
        self.heard_at = trio.current_time()
        if reply.ending:
            self.reply = reply
            self.arrived.set()

    async def wait(self, silence_seconds: float = math.inf) -> None:
        """Wait for the answer; CallTimeout after so long without a sign of the server."""
        self.heard_at = trio.current_time()
        while not self.arrived.is_set():
            deadline = self.heard_at + silence_seconds
            if trio.current_time() >= deadline:
                raise CallTimeout("Nothing was heard of the server of a call that is monitored.")
            with trio.move_on_at(deadline):
                await self.arrived.wait()


class ReplyBox:
    """The answers to this process' calls."""

    def __init__(self, link: Link, queue: QueueSpec) -> None:
        self._link = link
        self._queue = queue
        self._wanted = trio.Event()
        self._ready = trio.Event()
        self._waiters: dict[str, Waiter] = {}

    @property
    def queue_name(self) -> str:
        """What calls carry as the place for their answers."""
        return self._queue.name

    async def ready(self) -> None:
        """Wait until the queue is there; the first to wait has it made."""
        self._wanted.set()
        await self._ready.wait()

    def expect(self, message_id: str) -> Waiter:
        """Keep the answer to a call that is about to be sent; until `forget`."""
        waiter = self._waiters[message_id] = Waiter()
        return waiter

    def forget(self, message_id: str) -> None:
        """Drop the answer to this call if it comes."""
        del self._waiters[message_id]

    async def run(self) -> None:
        """Take the answers until cancelled, and delete the queue then."""
        await self._wanted.wait()
        try:
            while True:
                session = await self._link.session()
                try:
                    consuming = await session.consume([self._queue], prefetch=0)
                except CONNECTING_ERRORS as error:
                    log.warning(
                        "the reply queue can't be had",
                        extra={"fields": {"error": type(error).__name__, "reason": str(error)}},
                    )
                    await trio.sleep(DECLARE_AGAIN_SECONDS)
                    continue
                self._ready.set()
                await self._take_all(consuming)
        finally:
            with trio.move_on_after(GOODBYE_SECONDS, shield=True):
                if self._link.is_up:
                    await (await self._link.session()).delete_queue(self._queue.name)

    async def _take_all(self, consuming: Consuming) -> None:
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._take, consuming)
                await consuming.ended.wait()
                nursery.cancel_scope.cancel()
        finally:
            await consuming.close()

    async def _take(self, consuming: Consuming) -> None:
        async for arrival in consuming.arrivals[0]:
            consuming.acknowledge(arrival)
            try:
                reply = Reply.from_payload(arrival.payload())
            except MalformedMessage as error:
                log.warning("a malformed answer", extra={"fields": {"reason": str(error)}})
                continue
            waiter = self._waiters.get(reply.message_id)
            if waiter is not None:  # else the caller has given up, or had it already
                waiter.take(reply)


class ReplySender:
    """Sends answers to the reply queues of others."""

    def __init__(self, publisher: Publisher, *, missing_seconds: float) -> None:
        self._publisher = publisher
        self._missing_seconds = missing_seconds
        self._gone: OrderedDict[str, float] = OrderedDict()

    async def send(self, queue: str, body: str) -> bool:
        """Send once; whether the queue was there, or is known to be gone for good."""
        if self._is_gone(queue):
            return True
        (routed,) = await self._publisher.publish(
            [Posting(None, queue, body.encode(), mandatory=True)]
        )
        return routed

    async def insist(self, queue: str, body: str) -> None:
        """Send until the queue is there again: after a broker's restart it takes its owner a while.

        A caller whose queue stays away is not offered anything for a time.
        """
        until = trio.current_time() + self._missing_seconds
        while trio.current_time() < until:
            await trio.sleep(RETRY_SECONDS)
            if await self.send(queue, body):
                return
        log.warning("an answer's queue is gone", extra={"fields": {"queue": queue}})
        self._gone[queue] = trio.current_time() + GONE_SECONDS
        while len(self._gone) > GONE_CALLERS:
            self._gone.popitem(last=False)

    def _is_gone(self, queue: str) -> bool:
        until = self._gone.get(queue)
        if until is None:
            return False
        if until < trio.current_time():
            del self._gone[queue]
            return False
        return True
