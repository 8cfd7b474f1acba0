from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from heat_core.errors import AuthorizationFailure
from heat_core.procedure import ServiceError
from heat_core.rpc import RequestContext
from heat_core.stack.announcements import event_document
from heat_core.stack.events import stack_event
from heat_core.stack.ids import StackId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.announcing import EventSinks
from heat_io.database import properties_data
from heat_io.drivers import NoStoredCredentials

CLIENT = "00000000-0000-4000-8000-00000000c11e"
ENVIRONMENT = {
    "event_sinks": [
        {"type": "zaqar-queue", "target": "one/queue"},
        {"type": "zaqar-queue", "target": "two", "ttl": 60},
    ]
}


class Stored(NoStoredCredentials):
    """Gives credentials, or what stands in the way."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    async def for_stack(self, stack: StackRecord, context: RequestContext | None = None) -> Any:
        await trio.lowlevel.checkpoint()
        if self._error is not None:
            raise self._error
        return ("credentials", stack.id, context)


def sinks(home: Any, services: Any, error: Exception | None = None) -> EventSinks:
    return EventSinks(home.database, services, Stored(error), new_uuid=lambda: CLIENT)


async def told(made: EventSinks, stack: StackRecord) -> None:
    async with trio.open_nursery() as nursery:
        for outbox in made.outboxes:
            nursery.start_soon(outbox.run)
        for outbox in made.outboxes:
            await outbox.emptied()
        nursery.cancel_scope.cancel()


async def test_an_event_goes_to_every_sink(
    home: Any, services: Any, context: RequestContext, now: datetime
) -> None:
    made, stack = sinks(home, services), await home.stack(environment=ENVIRONMENT)
    data_id = await home.database.transaction(
        lambda connection: properties_data.insert(connection, {"length": 8})
    )
    event = replace(stack_event(stack, uuid="e", now=now), properties_data_id=data_id)
    made.offer(event, stack, context)
    await told(made, stack)
    document = event_document(event, {"length": 8})
    (who, first), (_, second) = services.sent
    assert who == ("credentials", stack.id, context)
    assert (first.method, first.service) == ("POST", "messaging")
    assert first.path == "/v2/queues/one%2Fqueue/messages"
    assert first.body == {"messages": [{"body": document, "ttl": 3600}]}
    assert first.headers == (("Client-ID", CLIENT),)
    assert second.path == "/v2/queues/two/messages"
    assert second.body == {"messages": [{"body": document, "ttl": 60}]}


async def test_a_stack_without_sinks_is_looked_up_once_a_traversal(
    home: Any, services: Any, context: RequestContext, now: datetime
) -> None:
    made, stack = sinks(home, services), await home.stack()
    event = stack_event(stack, uuid="e", now=now)
    made.offer(event, stack, context)
    await told(made, stack)
    made.offer(event, stack, context)
    assert sum(outbox.waiting for outbox in made.outboxes) == 0
    made.offer(event, replace(stack, current_traversal=TraversalId("t2")), context)
    assert sum(outbox.waiting for outbox in made.outboxes) == 1
    assert services.sent == []


@pytest.mark.parametrize("credentials", [None, AuthorizationFailure()])
async def test_a_sink_that_takes_nothing_costs_the_event_only(
    home: Any,
    services: Any,
    context: RequestContext,
    now: datetime,
    caplog: pytest.LogCaptureFixture,
    credentials: Exception | None,
) -> None:
    made = sinks(home, services, credentials)
    stack = await home.stack(environment=ENVIRONMENT)
    text = "no such queue"
    services.errors.append(ServiceError("messaging", 404, text, error_class="NotFound", text=text))
    made.offer(stack_event(stack, uuid="e1", now=now), stack, context)
    made.offer(stack_event(stack, uuid="e2", now=now), stack, context)
    await told(made, stack)
    assert len(services.sent) == (3 if credentials is None else 0)
    messages = [record.message for record in caplog.records]
    assert messages == ["an event sink did not take an event"] * (1 if credentials is None else 2)


async def test_the_last_event_of_a_delete_is_sent_by_who_asked_for_it(
    home: Any, services: Any, context: RequestContext, now: datetime
) -> None:
    made, stack = sinks(home, services), await home.stack(environment=ENVIRONMENT)
    later = RequestContext(trust_id="gone")
    deleting = replace(stack, action=Action.DELETE)
    ended = replace(deleting, status=Status.COMPLETE)
    for one, who in ((stack, context), (deleting, context), (ended, later), (ended, later)):
        made.offer(stack_event(one, uuid="e", now=now), one, who)
    begun_elsewhere = replace(deleting, id=StackId("other"))
    made.offer(stack_event(begun_elsewhere, uuid="e", now=now), begun_elsewhere, later)
    await told(made, stack)
    senders = [who for (_, _, who), call in services.sent if call.path.endswith("/two/messages")]
    of_stack = [who for (_, of, who), call in services.sent if of == stack.id]
    assert of_stack[::2] == [context, context, context, later]
    assert senders.count(later) == 2


async def test_waiting_for_a_stacks_events(
    home: Any, services: Any, context: RequestContext, now: datetime, autojump_clock: MockClock
) -> None:
    services.seconds = 2
    made = sinks(home, services)
    stack, quiet = await home.stack(environment=ENVIRONMENT), await home.stack()
    made.offer(stack_event(stack, uuid="e", now=now), stack, context)
    async with trio.open_nursery() as nursery:
        for outbox in made.outboxes:
            nursery.start_soon(outbox.run)
        await made.emptied(quiet)
        assert trio.current_time() < 1
        await made.emptied(stack)
        assert len(services.sent) == 2
        nursery.cancel_scope.cancel()


async def test_only_so_many_stacks_are_remembered(
    home: Any,
    services: Any,
    context: RequestContext,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("heat_io.announcing.sinks._REMEMBERED", 1)
    made, one, two = sinks(home, services), await home.stack(), await home.stack()
    for stack in (one, two):
        made.offer(stack_event(stack, uuid="e", now=now), stack, context)
        await told(made, stack)
    made.offer(stack_event(two, uuid="e", now=now), two, context)
    assert sum(outbox.waiting for outbox in made.outboxes) == 0
    made.offer(stack_event(one, uuid="e", now=now), one, context)
    assert sum(outbox.waiting for outbox in made.outboxes) == 1
