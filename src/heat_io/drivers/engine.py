"""One engine's drivers, wired together, and the operations that endpoints call."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self

import trio

from heat_core.convergence import begins_again, may_begin
from heat_core.convergence.traversal import OperationRequested
from heat_core.errors import EntityNotFound, NotSupported
from heat_core.rpc import RequestContext
from heat_core.stack.ids import EngineId, StackId, TemplateId
from heat_core.stack.limits import DEFAULT_LIMITS, StackLimits
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Database, stacks
from heat_io.drivers.attributes import Attributes
from heat_io.drivers.check_messages import CHECK_RESOURCE, check_cast
from heat_io.drivers.children import ChildParts
from heat_io.drivers.definitions import Definitions, Graphs
from heat_io.drivers.handing_on import CANCEL_CHECK_RESOURCE
from heat_io.drivers.lease import Lease, Unlimited
from heat_io.drivers.legacy import LegacyStacks, refuse_legacy
from heat_io.drivers.node_driver import NodeDriver
from heat_io.drivers.node_parts import NodeParts
from heat_io.drivers.node_store import NodeWrites
from heat_io.drivers.ports import (
    Cloud,
    CredentialsSource,
    EntropySource,
    EventListener,
    Liveness,
    NewUuid,
    NobodyListens,
    Now,
)
from heat_io.drivers.procedure_driver import ProcedureDriver
from heat_io.drivers.rendezvous import Rendezvous
from heat_io.drivers.slots import Slots
from heat_io.drivers.sweeper import Sweeper, SweeperParts
from heat_io.drivers.traversal_driver import TraversalDriver, TraversalParts
from heat_io.drivers.visit_loads import VisitLoads
from heat_io.messaging import Bus, Cast, Delivery, Handler

log = logging.getLogger(__name__)

TRAVERSALS_SECONDS = 5.0
LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What an engine needs from outside."""

    engine_id: EngineId
    database: Database
    bus: Bus
    cloud: Cloud
    credentials: CredentialsSource
    liveness: Liveness
    now: Now
    new_uuid: NewUuid
    entropy: EntropySource
    lease: Lease = field(default_factory=Unlimited)
    nodes_in_flight: int = 200
    action_retry_limit: int = 5
    sweep_interval_seconds: float = 5.0
    alone: bool = True
    """no other engine can be running on the same database"""
    resume: bool = True
    """look for what engines that died have left, and go on with it"""
    may_abandon: bool = True
    """an engine of Heat's may be abandoning a stack that seems to be deleted"""
    takes_over: bool = True
    """go on with it when a visit meets it; without, such a resource has failed, as in Heat"""
    may_begin: Callable[[], bool] = lambda: True
    """whether this engine still begins anything by itself; one that is to stop does not"""
    limits: StackLimits = DEFAULT_LIMITS
    listener: EventListener = field(default_factory=NobodyListens)


