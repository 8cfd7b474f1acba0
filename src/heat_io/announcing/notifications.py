"""Notifications of the states of stacks: orchestration.stack.<action>.<start, end, error>."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from heat_core.errors import HeatException
from heat_core.rpc import RequestContext
from heat_core.rpc.notification import Notification
from heat_core.stack.announcements import (
    is_of_stack,
    priority_of,
    stack_event_type,
    stack_payload,
)
from heat_core.stack.records import EventRecord, StackRecord
from heat_core.template import Template
from heat_io.announcing.drivers import NotificationDriver
from heat_io.announcing.outbox import Outbox
from heat_io.database import Database, tags, templates


@dataclass(frozen=True, slots=True)
class NotificationSettings:
    """`priority` is default_notification_level; a failure's is ERROR."""

    publisher_id: str
    priority: str = "INFO"


@dataclass(frozen=True, slots=True)
class _Moved:
    stack: StackRecord
    context: RequestContext
    at: datetime


class StackNotifications:
    """Notifies of stacks through every driver; none of these keeps another one waiting."""

    def __init__(
        self,
        database: Database,
        drivers: Sequence[NotificationDriver],
        settings: NotificationSettings,
        *,
        new_uuid: Callable[[], str],
        now: Callable[[], datetime],
    ) -> None:
        self._database = database
        self._lanes = [Outbox("notifications", driver.notify) for driver in drivers]
        self._settings = settings
        self._new_uuid = new_uuid
        self._now = now
        self._moves = Outbox("states of stacks", self._deliver)

    @property
    def outboxes(self) -> tuple[Outbox[Any], ...]:
        """What must run, in the order in which things go through it."""
        return (self._moves, *self._lanes)

    def offer(self, event: EventRecord, stack: StackRecord, context: RequestContext) -> None:
        """Notify of the stack's state, if that is what the event is of."""
        if self._lanes and is_of_stack(event):
            self._moves.put(_Moved(stack, context, event.created_at or self._now()))

    async def _deliver(self, moved: _Moved) -> None:
        stack, context = moved.stack, moved.context
        description, stack_tags = await self._database.read(
            lambda connection: (_description(connection, stack), tags.fetch(connection, stack.id))
        )
        notification = Notification(
            event_type=stack_event_type(stack),
            priority=priority_of(stack, self._settings.priority),
            payload=stack_payload(
                stack,
                description=description,
                tags=stack_tags,
                project_id=context.project_id or stack.tenant,
                user_id=context.user_id or context.trustor_user_id,
                user_name=context.username or stack.username,
            ),
            publisher_id=self._settings.publisher_id,
            context=context,
            timestamp=moved.at,
            message_id=self._new_uuid(),
            unique_id=self._new_uuid().replace("-", ""),
        )
        for lane in self._lanes:
            lane.put(notification)


def _description(connection: Connection, stack: StackRecord) -> str:
    """The template's; a template that can't be read (any more) has none."""
    try:
        document = templates.fetch_document(connection, stack.raw_template_id)
        return str(Template(document).description)
    except (HeatException, ValueError):
        return "No description"
