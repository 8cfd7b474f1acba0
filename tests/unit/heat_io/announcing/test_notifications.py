from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
import trio

from heat_core.rpc import RequestContext
from heat_core.rpc.notification import Notification
from heat_core.stack.events import resource_event, stack_event
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.records import ResourceRecord
from heat_core.stack.states import Action, Status
from heat_io.announcing import NotificationSettings, StackNotifications


class Heard:
    """Keeps what comes, after refusing what `errors` say."""

    def __init__(self, *errors: Exception) -> None:
        self.got: list[Notification] = []
        self._errors = list(errors)

    async def notify(self, notification: Notification) -> None:
        await trio.lowlevel.checkpoint()
        if self._errors:
            raise self._errors.pop(0)
        self.got.append(notification)


def notifications(home: Any, *heard: Heard, priority: str = "info") -> StackNotifications:
    ids = itertools.count(1)
    return StackNotifications(
        home.database,
        heard,
        NotificationSettings("orchestration.h", priority),
        new_uuid=lambda: f"00000000-0000-4000-8000-{next(ids):012}",
        now=lambda: datetime(2026, 1, 1),
    )


async def told(made: StackNotifications) -> None:
    async with trio.open_nursery() as nursery:
        for outbox in made.outboxes:
            nursery.start_soon(outbox.run)
        for outbox in made.outboxes:
            await outbox.emptied()
        nursery.cancel_scope.cancel()


async def test_a_stacks_state_is_told(home: Any, context: RequestContext, now: datetime) -> None:
    heard = Heard()
    made, stack = notifications(home, heard), await home.stack()
    made.offer(stack_event(stack, uuid="e", now=now), stack, context)
    failed = replace(stack, status=Status.FAILED)
    made.offer(stack_event(failed, uuid="e", now=now), failed, context)
    await told(made)
    first, second = heard.got
    assert first.event_type == "orchestration.stack.create.start"
    assert (first.priority, second.priority) == ("INFO", "ERROR")
    assert first.payload["description"] == "d"
    assert first.payload["tags"] == ["blue"]
    assert first.payload["username"] == "u"
    assert first.timestamp == now
    assert first.message_id == "00000000-0000-4000-8000-000000000001"
    assert first.unique_id == "00000000000040008000000000000002"


async def test_who_acts_when_nobody_asked(home: Any, now: datetime) -> None:
    heard = Heard()
    made, stack = notifications(home, heard), await home.stack(username="owner")
    context = RequestContext(trust_id="t", trustor_user_id="trustor")
    made.offer(stack_event(stack, uuid="e", now=now), stack, context)
    await told(made)
    payload = heard.got[0].payload
    assert [payload[name] for name in ("tenant_id", "user_identity", "username")] == [
        "p",
        "trustor",
        "owner",
    ]


@pytest.mark.parametrize("template", [{}, {"heat_template_version": "never"}])
async def test_a_template_that_cannot_be_read_has_no_description(
    home: Any, context: RequestContext, now: datetime, template: dict[str, Any]
) -> None:
    heard = Heard()
    made, stack = notifications(home, heard), await home.stack(template)
    gone = replace(stack, raw_template_id=TemplateId(99))
    for one in (stack, gone):
        made.offer(stack_event(one, uuid="e", now=now), one, context)
    await told(made)
    assert [one.payload["description"] for one in heard.got] == ["No description"] * 2


async def test_resources_are_not_told_of(home: Any, context: RequestContext, now: datetime) -> None:
    made, stack = notifications(home, Heard()), await home.stack()
    row = ResourceRecord(
        id=ResourceId(1), uuid=stack.id, name="r", stack_id=stack.id, action=Action.CREATE
    )
    event = resource_event(
        row, stack_name="st", type_name="T", properties_data_id=None, uuid="e", now=now
    )
    made.offer(event, stack, context)
    assert made.outboxes[0].waiting == 0


async def test_without_a_driver_nothing_waits(
    home: Any, context: RequestContext, now: datetime
) -> None:
    made, stack = notifications(home), await home.stack()
    made.offer(stack_event(stack, uuid="e", now=now), stack, context)
    assert made.outboxes[0].waiting == 0


async def test_a_driver_that_waits_does_not_keep_the_others(
    home: Any, context: RequestContext, now: datetime
) -> None:
    class Waiting(Heard):
        async def notify(self, notification: Notification) -> None:
            await trio.sleep_forever()

    heard = Heard()
    made, stack = notifications(home, Waiting(), heard), await home.stack()
    for _ in range(3):
        made.offer(stack_event(stack, uuid="e", now=now), stack, context)
    moves, first, second = made.outboxes
    async with trio.open_nursery() as nursery:
        for outbox in made.outboxes:
            nursery.start_soon(outbox.run)
        await moves.emptied()
        await second.emptied()
        assert (len(heard.got), first.waiting) == (3, 3)
        nursery.cancel_scope.cancel()


async def test_a_driver_that_fails_does_not_keep_the_others(
    home: Any, context: RequestContext, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = Heard(RuntimeError("no")), Heard()
    made, stack = notifications(home, one, other), await home.stack()
    made.offer(stack_event(stack, uuid="e", now=now), stack, context)
    await told(made)
    assert (len(one.got), len(other.got)) == (0, 1)
    assert [record.message for record in caplog.records] == ["it could not be delivered"]
