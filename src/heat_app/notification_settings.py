"""heat.conf's options for notifications: [oslo_messaging_notifications] and what goes with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from heat_app.config import Settings
from heat_app.messaging_settings import messaging_settings
from heat_io.announcing import LogDriver, MessagingDriver, NotificationDriver
from heat_io.messaging.amqp import AmqpSettings, NotificationWriter, UnsupportedTransport

__all__ = ["NotificationPlan"]

_ENVELOPED = {"messagingv2": True, "messaging": False}
_KNOWN = (*_ENVELOPED, "log", "noop")


@dataclass(frozen=True, slots=True)
class NotificationPlan:
    """Which drivers there are, in the order of the file, and the broker for those that need one."""

    drivers: tuple[str, ...]
    topics: tuple[str, ...]
    retries: int | None
    broker: AmqpSettings | None

    @classmethod
    def from_settings(cls, settings: Settings, *, process: str) -> NotificationPlan:
        """Raises UnsupportedTransport with a sentence for what heat-trio has not."""
        section = settings.oslo_messaging_notifications
        drivers = tuple(dict.fromkeys(section.driver))
        for name in drivers:
            if name not in _KNOWN:
                raise UnsupportedTransport(
                    f"[oslo_messaging_notifications] driver: there is no {name!r}; heat-trio has"
                    f" {', '.join(_KNOWN[:-1])} and {_KNOWN[-1]}."
                )
        broker = None
        if any(name in _ENVELOPED for name in drivers):
            url = section.transport_url or settings.transport_url
            broker = messaging_settings(
                replace(settings, transport_url=url), process=f"{process} notifications"
            )
        retries = None if section.retry < 0 else section.retry
        return cls(drivers, section.topics, retries, broker)

    @asynccontextmanager
    async def open(
        self, *, loop: asyncio.AbstractEventLoop
    ) -> AsyncIterator[tuple[NotificationDriver, ...]]:
        """The drivers, while the block runs."""
        async with AsyncExitStack() as stack:
            writer = None
            if self.broker is not None:
                writer = await stack.enter_async_context(
                    NotificationWriter.open(self.broker, loop=loop)
                )
            yield tuple(
                driver
                for name in self.drivers
                if (driver := self._driver(name, writer)) is not None
            )

    def _driver(self, name: str, writer: NotificationWriter | None) -> NotificationDriver | None:
        if writer is not None and name in _ENVELOPED:
            return MessagingDriver(
                writer, topics=self.topics, enveloped=_ENVELOPED[name], retries=self.retries
            )
        return LogDriver() if name == "log" else None
