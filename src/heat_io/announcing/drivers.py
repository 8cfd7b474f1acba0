"""The ways of notifications out of the process: [oslo_messaging_notifications] driver."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final, Protocol

from heat_core.rpc import dumps
from heat_core.rpc.notification import Notification

LOGGER_BASE: Final = "oslo.messaging.notification"
"""what operators' logging configurations know; the event type is behind it"""


class NotificationDriver(Protocol):
    """One way out."""

    async def notify(self, notification: Notification) -> None:
        """Send it; logs and gives up where that can't be done. May take its time."""
        ...


class QueueWriter(Protocol):
    """Puts messages into queues of the control exchange, made when they are not there."""

    async def write(self, queue_name: str, body: bytes, *, retries: int | None) -> bool:
        """Whether the broker took it; None for `retries` goes on trying."""
        ...


class MessagingDriver:
    """Sends to a queue for each topic and priority: `notifications.info`, `notifications.error`."""

    def __init__(
        self,
        writer: QueueWriter,
        *,
        topics: Sequence[str] = ("notifications",),
        enveloped: bool = True,
        retries: int | None = None,
    ) -> None:
        """`enveloped`: format 2.0 (messagingv2), else 1.0 (messaging)."""
        self._writer = writer
        self._topics = tuple(topics)
        self._enveloped = enveloped
        self._retries = retries

    async def notify(self, notification: Notification) -> None:
        """Send it to each topic."""
        body = notification.body(enveloped=self._enveloped).encode()
        for topic in self._topics:
            queue = f"{topic}.{notification.priority.lower()}"
            await self._writer.write(queue, body, retries=self._retries)


class LogDriver:
    """Writes notifications to the log."""

    async def notify(self, notification: Notification) -> None:
        """Log it under its event type, at the level of its priority."""
        level = logging.getLevelNamesMapping().get(notification.priority)
        if level is None:  # "AUDIT" and "SAMPLE" have no place in a log
            return
        logger = logging.getLogger(f"{LOGGER_BASE}.{notification.event_type}")
        logger.log(level, "%s", dumps(notification.message()))
