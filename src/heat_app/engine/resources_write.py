"""Telling a resource something: that it is unhealthy, or a signal.

Source: rules/e-identity.md#21, rules/g-events-status.md#4, #12-13, rules/l-signals.md#13-14,
rules/m-hooks.md#6-8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from heat_app.engine.lookup import stack_of_identity
from heat_app.engine.ports import Endpoint
from heat_app.engine.resource_lookup import Found, any_resource, named_resource
from heat_core.environment import HOOKS
from heat_core.errors import (
    ActionInProgress,
    Invalid,
    InvalidBreakPointHook,
    NotSupported,
    ResourceActionNotSupported,
    ResourceNotAvailable,
)
from heat_core.rpc import RequestContext
from heat_core.stack import Action, EventRecord, ResourceRecord, Status
from heat_core.stack.events import resource_event
from heat_io.database import (
    Applied,
    Lost,
    Write,
    events,
    properties_data,
    resource_data,
    resources,
)
from heat_io.drivers.legacy import refuse_legacy

MARKED_REASON = "state changed by resource_mark_unhealthy api"
UNSET_HOOK = "unset_hook"
ATTEMPTS = 3
"""how often a mark is tried while others change the resource in between"""


class ResourceWrites(Endpoint):
    """What can be told to a resource."""

    # --- health ------------------------------------------------------------------------------

    async def resource_mark_unhealthy(
        self,
        context: RequestContext,
        stack_identity: Mapping[str, Any],
        resource_name: str,
        mark_unhealthy: bool,
        resource_status_reason: str | None = None,
    ) -> None:
        """Make a resource CHECK FAILED, so that an update replaces it, or take that back.

        ActionInProgress while somebody works on the resource.
        """
        if not isinstance(mark_unhealthy, bool):
            raise Invalid(reason="mark_unhealthy is not a boolean")
        reason = resource_status_reason or MARKED_REASON
        for _ in range(ATTEMPTS):
            try:
                found = await any_resource(self._parts, context, stack_identity, resource_name)
            except ResourceNotAvailable:
                break
            refuse_legacy(found.stack, "To mark a resource")
            if found.row.engine_id is not None:
                break
            status = _new_status(found.row, mark_unhealthy)
            if status is None or await self._store_check(context, found, status, reason):
                return
        stack = await self._parts.database.read(
            lambda connection: stack_of_identity(connection, context, stack_identity)
        )
        raise ActionInProgress(stack_name=stack.name, action=stack.action)

    async def _store_check(
        self, context: RequestContext, found: Found, status: Status, reason: str
    ) -> bool:
        """Store CHECK and `status` with the event; False when the row has changed meanwhile."""
        row = found.row
        values: dict[str, Any] = {
            "action": Action.CHECK,
            "status": status,
            "status_reason": reason,
        }
        if status is Status.FAILED:
            values["attributes_data_id"] = None
        marked = replace(row, **values)
        event = self._event(found, marked)

        def apply(connection: Connection) -> Applied[None] | Lost:
            if not resources.update_if(
                connection, row.id, engine_id=None, atomic_key=row.atomic_key, values=values
            ):
                return Lost()
            if marked.attributes_data_id is None:
                properties_data.delete_unreferenced(connection, [row.attributes_data_id])
            if (row.action, row.status) == (marked.action, marked.status):
                return Applied(None)
            events.insert_many(connection, [event])
            return Applied(None, (event,))

        # A write whose fate is unknown is simply made again: the second changes nothing.
        write = Write(apply, lambda connection: Lost(), label="mark")
        verdict = await self._parts.database.submit(found.stack.id, write)
        if not isinstance(verdict, Applied):
            return False
        for stored in verdict.events:
            self._parts.listener.stored(stored, found.stack, context)
        return True

    # --- signals -----------------------------------------------------------------------------

    async def resource_signal(
        self,
        context: RequestContext,
        stack_identity: Mapping[str, Any],
        resource_name: str,
        details: Any = None,
        sync_call: bool = False,
    ) -> Mapping[str, Any] | None:
        """Clear one of the resource's hooks; types that take signals are not built.

        ResourceActionNotSupported for a resource that takes none, NotSupported while its action
        forbids them, InvalidBreakPointHook for a hook that is not there. The resource's metadata
        after a call that waits for the signal's end, else nothing.
        """
        found = await named_resource(self._parts, context, stack_identity, resource_name)
        refuse_legacy(found.stack, "A signal to a resource")
        row = found.row
        if row.action in found.instance.no_signal_actions:
            await self._tell(context, found, f"Cannot signal resource during {row.action}")
            raise NotSupported(feature=f"Signal resource during {row.action}")
        if details and UNSET_HOOK in details:
            await self._unset_hook(context, found, details[UNSET_HOOK])
        elif found.instance.takes_signals:
            raise NotSupported(feature=f"A signal to {found.type_name}")
        else:
            raise ResourceActionNotSupported(action="signal")
        return (row.metadata or {}) if sync_call else None

    async def _unset_hook(self, context: RequestContext, found: Found, hook: Any) -> None:
        if hook not in HOOKS:
            raise InvalidBreakPointHook(message=f'Invalid hook type "{hook}" for {found.instance}')
        if found.row.data.get(hook) != "True":
            raise InvalidBreakPointHook(
                message=f'The "{hook}" hook is not defined on {found.instance}'
            )
        cleared = self._event(found, replace(found.row, status_reason=f"Hook {hook} is cleared"))

        def unit(connection: Connection) -> None:
            resource_data.delete(connection, found.row.id, [hook])
            events.insert_many(connection, [cleared])

        await self._parts.database.transaction(unit)
        self._parts.listener.stored(cleared, found.stack, context)

    # --- events ------------------------------------------------------------------------------

    async def _tell(self, context: RequestContext, found: Found, reason: str) -> None:
        """An event of the resource's state as it is, with a reason of its own."""
        event = self._event(found, replace(found.row, status_reason=reason))
        await self._parts.database.transaction(
            lambda connection: events.insert_many(connection, [event])
        )
        self._parts.listener.stored(event, found.stack, context)

    def _event(self, found: Found, row: ResourceRecord) -> EventRecord:
        return resource_event(
            row,
            stack_name=found.stack.name,
            type_name=found.type_name,
            properties_data_id=row.properties_data_id,
            uuid=self._parts.new_id(),
            now=self._parts.now(),
            name_limit=found.instance.physical_name_limit,
        )


def _new_status(row: ResourceRecord, unhealthy: bool) -> Status | None:
    """What CHECK becomes; None when there is nothing to change."""
    if unhealthy:
        return None if row.action is Action.DELETE else Status.FAILED
    marked = (row.action, row.status) == (Action.CHECK, Status.FAILED)
    return Status.COMPLETE if marked else None
