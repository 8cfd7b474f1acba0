"""One connection to a broker, from its opening to its loss, and what is done on it.

A session never comes back: after a loss there is another one, on which everything is declared
anew. What was consumed on the old one and not acknowledged, the broker gives out again.

Methods named `_aio_*` run in asyncio, everything else in Trio; the callbacks of asyncio run in
Trio's thread and may set Trio's events and fill its channels.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from ssl import SSLContext
from typing import Any, Self

import aio_pika
import trio
from aio_pika.abc import AbstractChannel, AbstractConnection
from aio_pika.exceptions import CONNECTION_EXCEPTIONS, ChannelPreconditionFailed
from aiormq.abc import AbstractChannel as WireChannel
from aiormq.abc import DeliveredMessage
from yarl import URL

from heat_io.messaging.amqp.consuming import Arrival, Consuming
from heat_io.messaging.amqp.crossing import BrokerLost, Crossings
from heat_io.messaging.amqp.settings import Address, AmqpSettings
from heat_io.messaging.amqp.topology import ExchangeSpec, QueueSpec

log = logging.getLogger(__name__)

WATCH_SECONDS = 1.0
CLOSE_SECONDS = 5.0

CONNECTING_ERRORS = (BrokerLost, *CONNECTION_EXCEPTIONS)
"""what Session.open raises when the broker can't be had"""


@dataclass(frozen=True, slots=True)
class Posting:
    """A message on its way out. `exchange` None is the default one.

    The broker drops it when it has waited for `expiration_seconds`. One that is `mandatory` and
    that no queue is there for comes back. `queue` is made where it is not there.
    """

    exchange: ExchangeSpec | None
    routing_key: str
    body: bytes
    expiration_seconds: float | None = None
    mandatory: bool = False
    queue: QueueSpec | None = None


