"""Somebody with one stack, who repeats a request until it is accepted."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import trio
from sqlalchemy import Connection

from heat_core.errors import NotSupported
from heat_core.stack.ids import StackId, TemplateId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Killed, resources, stacks, templates
from tests.simulation.engines import CONTEXT, TENANT
from tests.simulation.invariants import Violated
from tests.simulation.ledger import StackRow
from tests.simulation.world import World

PATIENCE_SECONDS = 4_000


class User:
    """What a client does, without the checks of a request."""

    def __init__(
        self,
        world: World,
        name: str,
        *,
        disable_rollback: bool = True,
        timeout_minutes: int | None = None,
    ) -> None:
        self.world = world
        self.stack_id = StackId(world.uuid())
        self.name = name
        self.disable_rollback = disable_rollback
        self.timeout_minutes = timeout_minutes
        self.documents: dict[int, Mapping[str, Any]] = {}
        """what was asked for, by the template that was stored of it"""
        self.cancelled = False
        self.checked = False
        """a check takes what it cannot check for sound, even what was never made (rules/g#7)"""
        self.marked = False
        """something was said or done that may end in a failure"""

    # --- operations ------------------------------------------------------------------------

    async def create(self, document: Mapping[str, Any]) -> None:
        """What the endpoint of create_stack does: the row first, then the traversal."""

        def unit(connection: Connection) -> None:
            stacks.insert(
                connection,
                StackRecord(
                    id=self.stack_id,
                    name=self.name,
                    tenant=TENANT,
                    raw_template_id=self._store(connection, document),
                    action=Action.CREATE,
                    status=Status.IN_PROGRESS,
                    status_reason="Stack CREATE started",
                    disable_rollback=self.disable_rollback,
                    timeout=self.timeout_minutes,
                    current_traversal=TraversalId(self.world.uuid()),
                    created_at=self.world.now(),
                ),
            )

        self.world.storage.harness(unit)
        await self._request(Action.CREATE, None)

    async def update(self, document: Mapping[str, Any]) -> None:
        """Refused for a stack that is being deleted, as the endpoint does."""
        row = self.row
        if row is None or row.action == "DELETE":
            return
        await self._request(Action.UPDATE, self.store(document))

    def store(self, document: Mapping[str, Any]) -> TemplateId:
        """Store the template that was asked for."""
        return self.world.storage.harness(lambda connection: self._store(connection, document))

    async def delete(self) -> None:
        await self._request(Action.DELETE, None)

    async def check(self) -> None:
        row = self.row
        if row is not None and row.action != "DELETE":
            self.checked = True
            await self._request(Action.CHECK, None)

    async def cancel(self, *, rollback: bool) -> None:
        """Cancel a running update; nobody repeats that, it may come too late."""
        row, incarnation = self.row, self.world.any_engine()
        if row is None or incarnation is None or incarnation.engine is None:
            return
        if (row.action, row.status) != ("UPDATE", "IN_PROGRESS"):
            return
        self.cancelled = True
        operations = incarnation.engine.operations
        with trio.move_on_after(30), suppress(Killed, Exception):
            if rollback:
                await operations.begin(CONTEXT, self.stack_id, Action.ROLLBACK)
            else:
                await operations.stop(CONTEXT, self.stack_id)

    def mark_unhealthy(self, name: str) -> None:
        """What resource_mark_unhealthy stores, unless somebody holds the row."""

        def unit(connection: Connection) -> None:
            found = [
                row
                for row in resources.fetch_by_name(connection, self.stack_id, name)
                if row.engine_id is None and row.action not in (Action.INIT, Action.DELETE)
            ]
            for row in found[-1:]:
                resources.update_if(
                    connection,
                    row.id,
                    engine_id=None,
                    atomic_key=row.atomic_key,
                    values={
                        "action": Action.CHECK,
                        "status": Status.FAILED,
                        "status_reason": "state changed by resource_mark_unhealthy api",
                    },
                )

        self.marked = True
        self.world.storage.harness(unit)

    def _store(self, connection: Connection, document: Mapping[str, Any]) -> TemplateId:
        """The template; what stands beside it in the document goes where a request has it."""
        beside = ("files", "environment", "fails")
        plain = {key: value for key, value in document.items() if key not in beside}
        environment = document.get("environment") or {}
        files = document.get("files") or {}
        template_id = templates.insert(connection, plain, environment, files).id
        self.documents[template_id] = document
        return template_id

    async def _request(self, action: Action, template_id: TemplateId | None) -> None:
        before = self.traversal
        while True:
            incarnation = self.world.any_engine()
            if incarnation is None or incarnation.engine is None:
                await trio.sleep(0.5)
                continue
            accepted = False
            with trio.move_on_after(30), suppress(Killed, Exception):
                try:
                    await incarnation.engine.operations.begin(
                        CONTEXT, self.stack_id, action, template_id=template_id
                    )
                except NotSupported:
                    # A delete was faster: asked once more it is refused once more.
                    return
                accepted = True
            row = self.row
            if accepted or row is None or action is Action.CREATE:
                return
            if row.current_traversal != before and row.action == action.value:
                return
            await trio.sleep(0.5)

    # --- what there is ---------------------------------------------------------------------

    @property
    def row(self) -> StackRow | None:
        """The stack as it is now, None once it is deleted."""
        found = self.world.ledger.stacks.get(self.stack_id)
        return None if found is None or found.deleted_at is not None else found

    @property
    def traversal(self) -> str | None:
        row = self.row
        return None if row is None else row.current_traversal

    async def settled(self) -> StackRow | None:
        """Wait until the stack has come to an end and nothing of the traversal is left."""
        invariants = self.world.invariants
        with trio.move_on_after(PATIENCE_SECONDS) as scope:
            await self.world.ledger.until(lambda: not invariants.unfinished(self.stack_id))
        if scope.cancelled_caught:
            row = self.row
            state = "gone" if row is None else f"{row.action} {row.status}"
            raise Violated(f"11: {self.name} never ended: {state}")
        return self.row
