"""Stacks that Heat's legacy engine made (stack.convergence = 0), and how they are deleted.

There is no legacy engine here. Such stacks can be read as they are. To delete one it is first
turned into a stack that converges, in one transaction: its rows learn what they require and of
which template they are, those of its backup stack (what an interrupted update has left) become its
own, and its lock goes. Then the delete is like any other; nested stacks follow when they are
deleted in their turn. An engine that holds the lock is told to stop first. For anything else an
operator has the whole tree turned once: `heat-manage migrate_convergence_1`.

Source: rules/k-locks-services.md#1, #16-17, rules/e-identity.md#23.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from heat_core.convergence.legacy import converted_requires
from heat_core.errors import (
    ActionInProgress,
    ActionNotComplete,
    HeatException,
    NotFound,
    NotSupported,
    StopActionFailed,
)
from heat_core.rpc import LISTENER_METHODS, MessagingError, RequestContext
from heat_core.stack import HeatIdentifier
from heat_core.stack.ids import EngineId, StackId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    CommitUnknown,
    Database,
    resource_removal,
    resources,
    stack_locks,
    stacks,
    templates,
)
from heat_io.database.schema import stack as stack_table
from heat_io.drivers.definitions import Definitions
from heat_io.drivers.ports import Liveness
from heat_io.messaging import LISTENER_TOPIC, Bus, Target

log = logging.getLogger(__name__)

STOP_SECONDS = 30.0


def refuse_legacy(stack: StackRecord, what: str) -> None:
    """NotSupported, with the way out, for a stack that does not converge."""
    if not stack.convergence:
        raise NotSupported(
            feature=(
                f"{what} of stack {stack.name}, which was made without convergence, before"
                f" 'heat-manage migrate_convergence_1 {stack.id}'"
            )
        )


@dataclass(frozen=True, slots=True)
class _Part:
    """A stack whose rows are converted, with what its template says of them."""

    stack: StackRecord
    requires: Mapping[str, frozenset[str]]


class LegacyStacks:
    """Turns stacks of the legacy engine into stacks that converge, for their end."""

    def __init__(
        self,
        database: Database,
        bus: Bus,
        definitions: Definitions,
        liveness: Liveness,
        *,
        engine_id: EngineId,
        new_uuid: Callable[[], str],
    ) -> None:
        self._engine_id = engine_id
        self._database = database
        self._bus = bus
        self._definitions = definitions
        self._liveness = liveness
        self._new_uuid = new_uuid

    async def convert(self, stack: StackRecord, context: RequestContext) -> None:
        """Turn the stack, whatever its state. StopActionFailed when another engine clings to it."""
        holder = await self._stopped_holder(stack, context)
        found = await self._database.read(lambda connection: _backups(connection, stack.id))
        parts = [await self._part_as_it_is(one) for one in (stack, *found)]
        traversal_id = TraversalId(self._new_uuid())

        def unit(connection: Connection) -> bool:
            if not self._lock(connection, stack, holder):
                return False
            _convert(connection, parts, traversal_id)
            stack_locks.release(connection, stack.id, self._engine_id)
            return True

        while True:
            try:
                if not await self._database.transaction(unit):
                    raise StopActionFailed(stack_name=stack.name, engine_id=holder or "unknown")
            except CommitUnknown:
                continue  # what is converted already is left as it is
            break
        log.info(
            "a stack of the legacy engine converges from now on",
            extra={"fields": {"stack_id": stack.id, "backups": len(found)}},
        )

    async def migrate(self, stack_id: StackId) -> None:
        """Turn a whole tree of complete stacks into stacks that converge, to work on with them.

        NotFound; NotSupported for a nested stack; ActionNotComplete, ActionInProgress when
        one of them is not at rest. One that converges already stays as it is.
        """

        def tree(connection: Connection) -> list[StackRecord]:
            stack = stacks.fetch(connection, stack_id, with_deps=False)
            if stack is None:
                raise NotFound(f'No stack exists with id "{stack_id}"')
            return [stack, *stacks.descendants(connection, stack_id)]

        root, *below = await self._database.read(tree)
        if root.owner_id is not None:
            raise NotSupported(feature=f"Migration of nested stack {stack_id}")
        if root.convergence:
            return
        parts = [await self._part(one) for one in (root, *below) if not one.convergence]
        traversals = [TraversalId(self._new_uuid()) for _ in parts]

        def unit(connection: Connection) -> None:
            for one in (root, *below):
                current = stacks.fetch(connection, one.id, with_deps=False)
                if current is None or current.status is not Status.COMPLETE:
                    raise ActionNotComplete(stack_name=one.name, action=one.action)
                if not self._lock(connection, one, None):
                    raise ActionInProgress(stack_name=one.name, action=one.action)
            for part, traversal_id in zip(parts, traversals, strict=True):
                _convert(connection, [part], traversal_id, drop_strangers=True)
            for one in (root, *below):
                stack_locks.release(connection, one.id, self._engine_id)

        while True:
            try:
                await self._database.transaction(unit)
            except CommitUnknown:
                continue
            break
        log.info(
            "stacks converge now", extra={"fields": {"stack_id": stack_id, "count": len(parts)}}
        )

    async def _stopped_holder(self, stack: StackRecord, context: RequestContext) -> EngineId | None:
        """The engine that had the lock, which does nothing for the stack any more."""
        holder = await self._database.read(
            lambda connection: stack_locks.holder(connection, stack.id)
        )
        if holder is None or await self._liveness.is_dead(holder):
            return holder
        identity = HeatIdentifier(stack.tenant, stack.name, stack.id).to_dict()
        target = Target(LISTENER_TOPIC, server=holder, version=LISTENER_METHODS.version)
        try:
            await self._bus.call(
                target,
                "stop_stack",
                {"stack_identity": identity},
                context,
                timeout_seconds=STOP_SECONDS,
            )
        except (HeatException, MessagingError) as error:
            raise StopActionFailed(stack_name=stack.name, engine_id=holder) from error
        return holder

    def _lock(self, connection: Connection, stack: StackRecord, holder: EngineId | None) -> bool:
        """Take the stack's lock, from `holder` if it still has it; False: another engine has it."""
        found = stack_locks.acquire(connection, stack.id, self._engine_id)
        if found is None or found == self._engine_id:
            return True
        if found != holder:
            return False
        return stack_locks.steal(connection, stack.id, found, self._engine_id)

    async def _part(self, stack: StackRecord) -> _Part:
        definition = await self._definitions.for_stack(stack)
        requires = {name: frozenset(needs) for name, needs in definition.requires.items()}
        return _Part(stack, requires)

    async def _part_as_it_is(self, stack: StackRecord) -> _Part:
        try:
            return await self._part(stack)
        except (HeatException, ValueError):
            # Of a template that can't be read no order follows; what is there must go anyway.
            log.warning(
                "a stack's template can't be read", extra={"fields": {"stack_id": stack.id}}
            )
            return _Part(stack, {})