class Session:
    """An open connection. Make one with `Session.open`."""

    def __init__(
        self, connection: AbstractConnection, crossings: Crossings, settings: AmqpSettings
    ) -> None:
        self._connection = connection
        self._crossings = crossings
        self._settings = settings
        self._publishing: AbstractChannel | None = None
        self._opening = asyncio.Lock()
        self._declared: set[str] = set()
        self._queues: set[str] = set()
        connection.close_callbacks.add(self._closed)

    @classmethod
    async def open(
        cls,
        loop: asyncio.AbstractEventLoop,
        address: Address,
        settings: AmqpSettings,
        context: SSLContext | None,
    ) -> Self:
        """Connect to the broker at `address`; one of CONNECTING_ERRORS when that fails."""
        crossings = Crossings(loop)
        connect = aio_pika.connect(
            _url(address, settings),
            ssl_context=context,
            client_properties={"connection_name": settings.connection_name},
            timeout=settings.connect_seconds,
        )
        return cls(
            await crossings.run(connect, settings.connect_seconds + WATCH_SECONDS),
            crossings,
            settings,
        )

    @property
    def is_lost(self) -> bool:
        """Whether nothing can be done on it any more."""
        return self._crossings.severed.is_set()

    async def attend(self) -> None:
        """Look after the session until it is lost."""
        await self._crossings.watch(WATCH_SECONDS)

    async def close(self) -> None:
        """End the session; what is under way has a moment to be finished."""
        await self._crossings.idle(CLOSE_SECONDS)
        if self.is_lost:  # the other side may never answer: nobody waits for it
            self._crossings.start(self._aio_close(), CLOSE_SECONDS)
            return
        with suppress(BrokerLost):
            await self._crossings.run(self._aio_close(), CLOSE_SECONDS)
        self._crossings.sever()

    def _closed(self, connection: Any, error: BaseException | None) -> None:
        self._crossings.sever()

    async def _aio_close(self) -> None:
        with suppress(*CONNECTION_EXCEPTIONS):
            await self._connection.close()

    # --- publishing --------------------------------------------------------------------------

    async def publish(self, postings: Sequence[Posting]) -> list[bool | BaseException]:
        """For each posting: whether it found a queue, or why it is not with the broker.

        Returns once the broker has answered for all. BrokerLost when it can't. A caller that is
        cancelled does not take back what is on its way.
        """
        return await self._crossings.run(
            self._aio_publish(postings), self._settings.confirm_seconds, shielded=False
        )

    async def _aio_publish(self, postings: Sequence[Posting]) -> list[bool | BaseException]:
        for posting in postings:
            if posting.queue is not None and posting.queue.name not in self._queues:
                await self._aio_declare_as_it_is(posting.queue)
                self._queues.add(posting.queue.name)
        channel = await self._aio_publishing_channel(postings)
        return await asyncio.gather(
            *(self._aio_publish_one(channel, posting) for posting in postings),
            return_exceptions=True,
        )

    async def _aio_publish_one(self, channel: AbstractChannel, posting: Posting) -> bool:
        exchange = channel.default_exchange
        if posting.exchange is not None:
            exchange = await channel.get_exchange(posting.exchange.name, ensure=False)
        message = aio_pika.Message(
            posting.body,
            headers={},
            content_type="application/json",
            content_encoding="utf-8",
            delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
            priority=0,
            expiration=posting.expiration_seconds,
        )
        answer = await exchange.publish(message, posting.routing_key, mandatory=posting.mandatory)
        return not isinstance(answer, DeliveredMessage)

    async def _aio_publishing_channel(self, postings: Sequence[Posting]) -> AbstractChannel:
        """The channel, with every exchange that `postings` need declared on it."""
        async with self._opening:
            for exchange in _exchanges(postings):
                if self._publishing is None or self._publishing.is_closed:
                    self._publishing = None
                    self._declared.clear()
                # One of a fanout goes away with its last queue, so it may be gone again.
                elif exchange.name in self._declared and not exchange.auto_delete:
                    continue
                await self._aio_declare_exchange(exchange)
                self._declared.add(exchange.name)
            return await self._aio_open_publishing()

    async def _aio_open_publishing(self) -> AbstractChannel:
        if self._publishing is None or self._publishing.is_closed:
            self._declared.clear()
            self._publishing = await self._connection.channel(publisher_confirms=True)
        return self._publishing

    async def _aio_declare_exchange(self, exchange: ExchangeSpec) -> None:
        try:
            await _aio_declare(await self._aio_open_publishing(), exchange)
        except ChannelPreconditionFailed as error:
            if not _is_about_durability(error):
                raise
            log.warning(
                "the exchange is there without durability: used as it is",
                extra={"fields": {"exchange": exchange.name}},
            )
            other = ExchangeSpec(exchange.name, exchange.kind, False, exchange.auto_delete)
            await _aio_declare(await self._aio_open_publishing(), other)

    # --- consuming ---------------------------------------------------------------------------

    async def consume(self, queues: Sequence[QueueSpec], *, prefetch: int) -> Consuming:
        """Declare the queues and take from each; see Consuming.

        At most `prefetch` messages of each queue are out unacknowledged; 0: any number. Raises
        BrokerLost or what the broker has against the declarations (CONNECTION_EXCEPTIONS).
        """
        return await self._crossings.run(
            self._aio_consume(queues, prefetch), self._settings.request_seconds
        )

    async def delete_queue(self, name: str) -> None:
        """Delete a queue with what is in it; errors are of no interest."""
        with suppress(BrokerLost, *CONNECTION_EXCEPTIONS):
            await self._crossings.run(self._aio_delete(name), self._settings.request_seconds)

    async def _aio_delete(self, name: str) -> None:
        async with self._connection.channel(publisher_confirms=False) as channel:
            await channel.queue_delete(name)

    async def _aio_consume(self, queues: Sequence[QueueSpec], prefetch: int) -> Consuming:
        for queue in queues:
            await self._aio_declare_as_it_is(queue)
        channel = await self._connection.channel(publisher_confirms=False)
        if prefetch:
            await channel.set_qos(prefetch_count=prefetch)
        wire = await channel.get_underlay_channel()
        consuming = Consuming(channel, wire, self._crossings, self._settings.request_seconds)
        for queue in queues:
            await self._aio_take(wire, queue, consuming)
        return consuming

    async def _aio_take(self, wire: WireChannel, queue: QueueSpec, consuming: Consuming) -> None:
        send, receive = trio.open_memory_channel[Arrival](float("inf"))
        consuming.arrivals.append(receive)
        arguments: dict[str, Any] = {}
        if self._settings.cancel_on_failover:
            arguments["x-cancel-on-ha-failover"] = True
        answer = await wire.basic_consume(queue.name, partial(_arrived, send), arguments=arguments)
        assert answer.consumer_tag is not None, "a consumer has a tag"
        consuming.tags.append(answer.consumer_tag)

    async def _aio_declare_as_it_is(self, queue: QueueSpec) -> None:
        """Declare and bind; one that another service made without durability serves as well."""
        try:
            await self._aio_declare_queue(queue)
        except ChannelPreconditionFailed as error:
            if not queue.durable or not _is_about_durability(error):
                raise
            log.warning(
                "the queue or its exchange is there without durability: used as it is",
                extra={"fields": {"queue": queue.name}},
            )
            await self._aio_declare_queue(queue.transient())

    async def _aio_declare_queue(self, queue: QueueSpec) -> None:
        """Declare and bind, on a channel of its own: a refusal closes the channel."""
        async with self._connection.channel(publisher_confirms=False) as channel:
            if queue.exchange is not None:
                await _aio_declare(channel, queue.exchange)
            declared = await channel.declare_queue(
                queue.name,
                durable=queue.durable,
                auto_delete=queue.auto_delete,
                arguments=dict(queue.arguments),
            )
            if queue.exchange is not None:
                await declared.bind(queue.exchange.name, queue.routing_key)


async def _arrived(send: trio.MemorySendChannel[Arrival], message: DeliveredMessage) -> None:
    assert message.delivery_tag is not None, "a delivery has a tag"
    headers = message.header.properties.headers or {}
    send.send_nowait(
        Arrival(message.delivery_tag, message.body, str(headers.get("compression") or ""))
    )


async def _aio_declare(channel: AbstractChannel, exchange: ExchangeSpec) -> None:
    await channel.declare_exchange(
        exchange.name, exchange.kind, durable=exchange.durable, auto_delete=exchange.auto_delete
    )


def _exchanges(postings: Iterable[Posting]) -> Iterable[ExchangeSpec]:
    return dict.fromkeys(posting.exchange for posting in postings if posting.exchange is not None)


def _is_about_durability(error: Exception) -> bool:
    return "inequivalent arg 'durable'" in str(error)


def _url(address: Address, settings: AmqpSettings) -> URL:
    # The client counts a connection as lost after three silent intervals and a bit.
    heartbeat = settings.heartbeat_seconds
    if heartbeat > 0:
        heartbeat = max(1, heartbeat // max(1, settings.heartbeat_rate))
    virtual_host = settings.virtual_host
    return URL.build(
        scheme="amqp" if settings.tls is None else "amqps",
        user=address.user,
        password=address.password,
        host=address.host,
        port=address.port,
        path="/" if virtual_host == "/" else f"/{virtual_host}",
        query={
            "heartbeat": str(max(0, heartbeat)),
            "auth": "external" if settings.external_login else "plain",
        },
    )
