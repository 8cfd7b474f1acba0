"""Notifications on their way to the broker, over a connection of their own.

A queue is made for each topic and priority, so that nothing gets lost before somebody listens, as
oslo.messaging does it. Nothing else uses the connection: what waits for a broker here keeps no call
and no answer waiting.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Self

import trio

from heat_io.messaging.amqp.link import Link, kept_up
from heat_io.messaging.amqp.publisher import RETRIED
from heat_io.messaging.amqp.session import CONNECTING_ERRORS, Posting, Session
from heat_io.messaging.amqp.settings import AmqpSettings
from heat_io.messaging.amqp.topology import Topology

log = logging.getLogger(__name__)


class NotificationWriter:
    """Writes to queues of the control exchange. Make one with `NotificationWriter.open`."""

    def __init__(self, link: Link, settings: AmqpSettings) -> None:
        self._link = link
        self._topology = Topology(settings)
        self._pause_seconds = settings.retry_seconds

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: AmqpSettings, *, loop: asyncio.AbstractEventLoop
    ) -> AsyncIterator[Self]:
        """The writer, while the block runs. Does not wait for a broker."""
        link = Link(loop, settings)
        async with kept_up(link):
            yield cls(link, settings)

    async def write(self, queue_name: str, body: bytes, *, retries: int | None) -> bool:
        """Put a message into a queue, which is made when it is not there.

        False, and a line in the log, when the broker could not be had or did not take it after
        `retries` more tries; None goes on for ever. It may arrive twice.
        """
        queue = self._topology.topic_queue(queue_name)
        posting = Posting(self._topology.topic_exchange(), queue_name, body, queue=queue)
        reason: BaseException | None = None
        for attempt in count():
            session = await self._session()
            reason = None if session is None else await _written(session, posting)
            if session is not None and reason is None:
                return True
            if (reason is not None and not isinstance(reason, RETRIED)) or attempt == retries:
                break
            await trio.sleep(self._pause_seconds)
        log.error(
            "a notification could not be sent",
            extra={"fields": {"queue": queue_name, "reason": str(reason or "no broker")}},
        )
        return False

    async def _session(self) -> Session | None:
        """The connection, if it is there or comes soon."""
        with trio.move_on_after(self._pause_seconds):
            return await self._link.session()
        return None


async def _written(session: Session, posting: Posting) -> BaseException | None:
    """Why the broker has not taken it; None when it has."""
    try:
        (answer,) = await session.publish([posting])
    except CONNECTING_ERRORS as error:
        return error
    return None if isinstance(answer, bool) else answer
