"""Names and declarations of exchanges and queues, as oslo.messaging makes them.

    heat             topic exchange: calls and casts, routed by <topic> or <topic>.<server>
    <topic>_fanout   fanout exchange, gone with its last queue
    (default)        answers, routed by the name of the reply queue

Whoever declares a thing differently from how it is there gets an error from the broker, so every
flag counts. Source: facts/rpc.json (rabbit, inventory_captured).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from heat_io.messaging.amqp.settings import AmqpSettings
from heat_io.messaging.bus import Target


@dataclass(frozen=True, slots=True)
class ExchangeSpec:
    """An exchange as it is declared."""

    name: str
    kind: Literal["topic", "fanout"]
    durable: bool
    auto_delete: bool


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """A queue as it is declared; bound to `exchange` under `routing_key` unless that is None."""

    name: str
    durable: bool
    auto_delete: bool
    arguments: Mapping[str, Any] = field(default_factory=dict)
    exchange: ExchangeSpec | None = None
    routing_key: str = ""

    def transient(self) -> QueueSpec:
        """The same without durability: for a broker where another service was first."""
        exchange = self.exchange and replace(self.exchange, durable=False)
        return replace(self, durable=False, exchange=exchange)


class Topology:
    """The declarations that follow from the settings."""

    def __init__(self, settings: AmqpSettings) -> None:
        self._settings = settings
        self._lasting = settings.durable or settings.quorum

    def topic_exchange(self) -> ExchangeSpec:
        """Where calls and casts are published."""
        settings = self._settings
        return ExchangeSpec(settings.control_exchange, "topic", self._lasting, settings.auto_delete)

    def fanout_exchange(self, topic: str) -> ExchangeSpec:
        """Where messages to all servers of a topic are published."""
        return ExchangeSpec(f"{topic}_fanout", "fanout", self._settings.transient_quorum, True)

    def topic_queue(self, topic: str) -> QueueSpec:
        """What all servers of a topic take from; also, with `<topic>.<server>`, one server's."""
        return QueueSpec(
            topic,
            self._lasting,
            self._settings.auto_delete,
            self._arguments(quorum=self._settings.quorum),
            self.topic_exchange(),
            topic,
        )

    def server_queue(self, topic: str, server: str) -> QueueSpec:
        """What one server of a topic takes from."""
        return self.topic_queue(f"{topic}.{server}")

    def fanout_queue(self, topic: str, unique: str) -> QueueSpec:
        """One server's own copy of what goes to all; `unique` is 32 hex digits."""
        quorum = self._settings.transient_quorum
        return QueueSpec(
            f"{topic}_fanout_{unique}",
            quorum,
            False,
            self._arguments(quorum=quorum, ttl_seconds=self._settings.transient_ttl_seconds),
            self.fanout_exchange(topic),
            topic,
        )

    def reply_queue(self, unique: str) -> QueueSpec:
        """Where the answers to a process' calls go; `unique` is 32 hex digits."""
        quorum = self._settings.transient_quorum
        return QueueSpec(
            f"reply_{unique}",
            quorum,
            False,
            self._arguments(quorum=quorum, ttl_seconds=self._settings.transient_ttl_seconds),
        )

    def route(self, target: Target) -> tuple[ExchangeSpec, str]:
        """The exchange and routing key of a message for `target`."""
        if target.fanout:
            return self.fanout_exchange(target.topic), ""
        if target.server is None:
            return self.topic_exchange(), target.topic
        return self.topic_exchange(), f"{target.topic}.{target.server}"

    def _arguments(self, *, quorum: bool, ttl_seconds: int = 0) -> dict[str, Any]:
        settings = self._settings
        arguments: dict[str, Any] = {}
        if settings.mirrored:
            arguments["x-ha-policy"] = "all"
        if quorum:
            arguments["x-queue-type"] = "quorum"
            limits = {
                "x-delivery-limit": settings.quorum_delivery_limit,
                "x-max-in-memory-length": settings.quorum_max_memory_length,
                "x-max-in-memory-bytes": settings.quorum_max_memory_bytes,
            }
            arguments |= {name: limit for name, limit in limits.items() if limit}
        if ttl_seconds > 0:
            arguments["x-expires"] = ttl_seconds * 1000
        return arguments
