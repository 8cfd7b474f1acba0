"""Messaging: the bus protocol and its transports."""

from heat_io.messaging.bus import (
    ENGINE,
    ENGINE_WORKER,
    LISTENER_TOPIC,
    Bus,
    CallTimeout,
    Cast,
    Delivery,
    Handler,
    Target,
)

__all__ = [
    "ENGINE",
    "ENGINE_WORKER",
    "LISTENER_TOPIC",
    "Bus",
    "CallTimeout",
    "Cast",
    "Delivery",
    "Handler",
    "Target",
]
