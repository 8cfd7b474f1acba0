"""Hears of every event that is stored, and passes it on to notifications and event sinks."""

from __future__ import annotations

from typing import Any

import trio

from heat_core.rpc import RequestContext
from heat_core.stack.records import EventRecord, StackRecord
from heat_io.announcing.notifications import StackNotifications
from heat_io.announcing.outbox import Outbox
from heat_io.announcing.sinks import EventSinks

CATCH_UP_SECONDS = 5.0
GOODBYE_SECONDS = 2.0


class Announcer:
    """An EventListener. What it has to say it says while `run` runs."""

    def __init__(self, notifications: StackNotifications, sinks: EventSinks) -> None:
        self._notifications = notifications
        self._sinks = sinks

    def stored(self, event: EventRecord, stack: StackRecord, context: RequestContext) -> None:
        """Take an event that is durable; `stack` is as it was with it."""
        self._notifications.offer(event, stack, context)
        self._sinks.offer(event, stack, context)

    async def caught_up(self, stack: StackRecord) -> None:
        """Wait until the stack's events are told, a few seconds at most."""
        with trio.move_on_after(CATCH_UP_SECONDS):
            await self._sinks.emptied(stack)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Deliver until cancelled; what waits then has a moment to leave."""
        outboxes: tuple[Outbox[Any], ...] = (
            *self._notifications.outboxes,
            *self._sinks.outboxes,
        )
        async with trio.open_nursery() as nursery:
            until_the_end = trio.CancelScope(shield=True)

            async def deliver() -> None:
                with until_the_end:
                    async with trio.open_nursery() as delivering:
                        for outbox in outboxes:
                            delivering.start_soon(outbox.run)

            nursery.start_soon(deliver)
            task_status.started()
            try:
                await trio.sleep_forever()
            finally:
                with trio.move_on_after(GOODBYE_SECONDS, shield=True):
                    for outbox in outboxes:
                        await outbox.emptied()
                until_the_end.cancel()
