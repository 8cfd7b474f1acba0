"""The bus over RabbitMQ."""

from heat_io.messaging.amqp.bus import AmqpBus
from heat_io.messaging.amqp.notifying import NotificationWriter
from heat_io.messaging.amqp.settings import (
    Address,
    AmqpSettings,
    TlsSettings,
    TransportUrl,
    UnsupportedTransport,
    parse_transport_url,
)

__all__ = [
    "Address",
    "AmqpBus",
    "AmqpSettings",
    "NotificationWriter",
    "TlsSettings",
    "TransportUrl",
    "UnsupportedTransport",
    "parse_transport_url",
]
