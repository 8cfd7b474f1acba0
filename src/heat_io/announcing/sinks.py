"""Events on their way to the sinks of their stack's environment (facts/events-notifications.json).

Zaqar queues are the one kind that there is. Each stack's events arrive in order. A sink that does
not take an event costs that event, and nothing else. The last event of a deleted stack comes when
its stored credentials are gone: whoever asked for the delete sends it, if that was this engine.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from heat_core.errors import HeatException
from heat_core.procedure import HttpCall, ServiceError
from heat_core.rpc import RequestContext
from heat_core.stack.announcements import event_document, is_of_stack
from heat_core.stack.ids import StackId, TemplateId, TraversalId
from heat_core.stack.records import EventRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.announcing.outbox import Outbox
from heat_io.database import Database, properties_data, templates
from heat_io.drivers.ports import Cloud, CredentialsSource

log = logging.getLogger(__name__)

DEFAULT_TTL_SECONDS: Final = 3600
_LANES: Final = 8
_REMEMBERED: Final = 2000

type _Key = tuple[StackId, TemplateId, TraversalId | None]


@dataclass(frozen=True, slots=True)
class _Offered:
    event: EventRecord
    stack: StackRecord
    context: RequestContext


class EventSinks:
    """Sends events to the sinks of their stacks."""

    def __init__(
        self,
        database: Database,
        cloud: Cloud,
        credentials: CredentialsSource,
        *,
        new_uuid: Callable[[], str],
    ) -> None:
        self._database = database
        self._cloud = cloud
        self._credentials = credentials
        self._client_id = new_uuid()
        self._askers: dict[StackId, RequestContext] = {}
        self._sinks: OrderedDict[_Key, tuple[Mapping[str, Any], ...]] = OrderedDict()
        self.outboxes = [Outbox("events for sinks", self._deliver) for _ in range(_LANES)]

    def offer(self, event: EventRecord, stack: StackRecord, context: RequestContext) -> None:
        """Send the event to the stack's sinks, if it has some."""
        if self._sinks.get(_key(stack)) != ():
            self._outbox(stack.id).put(_Offered(event, stack, context))

    async def emptied(self, stack: StackRecord) -> None:
        """Wait until the stack's events are gone; a stack without sinks has none."""
        if await self._sinks_of(stack):
            await self._outbox(stack.id).emptied()

    def _outbox(self, stack_id: StackId) -> Outbox[_Offered]:
        return self.outboxes[sum(stack_id.encode()) % _LANES]

    async def _deliver(self, offered: _Offered) -> None:
        event, stack = offered.event, offered.stack
        sinks = await self._sinks_of(stack)
        if not sinks:
            return
        properties = None
        data_id = event.properties_data_id
        if data_id is not None:
            properties = await self._database.read(
                lambda connection: properties_data.fetch(connection, data_id)
            )
        document = event_document(event, properties)
        context = self._sender(event, offered.context)
        try:
            credentials = await self._credentials.for_stack(stack, context)
            for sink in sinks:
                await self._cloud.send(credentials, self._call(sink, document))
        except (HeatException, ServiceError) as error:
            log.warning(
                "an event sink did not take an event",
                extra={"fields": {"stack_id": stack.id, "event": event.uuid, "error": str(error)}},
            )

    def _sender(self, event: EventRecord, context: RequestContext) -> RequestContext:
        """Who sends the event, where nothing stored can."""
        if not is_of_stack(event) or event.resource_action != Action.DELETE:
            return context
        if event.resource_status != Status.IN_PROGRESS:
            return self._askers.pop(event.stack_id, context)
        if context.auth_token:
            self._askers[event.stack_id] = context
        return context

    def _call(self, sink: Mapping[str, Any], document: Mapping[str, Any]) -> HttpCall:
        ttl = sink.get("ttl")
        message = {"body": document, "ttl": DEFAULT_TTL_SECONDS if ttl is None else ttl}
        return HttpCall(
            "POST",
            "messaging",
            f"/v2/queues/{quote(str(sink['target']), safe='')}/messages",
            {"messages": [message]},
            headers=(("Client-ID", self._client_id),),
        )

    async def _sinks_of(self, stack: StackRecord) -> tuple[Mapping[str, Any], ...]:
        """The sinks of the stack's environment; looked up once a traversal."""
        key = _key(stack)
        found = self._sinks.get(key)
        if found is None:
            found = await self._database.read(
                lambda connection: templates.fetch_event_sinks(connection, stack.raw_template_id)
            )
            self._sinks[key] = found
            while len(self._sinks) > _REMEMBERED:
                self._sinks.popitem(last=False)
        return found


def _key(stack: StackRecord) -> _Key:
    return stack.id, stack.raw_template_id, stack.current_traversal
