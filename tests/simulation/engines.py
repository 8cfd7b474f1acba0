"""Simulated engine processes: the production engine over ports that die with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import trio
from sqlalchemy import Connection

from heat_core.errors import EntityNotFound, StackExists
from heat_core.procedure import HttpCall
from heat_core.rpc import RequestContext
from heat_core.stack import HeatIdentifier
from heat_core.stack.ids import EngineId, StackId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Ambient,
    CommitUnknown,
    Database,
    Fault,
    FaultPoint,
    Killed,
    nesting,
    stacks,
)
from heat_io.database.lanes import LanesClosed
from heat_io.drivers import Engine, NoStoredCredentials, Surroundings
from heat_io.messaging import ENGINE, ENGINE_WORKER, Cast, Delivery, Target
from tests.simulation.ledger import Change
from tests.simulation.storage import Executor
from tests.simulation.world import World

TENANT = "0123456789abcdef0123456789abcdef"
CONTEXT = RequestContext(
    project_id=TENANT,
    user_id="user",
    request_id="req-simulation",
    auth_token="a token",
    roles=("member",),
)
SWEEP_SECONDS = 5.0


async def keep_alive(world: World, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
    """Run one engine after the other: a killed one is followed by a new one."""
    while True:
        await Incarnation(world).live(task_status)
        task_status = trio.TASK_STATUS_IGNORED
        long = world.random.random() < 0.05
        await trio.sleep(world.random.random() * (120 if long else 2))


class Incarnation:
    """One engine process from its start to its death. A dead one has no effect on anything."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.engine_id = EngineId(world.uuid())
        self.dead = False
        self.engine: Engine | None = None
        self.database: Database | None = None
        self.doing: Counter[str] = Counter()
        """effects under way"""
        self._skew = timedelta()
        self._reaches_others_at = 0.0

    async def live(self, task_status: Any) -> None:
        """Run until killed."""
        world = self.world
        executor = _Counted(self)
        try:
            async with Database.over(
                executor, surroundings=Ambient(now=self.now, random=world.random.random)
            ) as database:
                self.database = database
                around = Surroundings(
                    engine_id=self.engine_id,
                    database=database,
                    bus=_MortalBus(self),
                    cloud=_MortalCloud(self),
                    credentials=_Credentials(self),
                    liveness=self,
                    lease=self,
                    now=self.now,
                    new_uuid=world.uuid,
                    entropy=world.random.randbytes,
                    nodes_in_flight=8,
                    action_retry_limit=2,
                    sweep_interval_seconds=SWEEP_SECONDS,
                    alone=world.alone,
                    takes_over=world.takes_over,
                )
                async with Engine.open(around) as engine, trio.open_nursery() as nursery:
                    self.engine = engine
                    world.living[self.engine_id] = self
                    for topic, handlers in (
                        (ENGINE_WORKER, engine.worker_handlers),
                        (ENGINE, Endpoints(self, database, engine).handlers),
                    ):
                        nursery.start_soon(
                            world.bus.serve, topic.topic, self.engine_id, topic.version, handlers
                        )
                    task_status.started()
                    await trio.sleep_forever()
        except* (Killed, LanesClosed):
            # The lanes turn away whoever still waits in a dead process.
            pass
        finally:
            self.die()

    def die(self) -> None:
        if not self.dead and self.engine is not None:
            self.world.counts.resumed += self.engine.sweeper.resumed
            self.engine.sweeper.resumed = 0
        self.dead = True
        self.world.living.pop(self.engine_id, None)

    async def is_dead(self, engine_id: EngineId) -> bool:
        """Liveness, as a lease would tell it."""
        await trio.lowlevel.checkpoint()
        return not self.world.is_trusted(engine_id)

    def is_still_dead(self, connection: Connection, engine_id: EngineId) -> bool:
        return engine_id == self.engine_id or not self.world.is_trusted(engine_id)

    @property
    def is_cut_off(self) -> bool:
        """Whether it reaches nobody: then others take it for dead."""
        return trio.current_time() < self._reaches_others_at

    def is_held(self) -> bool:
        """The lease: an engine that is cut off asks no service to change anything."""
        return not self.is_cut_off

    async def wait(self) -> None:
        """Until the lease is held again."""
        await trio.lowlevel.checkpoint()
        await trio.sleep_until(self._reaches_others_at)

    def now(self) -> datetime:
        """This machine's clock, which may be set anew at any time."""
        world = self.world
        if world.fate.chance("clock_jump"):
            self._skew = timedelta(seconds=world.random.choice([-90, -20, -3, 0, 3, 20, 90]))
        return world.now() + self._skew

    def maybe_die(self) -> None:
        """An occasion for the process to be killed."""
        if self.dead:
            raise Killed
        if self.world.fate.kills():
            self._killed()
            raise Killed

    def _killed(self) -> None:
        self.world.counts.cut.update(name for name, times in self.doing.items() if times)
        self.die()

    def fault(self, point: FaultPoint, begin: bool) -> Fault | None:
        """What goes wrong with a unit of work."""
        if self.dead:
            return Fault.KILL
        fate, rng = self.world.fate, self.world.random
        at_commit = point is FaultPoint.AT_COMMIT
        if fate.kills():
            self._killed()
            return Fault.KILL_AFTER_COMMIT if at_commit and rng.random() < 0.5 else Fault.KILL
        if self.is_cut_off:
            return Fault.LOST
        if not self.world.alone and not at_commit and fate.chance("cut_off"):
            self._reaches_others_at = trio.current_time() + rng.choice([8, 15, 40])
            return Fault.LOST
        if begin and fate.chance("conflict"):
            return Fault.CONFLICT
        if fate.chance("lost_connection"):
            return rng.choice([Fault.LOST, Fault.LOST_AFTER_COMMIT]) if at_commit else Fault.LOST
        return None


