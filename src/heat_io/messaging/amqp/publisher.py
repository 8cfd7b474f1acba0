"""Publishing that outlives connections: a message is with a broker when `publish` returns."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import trio

from heat_io.messaging.amqp.link import Link
from heat_io.messaging.amqp.session import CONNECTING_ERRORS, Posting

log = logging.getLogger(__name__)

AT_ONCE = 200
"""messages of one batch whose confirmations are awaited together"""

PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0

RETRIED = (*CONNECTING_ERRORS, asyncio.CancelledError)
"""asyncio cancels what waits on a channel that is closed"""


class Publisher:
    """Publishes over a link."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def publish(self, postings: Sequence[Posting]) -> list[bool]:
        """For each posting, in order, whether there was a queue for it.

        Returns once a broker has confirmed every one. What was not confirmed is published again,
        so a message may arrive twice; its unique id is in its body. Waits for a broker as long as
        it takes; a caller that is cancelled does not know what has become of his messages.
        """
        routed: list[bool] = []
        for start in range(0, len(postings), AT_ONCE):
            routed += await self._publish_batch(postings[start : start + AT_ONCE])
        return routed

    async def _publish_batch(self, postings: Sequence[Posting]) -> list[bool]:
        routed: dict[int, bool] = {}
        pause = PAUSE_SECONDS
        while True:
            left = [index for index in range(len(postings)) if index not in routed]
            if not left:
                return [routed[index] for index in range(len(postings))]
            session = await self._link.session()
            try:
                answers = await session.publish([postings[index] for index in left])
            except CONNECTING_ERRORS as error:
                answers = [error] * len(left)
            failure: BaseException | None = None
            for index, answer in zip(left, answers, strict=True):
                if isinstance(answer, bool):
                    routed[index] = answer
                else:
                    failure = answer
            if failure is None:
                continue
            if not isinstance(failure, RETRIED):
                raise failure
            if not session.is_lost:
                log.warning(
                    "the broker did not take a message",
                    extra={"fields": {"error": type(failure).__name__, "reason": str(failure)}},
                )
            await trio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