def _backups(connection: Connection, stack_id: StackId) -> list[StackRecord]:
    query = select(stack_table).where(
        stack_table.c.owner_id == stack_id,
        stack_table.c.backup.is_(True),
        stack_table.c.deleted_at.is_(None),
    )
    return [stacks.record_of(row) for row in connection.execute(query)]


def _convert(
    connection: Connection,
    parts: list[_Part],
    traversal_id: TraversalId,
    *,
    drop_strangers: bool = False,
) -> None:
    """Turn the first of `parts`, whose lock is ours, with the rows of the others as its own."""
    main = parts[0].stack
    current = stacks.fetch(connection, main.id, with_deps=False)
    if current is None or current.convergence:
        return
    values = {
        "convergence": True,
        "current_traversal": traversal_id,
        "prev_raw_template_id": None,
    }
    stacks.update(connection, main.id, values)
    for part in parts:
        _convert_rows(connection, part, main, drop_strangers)
    for part in parts[1:]:
        for child in stacks.children(connection, part.stack.id):
            stacks.update(connection, child.id, {"owner_id": main.id})
        stacks.update(connection, part.stack.id, {"action": Action.DELETE, "status": "COMPLETE"})
        stacks.soft_delete(connection, part.stack.id)
    if current.prev_raw_template_id is not None:
        templates.delete_unreferenced(connection, [current.prev_raw_template_id])


def _convert_rows(
    connection: Connection, part: _Part, main: StackRecord, drop_strangers: bool
) -> None:
    rows = resources.fetch_by_stack(connection, part.stack.id)
    if drop_strangers:
        # A stack that goes on has no place for what its template doesn't know; so does Heat.
        strangers = [row for row in rows if row.name not in part.requires]
        for row in strangers:
            log.warning(
                "a resource that is not in its stack's template is forgotten",
                extra={"fields": {"stack_id": main.id, "resource": row.name}},
            )
        resource_removal.delete_rows(connection, [row.id for row in strangers])
        rows = [row for row in rows if row.name in part.requires]
    for row_id, requires in converted_requires(rows, part.requires).items():
        values = {
            "stack_id": main.id,
            "requires": requires,
            "current_template_id": part.stack.raw_template_id,
        }
        resources.update(connection, row_id, values)
