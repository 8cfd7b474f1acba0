"""Reading events (rules/o-listing.md#16-21)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from heat_app.engine.arguments import page_of
from heat_app.engine.formatting import identity_of, shown_event
from heat_app.engine.lookup import stack_of_identity
from heat_app.engine.ports import Endpoint
from heat_core.rpc import RequestContext
from heat_core.stack import StackRecord
from heat_io.database import events, resources, stacks
from heat_io.database.events import EventQuery

type Json = dict[str, Any]


class EventReads(Endpoint):
    """What can be asked of events."""

    async def list_events(
        self,
        context: RequestContext,
        stack_identity: Mapping[str, Any] | None,
        filters: Mapping[str, Any] | None = None,
        nested_depth: int | None = None,
        **page: Any,
    ) -> list[Json]:
        """Events of a stack, deleted ones too; with a depth those of stacks below it as well.

        Without an identity: of all stacks of the project. A filter by uuid gives one event, with
        the properties that its resource had.
        """
        query = EventQuery(filters=dict(filters or {}), page=page_of(page))

        def unit(connection: Connection) -> list[Json]:
            if stack_identity is None:
                return _of_project(connection, context, query)
            stack = stack_of_identity(connection, context, stack_identity, show_deleted=True)
            if nested_depth:
                return _of_tree(connection, context, stack, int(nested_depth), query)
            if "uuid" in query.filters:
                return _one(connection, stack, query)
            identity = identity_of(stack)
            found = events.list_for_stack(connection, stack.id, query)
            return [shown_event(event, identity) for event in found]

        return await self._parts.database.read(unit)


def _one(connection: Connection, stack: StackRecord, query: EventQuery) -> list[Json]:
    found = []
    for event in events.list_for_stack(connection, stack.id, query):
        shown = shown_event(event, identity_of(stack))
        full = events.fetch(connection, stack.id, event.uuid)
        properties = None if full is None else full[1]
        shown["resource_properties"] = None if properties is None else dict(properties)
        found.append(shown)
    return found


def _of_tree(
    connection: Connection,
    context: RequestContext,
    root: StackRecord,
    depth: int,
    query: EventQuery,
) -> list[Json]:
    under = stacks.fetch_many(connection, sorted(resources.stacks_under(connection, root.id)))
    tree = [
        stack
        for stack in under.values()
        if stack.nested_depth <= depth and stack.deleted_at is None
    ]
    identities = {stack.id: identity_of(stack) for stack in tree}
    tenant = context.project_id or root.tenant
    found = events.list_for_stacks(connection, tenant, list(identities), query)
    root_identity = identity_of(root)
    return [shown_event(event, identities[event.stack_id], root_identity) for event in found]


def _of_project(connection: Connection, context: RequestContext, query: EventQuery) -> list[Json]:
    found = events.list_for_stacks(connection, context.project_id or "", None, query)
    owners = stacks.fetch_many(connection, sorted({event.stack_id for event in found}))
    identities = {stack.id: identity_of(stack) for stack in owners.values()}
    return [shown_event(event, identities[event.stack_id]) for event in found]
