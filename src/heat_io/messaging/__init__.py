"""Messaging: the bus protocol and its transports."""

from heat_core.rpc import CallTimeout
from heat_io.messaging.bus import (
    ENGINE,
    ENGINE_WORKER,
    LISTENER_TOPIC,
    Bus,
    Cast,
    Delivery,
    Handler,
    Target,
)
from heat_io.messaging.in_process import Deliver, InProcessBus, Posted, Router, deliver_at_once

__all__ = [
    "ENGINE",
    "ENGINE_WORKER",
    "LISTENER_TOPIC",
    "Bus",
    "CallTimeout",
    "Cast",
    "Deliver",
    "Delivery",
    "Handler",
    "InProcessBus",
    "Posted",
    "Router",
    "Target",
    "deliver_at_once",
]
