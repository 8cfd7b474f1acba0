"""The bus over RabbitMQ, in oslo.messaging's wire format.

Two connections a process: a broker that is short of memory stops those that publish, and must
not stop acknowledgements and arrivals with them.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Self
from uuid import uuid4

import trio

from heat_core.rpc import CallTimeout, Request, RequestContext, seal
from heat_io.messaging.amqp.link import Link, kept_up
from heat_io.messaging.amqp.publisher import Publisher
from heat_io.messaging.amqp.replies import ReplyBox, ReplySender
from heat_io.messaging.amqp.server import Service, TopicServer
from heat_io.messaging.amqp.session import Posting
from heat_io.messaging.amqp.settings import AmqpSettings
from heat_io.messaging.amqp.topology import Topology
from heat_io.messaging.bus import Cast, Handler, Target
from heat_io.messaging.serving import RecentIds

GOODBYE_SECONDS = 2.0


class AmqpBus:
    """A Bus over RabbitMQ. Make one with `AmqpBus.open`."""

    def __init__(
        self,
        settings: AmqpSettings,
        sending: Link,
        listening: Link,
        new_id: Callable[[], str],
    ) -> None:
        self._settings = settings
        self._topology = Topology(settings)
        self._listening = listening
        self._sending = sending
        self._new_id = new_id
        self._publisher = Publisher(sending)
        self._box = ReplyBox(listening, self._topology.reply_queue(new_id()))
        self._replies = ReplySender(
            self._publisher, missing_seconds=settings.missing_reply_queue_seconds
        )

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: AmqpSettings,
        *,
        loop: asyncio.AbstractEventLoop,
        new_id: Callable[[], str] | None = None,
    ) -> AsyncIterator[Self]:
        """The bus, while the block runs; `loop` is that of heat_io.asyncio_loop.

        Does not wait for a broker: what needs one does. `new_id` makes unique ids, 32 hex digits
        each. OSError or UnsupportedTransport for TLS settings that can't be used.
        """
        sending, listening = Link(loop, settings), Link(loop, settings)
        bus = cls(settings, sending, listening, new_id or (lambda: uuid4().hex))
        async with kept_up(sending), kept_up(listening), trio.open_nursery() as nursery:
            nursery.start_soon(bus._box.run)
            try:
                yield bus
            finally:
                nursery.cancel_scope.cancel()

    @property
    def is_up(self) -> bool:
        """Whether both connections are there right now."""
        return self._sending.is_up and self._listening.is_up

    # --- the sender's side -------------------------------------------------------------------

    async def call(
        self,
        target: Target,
        method: str,
        arguments: Mapping[str, Any],
        context: RequestContext,
        *,
        timeout_seconds: float | None = None,
        monitor_seconds: float | None = None,
    ) -> Any:
        """Send a call and wait for its answer; see Bus.call.

        With `monitor_seconds` the server is asked for signs of life, and silence for so long is a
        timeout too.
        """
        limit = self._settings.call_timeout_seconds if timeout_seconds is None else timeout_seconds
        message_id = self._new_id()
        request = Request(
            method=method,
            arguments=arguments,
            context=context,
            unique_id=self._new_id(),
            version=target.version,
            message_id=message_id,
            reply_queue=self._box.queue_name,
            monitor_timeout_seconds=monitor_seconds,
        )
        posting = self._posting(target, request, expiration_seconds=limit)
        waiter = self._box.expect(message_id)
        try:
            with trio.move_on_after(limit):
                await self._box.ready()
                await self._publisher.publish([posting])
                await waiter.wait(math.inf if monitor_seconds is None else monitor_seconds)
        finally:
            self._box.forget(message_id)
        if waiter.reply is None:
            raise CallTimeout(f"Timed out waiting for a reply to message ID {message_id}")
        return waiter.reply.value()

    async def cast(self, cast: Cast) -> None:
        """Send a cast; returns once the broker has it."""
        await self.cast_many([cast])

    async def cast_many(self, casts: Sequence[Cast]) -> None:
        """Send casts in one batch; returns once the broker has all of them."""
        await self._publisher.publish(
            [
                self._posting(
                    cast.target,
                    Request(
                        method=cast.method,
                        arguments=cast.arguments,
                        context=cast.context,
                        unique_id=self._new_id(),
                        version=cast.target.version,
                    ),
                )
                for cast in casts
            ]
        )

    def _posting(
        self, target: Target, request: Request, expiration_seconds: float | None = None
    ) -> Posting:
        exchange, routing_key = self._topology.route(target)
        body = seal(request.to_payload()).encode()
        return Posting(exchange, routing_key, body, expiration_seconds)

    # --- the server's side -------------------------------------------------------------------

    async def serve(
        self,
        topic: str,
        server: str,
        version: str,
        handlers: Mapping[str, Handler],
        *,
        concurrency: int = 64,
        stopping: trio.Event | None = None,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve a topic until cancelled; see Bus.serve.

        Calls are acknowledged when they are taken, so of them up to `concurrency` more may wait
        here than are handled.
        """
        topology, settings = self._topology, self._settings
        fanout = topology.fanout_queue(topic, self._new_id())
        service = Service(
            queues=(topology.topic_queue(topic), topology.server_queue(topic, server), fanout),
            version=version,
            handlers=handlers,
            concurrency=concurrency,
            prefetch=min(concurrency, settings.prefetch or concurrency),
        )
        recent = RecentIds(settings.duplicate_window)
        topic_server = TopicServer(service, self._listening, self._replies, recent, self._new_id)
        try:
            await topic_server.run(
                stopping=trio.Event() if stopping is None else stopping, task_status=task_status
            )
        finally:
            with trio.move_on_after(GOODBYE_SECONDS, shield=True):
                if self._listening.is_up:
                    session = await self._listening.session()
                    await session.delete_queue(fanout.name)
