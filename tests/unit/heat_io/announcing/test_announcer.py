from __future__ import annotations

from datetime import datetime
from typing import Any

import trio
from trio.testing import MockClock

from heat_core.rpc import RequestContext
from heat_core.rpc.notification import Notification
from heat_core.stack.events import stack_event
from heat_io.announcing import Announcer, EventSinks, NotificationSettings, StackNotifications
from heat_io.announcing.announcer import CATCH_UP_SECONDS, GOODBYE_SECONDS
from heat_io.drivers import NoStoredCredentials

SINK = {"event_sinks": [{"type": "zaqar-queue", "target": "q"}]}


class Slow:
    """Takes its time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.got: list[Notification] = []

    async def notify(self, notification: Notification) -> None:
        await trio.sleep(self._seconds)
        self.got.append(notification)


def announcer(home: Any, services: Any, driver: Slow) -> Announcer:
    settings = NotificationSettings("orchestration.h")
    return Announcer(
        StackNotifications(
            home.database, [driver], settings, new_uuid=lambda: "u", now=lambda: datetime.min
        ),
        EventSinks(home.database, services, NoStoredCredentials(), new_uuid=lambda: "c"),
    )


async def test_an_event_reaches_both(
    home: Any, services: Any, context: RequestContext, now: datetime, autojump_clock: MockClock
) -> None:
    driver = Slow(0.5)
    made, stack = announcer(home, services, driver), await home.stack(environment=SINK)
    async with trio.open_nursery() as nursery:
        await nursery.start(made.run)
        made.stored(stack_event(stack, uuid="e", now=now), stack, context)
        await made.caught_up(stack)
        assert len(services.sent) == 1
        nursery.cancel_scope.cancel()
    # What was under way when the process ended has left all the same.
    assert len(driver.got) == 1


async def test_nobody_waits_for_what_is_too_slow(
    home: Any, services: Any, context: RequestContext, now: datetime, autojump_clock: MockClock
) -> None:
    services.seconds = 1000
    driver = Slow(1000)
    made, stack = announcer(home, services, driver), await home.stack(environment=SINK)
    async with trio.open_nursery() as nursery:
        await nursery.start(made.run)
        began = trio.current_time()
        made.stored(stack_event(stack, uuid="e", now=now), stack, context)
        assert trio.current_time() == began
        await made.caught_up(stack)
        assert trio.current_time() == began + CATCH_UP_SECONDS
        nursery.cancel_scope.cancel()
    assert trio.current_time() == began + CATCH_UP_SECONDS + GOODBYE_SECONDS
    assert driver.got == []
