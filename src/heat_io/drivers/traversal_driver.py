"""Runs the beginning and the end of traversals: the effects of the Traversal machine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import trio
from sqlalchemy import Connection

from heat_core.convergence import SwitchTraversal, Traversal
from heat_core.convergence.evaluation import class_of
from heat_core.convergence.node import Node
from heat_core.convergence.traversal import (
    CastLeaves,
    CredentialsRemoved,
    Effect,
    EndingOwed,
    Event,
    GraphPrepared,
    LeavesCast,
    NodeFailed,
    OperationRequested,
    PreparationFailed,
    PreparationOwed,
    PrepareGraph,
    Purge,
    Purged,
    RemovalFailed,
    RemoveCredentials,
    RootsArrived,
    State,
    StatusStored,
    StopRequested,
    StopTraversal,
    StopWorkers,
    StoreStatus,
    TraversalLost,
    TraversalStopped,
    TraversalSwitched,
    WorkersStopped,
)
from heat_core.errors import HeatException
from heat_core.graph import CycleError
from heat_core.rpc import RequestContext
from heat_core.stack.events import stack_event
from heat_core.stack.ids import EngineId, ResourceId, StackId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import CommitUnknown, Database, resources, stacks, sync_points
from heat_io.database.resources import HeldRow
from heat_io.drivers import traversal_store
from heat_io.drivers.definitions import Definitions, Graphs, LeastRecentlyUsed
from heat_io.drivers.handing_on import acting_context, cancel_cast
from heat_io.drivers.ports import (
    CredentialsSource,
    EventListener,
    Liveness,
    NewUuid,
    NobodyListens,
    Now,
)
from heat_io.drivers.traversal_store import Prepared, Stamp
from heat_io.messaging import Bus, Cast

log = logging.getLogger(__name__)

STOP_WORKERS_SECONDS = 15.0
LOOK_AGAIN_SECONDS = 0.05
EXPECTED = 1000
"""deletes whose end is remembered as prepared for, at most"""


class CheckCast(Protocol):
    """Makes the message that asks for a visit."""

    def __call__(
        self, node: Node, traversal_id: TraversalId, input_data: Any, context: RequestContext, /
    ) -> Cast: ...


@dataclass(frozen=True, slots=True)
class TraversalParts:
    """What a traversal driver is made of."""

    database: Database
    bus: Bus
    definitions: Definitions
    graphs: Graphs
    credentials: CredentialsSource
    liveness: Liveness
    new_uuid: NewUuid
    now: Now
    check_cast: CheckCast
    listener: EventListener = field(default_factory=NobodyListens)


class TraversalDriver:
    """Begins and ends traversals; what needn't be waited for runs in `nursery`."""

    def __init__(self, parts: TraversalParts, nursery: trio.Nursery) -> None:
        self._parts = parts
        self._nursery = nursery
        self._under_way: dict[StackId, int] = {}
        self._expected: LeastRecentlyUsed[tuple[StackId, TraversalId | None], bool] = (
            LeastRecentlyUsed(EXPECTED)
        )

    # --- from outside ----------------------------------------------------------------------

    async def begin(
        self, stack: StackRecord, request: OperationRequested, context: RequestContext
    ) -> bool:
        """Store the new traversal, start the rest; False when another operation was faster."""
        machine = Traversal(stack)
        effects = machine.handle(request)
        while machine.state in (State.STOPPING, State.SWITCHING):
            event = await self._perform(effects[0], context)
            effects = machine.handle(event)
            if isinstance(event, TraversalStopped):
                await self._stop_below(stack, context)
        if not machine.lost:
            self._nursery.start_soon(self._finish, machine, effects, context)
        return not machine.lost

    async def stop(self, stack: StackRecord, context: RequestContext) -> bool:
        """Cut the running operation off; False when it had ended or moved on."""
        stopped = await self._stop_alone(stack, context)
        if stopped:
            await self._stop_below(stack, context)
        return stopped

    async def _stop_alone(self, stack: StackRecord, context: RequestContext) -> bool:
        machine = Traversal(stack)
        effects = machine.handle(StopRequested())
        machine.handle(await self._perform(effects[0], context))
        return not machine.lost

    async def _stop_below(self, stack: StackRecord, context: RequestContext) -> None:
        """Cut off what runs in nested stacks of a stack that is cut off (rules/i#10)."""
        below = await self._parts.database.read(
            lambda connection: stacks.descendants(connection, stack.id)
        )
        for nested in below:
            if nested.status is Status.IN_PROGRESS:
                await self._stop_alone(nested, context)

    async def arrived(
        self, stack: StackRecord, failures: Mapping[str, str], context: RequestContext
    ) -> None:
        """All roots have arrived; a CHECK may have collected failures (rules/i#18)."""
        if failures and stack.action is Action.CHECK:
            texts = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
            await self._enter(stack, NodeFailed(f"Resource CHECK failed: {texts}"), context)
        else:
            await self._enter(stack, RootsArrived(), context)

    async def fail(self, stack: StackRecord, reason: str, context: RequestContext) -> bool:
        """A node failed. True: that decided the traversal; False: it had moved on already."""
        machine = Traversal(stack)
        effects = machine.handle(NodeFailed(reason))
        effects = machine.handle(await self._perform(effects[0], context))
        if machine.lost:
            return False
        self._nursery.start_soon(self._finish, machine, effects, context)
        return True

    async def prepare(self, stack: StackRecord, context: RequestContext) -> None:
        """Make up for a graph that was never stored."""
        await self._enter(stack, PreparationOwed(), context)

    async def end(self, stack: StackRecord, context: RequestContext) -> None:
        """Make up for a rollback or a purge that never began."""
        await self._enter(stack, EndingOwed(), context)

    def expect_removal(self, stack: StackRecord) -> None:
        """The delete of a root stack is likely to end in this process soon: prepare for that."""
        key = stack.id, stack.current_traversal
        if stack.action is not Action.DELETE or stack.owner_id is not None:
            return
        if self._expected.get(key) is None:
            self._expected.put(key, True, 1)
            self._nursery.start_soon(self._parts.credentials.prepare_removal, stack)

    def busy_with(self, stack_id: StackId) -> bool:
        """Whether this process is beginning or ending a traversal of the stack right now."""
        return stack_id in self._under_way

    @property
    def busy(self) -> int:
        """How many are being begun or ended."""
        return sum(self._under_way.values())

    # --- the loop --------------------------------------------------------------------------

    async def _enter(self, stack: StackRecord, event: Event, context: RequestContext) -> None:
        machine = Traversal(stack)
        await self._finish(machine, machine.handle(event), context)

    async def _finish(
        self, machine: Traversal, effects: tuple[Effect, ...], context: RequestContext
    ) -> None:
        stack_id = machine.stack.id
        self._under_way[stack_id] = self._under_way.get(stack_id, 0) + 1
        try:
            while effects:
                effects = machine.handle(await self._perform(effects[0], context))
        except* Exception:
            # The database owns recovery: the sweeper finds what is missing.
            log.exception(
                "a traversal's step ended in an unexpected error",
                extra={"fields": {"stack_id": stack_id, "state": machine.state}},
            )
        finally:
            self._under_way[stack_id] -= 1
            if not self._under_way[stack_id]:
                del self._under_way[stack_id]

    async def _perform(self, effect: Effect, context: RequestContext) -> Event:
        match effect:
            case StopTraversal(stack):
                return await self._stop(stack, context)
            case SwitchTraversal():
                return await self._switch(effect, context)
            case PrepareGraph(stack):
                return await self._prepare(stack)
            case StopWorkers(stack):
                await self._stop_workers(stack, context)
                return WorkersStopped()
            case CastLeaves(stack, leaves):
                await self._cast_leaves(stack, leaves, context)
                return LeavesCast()
            case StoreStatus():
                return await self._store_status(effect, context)
            case Purge(stack):
                return await self._purge(stack)
            case RemoveCredentials(stack):
                return await self._remove_credentials(stack)

    # --- beginning -------------------------------------------------------------------------

    async def _stop(
        self, stack: StackRecord, context: RequestContext
    ) -> TraversalStopped | TraversalLost:
        stamp = self._stamp()
        moved = await self._settled(
            lambda connection: traversal_store.stop(connection, stack, stamp),
            lambda connection: _in_traversal(connection, stack, stamp.traversal_id),
        )
        if moved is None:
            return TraversalLost()
        self._tell(moved, stamp, context)
        return TraversalStopped(moved)

    async def _switch(
        self, effect: SwitchTraversal, context: RequestContext
    ) -> TraversalSwitched | TraversalLost:
        stamp = self._stamp()
        moved = await self._settled(
            lambda connection: traversal_store.switch(connection, effect, stamp),
            lambda connection: _in_traversal(connection, effect.stack, stamp.traversal_id),
        )
        if moved is None:
            return TraversalLost()
        self._tell(moved, stamp, context)
        return TraversalSwitched(moved)

    async def _prepare(
        self, stack: StackRecord
    ) -> GraphPrepared | TraversalLost | PreparationFailed:
        try:
            definition = await self._parts.definitions.for_stack(stack)
            prepared: Prepared | None = await self._settled(
                lambda connection: traversal_store.prepare(
                    connection, stack, definition, self._parts.new_uuid, self._parts.now()
                ),
                lambda connection: traversal_store.read_prepared(connection, stack),
            )
        except (HeatException, CycleError) as error:
            return PreparationFailed(str(error))
        if prepared is None or stack.current_traversal is None:
            return TraversalLost()
        self._parts.graphs.keep(stack.id, stack.current_traversal, prepared.graph)
        return GraphPrepared(prepared.leaves)

    async def _stop_workers(self, stack: StackRecord, context: RequestContext) -> None:
        """Stop those who hold rows, and wait a while: what they hold can't be deleted yet.

        Who takes a row from now on works for this traversal already, woken by one that let go.
        """
        told: set[EngineId] = set()
        held: frozenset[HeldRow] | None = None
        with trio.move_on_after(STOP_WORKERS_SECONDS):
            while True:
                found = await self._parts.database.read(
                    lambda connection: resources.held_rows(connection, stack.id)
                )
                held = found if held is None else held & found
                alive = [
                    engine
                    for engine in sorted({row.engine_id for row in held})
                    if not await self._parts.liveness.is_dead(engine)
                ]
                if not alive:
                    return
                for engine in alive:
                    if engine not in told:
                        told.add(engine)
                        await self._parts.bus.cast(cancel_cast(stack, engine, context))
                await trio.sleep(LOOK_AGAIN_SECONDS)

    async def _cast_leaves(
        self,
        stack: StackRecord,
        leaves: tuple[tuple[Node, ResourceId], ...],
        context: RequestContext,
    ) -> None:
        if stack.current_traversal is None:
            raise AssertionError("a traversal without an id has no leaves")
        # As they are stored now: an update by another user has just changed them.
        context = await acting_context(self._parts.credentials, stack, context)
        await self._parts.bus.cast_many(
            [
                self._parts.check_cast(node, stack.current_traversal, {}, context)
                for node, _ in leaves
            ]
        )

    # --- ending ----------------------------------------------------------------------------

    async def _store_status(
        self, effect: StoreStatus, context: RequestContext
    ) -> StatusStored | TraversalLost:
        stamp = self._stamp()
        stack = effect.stack
        effect = replace(effect, reason=effect.reason + await self._check_note(stack))

        def stored(connection: Connection) -> StackRecord | None:
            current = stacks.fetch(connection, stack.id, with_deps=False)
            same = current is not None and (
                current.current_traversal,
                current.status,
                current.status_reason,
            ) == (stack.current_traversal, effect.status, effect.reason)
            return current if same else None

        ended = await self._settled(
            lambda connection: traversal_store.store_status(
                connection, stack, effect.status, effect.reason, stamp
            ),
            stored,
        )
        if ended is None:
            return TraversalLost()
        self._tell(ended, stamp, context)
        log.info(
            "a stack's operation has ended",
            extra={"fields": {"stack_id": ended.id, "state": f"{ended.action}_{ended.status}"}},
        )
        return StatusStored(ended)

    async def _check_note(self, stack: StackRecord) -> str:
        """What a check adds to its reason when not every type can be checked (rules/g#3)."""
        if stack.action is not Action.CHECK:
            return ""
        definition = await self._parts.definitions.for_stack(stack)
        classes = [
            class_of(resource.type, definition, name)
            for name, resource in definition.resources.items()
        ]
        if all(cls.supports("check") for cls in classes):
            return ""
        return ". 'CHECK' not fully supported (see resources)"

    async def _purge(self, stack: StackRecord) -> Purged | TraversalLost:
        purged = await self._settled(
            lambda connection: traversal_store.purge(connection, stack) or None,
            lambda connection: _is_purged(connection, stack),
        )
        return TraversalLost() if purged is None else Purged()

    async def _remove_credentials(self, stack: StackRecord) -> CredentialsRemoved | RemovalFailed:
        await self._parts.listener.caught_up(stack)
        try:
            await self._parts.credentials.remove(stack)
        except Exception as error:
            log.exception("a deleted stack's project could not be removed")
            return RemovalFailed(f"Error deleting project: {error}")
        return CredentialsRemoved()

    # --- transactions ----------------------------------------------------------------------

    async def _settled[T](
        self,
        unit: Callable[[Connection], T | None],
        stored: Callable[[Connection], T | None] | None = None,
    ) -> T | None:
        """Run a unit; after a commit whose fate is unknown look, and repeat what isn't there.

        Without `stored` the unit is simply repeated: it may be.
        """
        while True:
            try:
                return await self._parts.database.transaction(unit)
            except CommitUnknown:
                if stored is None:
                    continue
                found = await self._parts.database.read(stored)
                if found is not None:
                    return found

    def _tell(self, stack: StackRecord, stamp: Stamp, context: RequestContext) -> None:
        """The event that was stored with the stack's new state."""
        event = stack_event(stack, uuid=stamp.event_uuid, now=stamp.now)
        self._parts.listener.stored(event, stack, context)

    def _stamp(self) -> Stamp:
        return Stamp(self._parts.now(), self._parts.new_uuid(), TraversalId(self._parts.new_uuid()))


def _in_traversal(
    connection: Connection, stack: StackRecord, traversal_id: TraversalId
) -> StackRecord | None:
    current = stacks.fetch(connection, stack.id, with_deps=False)
    if current is None or current.current_traversal != traversal_id:
        return None
    return current


def _is_purged(connection: Connection, stack: StackRecord) -> bool | None:
    traversal = stack.current_traversal or ""
    left = sync_points.fetch_for_traversal(connection, stack.id, traversal)
    return None if left else True
