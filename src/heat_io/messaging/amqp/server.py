"""One served topic: its three queues, over all sessions, and what its handlers hold.

A cast is held from its arrival until it is acknowledged. When the connection goes away, its
handler goes on and the broker gives the message out again: to another server, whose business it
is then too, or to this one, which knows its unique id. The second copy of a message that is still
held takes the first one's place, so that the acknowledgement reaches the broker; the copy of one
that is done with is acknowledged at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import trio

from heat_core.rpc import MalformedMessage, Reply, Request, seal
from heat_io.messaging.amqp.consuming import Arrival, Consuming
from heat_io.messaging.amqp.link import Link
from heat_io.messaging.amqp.replies import ReplySender
from heat_io.messaging.amqp.session import CONNECTING_ERRORS
from heat_io.messaging.amqp.topology import QueueSpec
from heat_io.messaging.bus import Handler
from heat_io.messaging.serving import (
    ReceivedRequest,
    RecentIds,
    answer_call,
    find_handler,
    handle_cast,
)

log = logging.getLogger(__name__)

DECLARE_AGAIN_SECONDS = 1.0
SHORTEST_MONITOR_SECONDS = 2.0
"""as Heat's servers: no signs of life are sent for less"""


@dataclass(frozen=True, slots=True)
class Service:
    """What is served: queues in the order topic, server, fanout, the version, its methods."""

    queues: Sequence[QueueSpec]
    version: str
    handlers: Mapping[str, Handler]
    concurrency: int
    prefetch: int

    def handler_of(self, request: Request) -> Handler:
        """The request's handler; NoSuchMethod or UnsupportedVersion."""
        return find_handler(request, self.version, self.handlers)


@dataclass(slots=True)
class _Taken:
    """A request, and where its latest copy came from."""

    request: Request
    consuming: Consuming
    arrival: Arrival

    def acknowledge(self) -> None:
        self.consuming.acknowledge(self.arrival)


class TopicServer:
    """Serves one topic under one name."""

    def __init__(
        self,
        service: Service,
        link: Link,
        replies: ReplySender,
        recent: RecentIds,
        new_id: Callable[[], str],
    ) -> None:
        self._service = service
        self._link = link
        self._replies = replies
        self._recent = recent
        self._new_id = new_id
        self._held: dict[str, _Taken] = {}
        """by unique id"""
        self._consuming: Consuming | None = None
        self._slots = [trio.Semaphore(service.concurrency) for _ in service.queues]

    async def run(
        self,
        *,
        stopping: trio.Event,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve until cancelled, or `stopping` is set and the handlers have ended.

        Started once the queues are there and consumed.
        """
        try:
            async with trio.open_nursery() as handling:
                async with trio.open_nursery() as taking:
                    taking.start_soon(self._take_for_ever, handling, task_status)
                    await stopping.wait()
                    if self._consuming is not None:
                        await self._consuming.take_no_more()
                    taking.cancel_scope.cancel()
                if self._consuming is not None:
                    self._consuming.give_back_what_was_not_taken()
        finally:
            if self._consuming is not None:
                await self._consuming.close()

    async def _take_for_ever(
        self, handling: trio.Nursery, task_status: trio.TaskStatus[None]
    ) -> None:
        while True:
            self._consuming = consuming = await self._consume()
            task_status.started()
            task_status = trio.TASK_STATUS_IGNORED
            async with trio.open_nursery() as nursery:
                for arrivals, slots in zip(consuming.arrivals, self._slots, strict=True):
                    nursery.start_soon(self._take, arrivals, consuming, slots, handling)
                await consuming.ended.wait()
                nursery.cancel_scope.cancel()
            await consuming.close()

    async def _consume(self) -> Consuming:
        """The queues, on the present session or the next one where they can be had."""
        while True:
            session = await self._link.session()
            try:
                return await session.consume(self._service.queues, prefetch=self._service.prefetch)
            except CONNECTING_ERRORS as error:
                fields = {
                    "queue": self._service.queues[0].name,
                    "error": type(error).__name__,
                    "reason": str(error),
                }
                log.error("a topic's queues can't be had", extra={"fields": fields})
            await trio.sleep(DECLARE_AGAIN_SECONDS)

    async def _take(
        self,
        arrivals: trio.MemoryReceiveChannel[Arrival],
        consuming: Consuming,
        slots: trio.Semaphore,
        handling: trio.Nursery,
    ) -> None:
        while True:
            await slots.acquire()
            try:
                arrival = await arrivals.receive()
            except BaseException:
                slots.release()
                raise
            taken = self._accept(arrival, consuming)
            if taken is None:
                slots.release()
                continue
            name = f"message {taken.request.method}"
            if taken.request.is_call:
                handling.start_soon(self._answer, taken.request, slots, handling, name=name)
            else:
                handling.start_soon(self._handle, taken, slots, name=name)

    def _accept(self, arrival: Arrival, consuming: Consuming) -> _Taken | None:
        """What is to be handled; None for a copy, or for what is no request at all."""
        try:
            request = Request.from_payload(arrival.payload())
        except MalformedMessage as error:
            log.warning("a malformed message", extra={"fields": {"reason": str(error)}})
            consuming.acknowledge(arrival)
            return None
        taken = _Taken(request, consuming, arrival)
        unique_id = request.unique_id
        if self._recent.seen(unique_id):
            held = self._held.get(unique_id)
            if held is None:
                taken.acknowledge()
            else:
                held.consuming, held.arrival = consuming, arrival
            return None
        if request.is_call:
            taken.acknowledge()
        elif unique_id:
            self._held[unique_id] = taken
        return taken

    async def _handle(self, taken: _Taken, slots: trio.Semaphore) -> None:
        async def acknowledge() -> None:
            self._held.pop(taken.request.unique_id, None)
            taken.acknowledge()
            slots.release()

        delivery = ReceivedRequest(taken.request, acknowledge)
        await handle_cast(delivery, taken.request, self._service.handler_of)

    async def _answer(
        self, request: Request, slots: trio.Semaphore, handling: trio.Nursery
    ) -> None:
        delivery = ReceivedRequest(request, trio.lowlevel.checkpoint)
        try:
            async with trio.open_nursery() as nursery:
                if request.monitor_timeout_seconds:
                    nursery.start_soon(self._show_life, request)
                body = await answer_call(
                    delivery, request, self._service.handler_of, self._new_id()
                )
                nursery.cancel_scope.cancel()
            if request.reply_queue and not await self._replies.send(request.reply_queue, body):
                # Holds no slot: many callers may be gone at the same time.
                handling.start_soon(self._replies.insist, request.reply_queue, body)
        except ValueError as error:  # a name that no queue can have
            log.warning("an answer can't be sent", extra={"fields": {"reason": str(error)}})
        finally:
            slots.release()

    async def _show_life(self, request: Request) -> None:
        """For a call that is monitored: a sign twice in the time that the caller has patience."""
        patience = request.monitor_timeout_seconds
        if not isinstance(patience, int | float) or patience < SHORTEST_MONITOR_SECONDS:
            return
        assert request.message_id is not None, "only calls are monitored"
        assert request.reply_queue is not None, "a call names its reply queue"
        while True:
            await trio.sleep(patience / 2)
            sign = Reply(message_id=request.message_id, unique_id=self._new_id(), ending=False)
            await self._replies.send(request.reply_queue, seal(sign.to_payload()))