class StackOperations:
    """Starts traversals for the endpoints."""

    def __init__(
        self, database: Database, traversals: TraversalDriver, legacy: LegacyStacks
    ) -> None:
        self._database = database
        self._traversals = traversals
        self._legacy = legacy

    async def begin(
        self,
        context: RequestContext,
        stack_id: StackId,
        action: Action,
        *,
        template_id: TemplateId | None = None,
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        """Store that `action` has begun and start it; returns once the store is durable.

        Another operation that is faster is no error: its traversal is the newer one. Raises
        EntityNotFound when the stack is gone, NotSupported for one that does not converge or that
        is being deleted, which can only be deleted.
        """
        before: StackRecord | None = None
        while True:
            stack = await self._database.read(
                lambda connection: stacks.fetch(connection, stack_id, with_deps=False)
            )
            if stack is None:
                raise EntityNotFound(entity="Stack", name=stack_id)
            if not stack.convergence:
                if action is not Action.DELETE:
                    refuse_legacy(stack, action)
                await self._legacy.convert(stack, context)
                continue
            if not may_begin(action, stack):
                what = "Updating" if action is Action.UPDATE else f"{action} of"
                raise NotSupported(feature=f"{what} a stack when it is deleting")
            if before is not None and not begins_again(action, before, stack):
                log.info(
                    "another operation of the stack was faster",
                    extra={"fields": {"stack_id": stack_id, "action": action}},
                )
                return
            request = OperationRequested(action, template_id, changes or {})
            if await self._traversals.begin(stack, request, context):
                return
            before = stack

    async def migrate(self, stack_id: StackId) -> None:
        """Turn a tree of stacks of the legacy engine; see LegacyStacks.migrate."""
        await self._legacy.migrate(stack_id)

    async def stop(self, context: RequestContext, stack_id: StackId) -> bool:
        """Cut the stack's running operation off: FAILED, "Stack <ACTION> cancelled".

        Resources that are in the middle of something end it (rules/i-convergence.md#10). False
        when nothing was running, or a delete, which nobody can have meant to stop.
        """
        while True:
            stack = await self._database.read(
                lambda connection: stacks.fetch(connection, stack_id, with_deps=False)
            )
            if stack is None or stack.status is not Status.IN_PROGRESS:
                return False
            if stack.action is Action.DELETE:
                return False
            refuse_legacy(stack, f"To stop the {stack.action}")
            if await self._traversals.stop(stack, context):
                return True


class Engine:
    """The drivers of one engine process. Make one with `Engine.open`."""

    def __init__(self, around: Surroundings, nursery: trio.Nursery) -> None:
        self.engine_id = around.engine_id
        self._around = around
        self._nursery = nursery
        graphs = Graphs()
        self.definitions = Definitions(around.database)
        procedures = ProcedureDriver(around.cloud, around.entropy, around.lease)
        self.attributes = Attributes(
            around.database, self.definitions, procedures, around.credentials
        )
        self.traversals = TraversalDriver(
            TraversalParts(
                database=around.database,
                bus=around.bus,
                definitions=self.definitions,
                graphs=graphs,
                credentials=around.credentials,
                liveness=around.liveness,
                new_uuid=around.new_uuid,
                now=around.now,
                check_cast=check_cast,
                listener=around.listener,
            ),
            nursery,
        )
        self.nodes = NodeDriver(
            NodeParts(
                database=around.database,
                bus=around.bus,
                engine_id=around.engine_id,
                writes=NodeWrites(
                    around.engine_id,
                    around.now,
                    around.new_uuid,
                    around.liveness.is_still_dead,
                ),
                definitions=self.definitions,
                graphs=graphs,
                loads=VisitLoads(around.database, graphs, nursery),
                attributes=self.attributes,
                procedures=procedures,
                rendezvous=Rendezvous(
                    around.database, nursery, company=max(around.nodes_in_flight * 3 // 4, 1)
                ),
                traversals=self.traversals,
                credentials=around.credentials,
                liveness=around.liveness,
                children=ChildParts(
                    around.database,
                    around.bus,
                    around.credentials,
                    around.entropy,
                    self.traversals.stop,
                    around.limits,
                ),
                slots=Slots(around.nodes_in_flight),
                now=around.now,
                retry_limit=around.action_retry_limit,
                takes_over=around.takes_over,
                listener=around.listener,
                # Nobody would find such a visit if this process ended before its claim.
                keeps_visits=lambda: around.resume and around.may_begin(),
            ),
            nursery,
        )
        legacy = LegacyStacks(
            around.database,
            around.bus,
            self.definitions,
            around.liveness,
            engine_id=around.engine_id,
            new_uuid=around.new_uuid,
        )
        self.operations = StackOperations(around.database, self.traversals, legacy)
        self._sweeping = trio.CancelScope()
        self.sweeper = Sweeper(
            SweeperParts(
                database=around.database,
                engine_id=around.engine_id,
                nodes=self.nodes,
                traversals=self.traversals,
                credentials=around.credentials,
                liveness=around.liveness,
                now=around.now,
                alone=around.alone,
                may_abandon=around.may_abandon,
            )
        )

    @classmethod
    @asynccontextmanager
    async def open(cls, around: Surroundings) -> AsyncIterator[Self]:
        """The engine's drivers, with a nursery of their own that ends with the block.

        Leaving the block cuts what is under way: the rows keep their locks, and the next engine
        goes on with them.
        """
        async with trio.open_nursery() as nursery:
            engine = cls(around, nursery)
            if around.resume:
                nursery.start_soon(engine._sweep, around.sweep_interval_seconds)
            try:
                yield engine
            finally:
                nursery.cancel_scope.cancel()

    async def _sweep(self, interval_seconds: float) -> None:
        with self._sweeping:
            await self.sweeper.run(interval_seconds)

    def begin_to_leave(self) -> None:
        """Look for nothing more to do: this engine takes no messages any more."""
        self._sweeping.cancel()

    async def hand_over(self) -> tuple[Cast, ...]:
        """Cut what doesn't end by itself; the messages that have other engines go on with it.

        To be sent once this engine has said good-bye and answers no more: until then its locks
        count as held. A request to a service that is under way is waited for, for that its answer
        is stored. The beginnings and ends of traversals have TRAVERSALS_SECONDS: what is left of
        them is found by the others' sweepers.
        """
        casts = await self.nodes.leave_off()
        with trio.move_on_after(TRAVERSALS_SECONDS):
            while self.traversals.busy:  # noqa: ASYNC110 - they end one by one
                await trio.sleep(LOOK_SECONDS)
        return casts

    @property
    def busy(self) -> int:
        """How many visits and traversals are under way in this process."""
        return self.nodes.busy + self.traversals.busy

    @property
    def worker_handlers(self) -> dict[str, Handler]:
        """The methods of the topic engine_worker."""
        return {
            CHECK_RESOURCE: self.nodes.check_resource,
            CANCEL_CHECK_RESOURCE: self._cancel_check_resource,
        }

    async def _cancel_check_resource(self, delivery: Delivery) -> None:
        await self.nodes.stop_superseded(StackId(delivery.arguments["stack_id"]))
        await delivery.acknowledge()