class _Counted(Executor):
    """The executor of one incarnation: counts, and has each commit checked."""

    def __init__(self, incarnation: Incarnation) -> None:
        super().__init__(incarnation.world.storage, incarnation.fault, self._committed)
        self._incarnation = incarnation

    async def run[T](
        self, unit: Callable[[Connection], T], *, begin: bool, settle: bool = False
    ) -> T:
        self._incarnation.world.count_unit()
        return await super().run(unit, begin=begin, settle=settle)

    def _committed(self, changes: list[Change]) -> None:
        self._incarnation.world.committed(self._incarnation.engine_id, changes)


class _MortalBus:
    """The bus as one incarnation uses it: each cast is an occasion to die, before and after."""

    def __init__(self, incarnation: Incarnation) -> None:
        self._incarnation = incarnation
        self._bus = incarnation.world.bus

    async def call(
        self,
        target: Target,
        method: str,
        arguments: Mapping[str, Any],
        context: RequestContext,
        *,
        timeout_seconds: float | None = None,
    ) -> Any:
        self._incarnation.maybe_die()
        answer = await self._bus.call(
            target, method, arguments, context, timeout_seconds=timeout_seconds
        )
        self._incarnation.maybe_die()
        return answer

    async def cast(self, cast: Cast) -> None:
        await self.cast_many([cast])

    async def cast_many(self, casts: Sequence[Cast]) -> None:
        for cast in casts:
            self._incarnation.maybe_die()
            await self._bus.cast(cast)
        self._incarnation.maybe_die()


class _MortalCloud:
    """The cloud as one incarnation sees it: it may die before a request or before its answer."""

    def __init__(self, incarnation: Incarnation) -> None:
        self._incarnation = incarnation
        self._cloud = incarnation.world.cloud

    async def send(self, credentials: Any, call: HttpCall) -> Any:
        answer = await self._cloud.send(credentials, call, self._incarnation.maybe_die)
        self._incarnation.maybe_die()
        return answer

    def poll_delay(self, service: str | None, attempt: int, hint_seconds: float | None) -> float:
        return self._cloud.poll_delay(service, attempt, hint_seconds)


class _Credentials(NoStoredCredentials):
    """Stacks have none stored; to remove what a deleted one has in Keystone may fail."""

    def __init__(self, incarnation: Incarnation) -> None:
        self._incarnation = incarnation

    async def remove(self, stack: StackRecord) -> None:
        await super().remove(stack)
        self._incarnation.maybe_die()
        if self._incarnation.world.fate.chance("credentials"):
            raise RuntimeError("simulated")


class Endpoints:
    """What one engine asks another to do with nested stacks, without the checks of a request."""

    def __init__(self, incarnation: Incarnation, database: Database, engine: Engine) -> None:
        self._incarnation = incarnation
        self._database = database
        self._operations = engine.operations
        self.handlers = {
            "create_stack": self._create,
            "update_stack": self._update,
            "delete_stack": self._delete,
            "stack_check": self._check,
        }

    async def _create(self, delivery: Delivery) -> dict[str, str]:
        world, asked = self._incarnation.world, delivery.arguments
        record = StackRecord(
            id=StackId(world.uuid()),
            name=asked["stack_name"],
            tenant=TENANT,
            raw_template_id=asked["template_id"],
            action=Action.CREATE,
            status=Status.IN_PROGRESS,
            status_reason="Stack CREATE started",
            owner_id=asked["owner_id"],
            timeout=asked["args"].get("timeout_mins"),
            nested_depth=asked["nested_depth"],
            parent_resource_name=asked["parent_resource_name"],
            current_traversal=TraversalId(world.uuid()),
            created_at=self._incarnation.now(),
        )

        def unit(connection: Connection) -> bool:
            if not nesting.is_awaited(connection, record):
                raise EntityNotFound(entity="Resource", name=record.parent_resource_name)
            if stacks.fetch_by_name(connection, TENANT, record.name) is not None:
                return False
            stacks.insert(connection, record)
            return True

        if not await self._inserted(unit, record.id):
            raise StackExists(stack_name=record.name)
        world.counts.depth = max(world.counts.depth, record.nested_depth)
        await self._operations.begin(CONTEXT, record.id, Action.CREATE)
        return HeatIdentifier(TENANT, record.name, record.id).to_dict()

    async def _inserted(self, unit: Callable[[Connection], bool], stack_id: StackId) -> bool:
        while True:
            try:
                return await self._database.transaction(unit)
            except CommitUnknown:
                if await self._database.read(
                    lambda connection: stacks.fetch(connection, stack_id) is not None
                ):
                    return True

    async def _update(self, delivery: Delivery) -> None:
        asked = delivery.arguments
        await self._operations.begin(
            CONTEXT,
            _stack_id(delivery),
            Action.UPDATE,
            template_id=asked["template_id"],
            changes={"timeout": asked["args"].get("timeout_mins")},
        )

    async def _delete(self, delivery: Delivery) -> None:
        await self._operations.begin(CONTEXT, _stack_id(delivery), Action.DELETE)

    async def _check(self, delivery: Delivery) -> None:
        await self._operations.begin(CONTEXT, _stack_id(delivery), Action.CHECK)


def _stack_id(delivery: Delivery) -> StackId:
    return StackId(delivery.arguments["stack_identity"]["stack_id"])
