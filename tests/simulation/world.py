"""A whole deployment in one thread: the production drivers over a fake database, bus and cloud.

Time is virtual, scheduling is seeded, and every fault comes from the seed, so a seed that breaks
something breaks it again.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import trio
from sqlalchemy import Connection
from sqlalchemy import Engine as SqlEngine

from heat_core.environment import Environment
from heat_core.errors import NotSupported, StackExists
from heat_core.procedure import HttpCall, ServiceError
from heat_core.rpc import RequestContext
from heat_core.stack import HeatIdentifier
from heat_core.stack.ids import EngineId, StackId, TemplateId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Ambient,
    Cipher,
    Database,
    Fault,
    FaultPoint,
    InlineExecutor,
    Killed,
    memory_engine,
    stacks,
    templates,
)
from heat_io.database.lanes import LanesClosed
from heat_io.drivers import Engine, NoStoredCredentials, Surroundings
from heat_io.drivers.check_messages import CHECK_RESOURCE
from heat_io.messaging import ENGINE, ENGINE_WORKER, Cast, Delivery, InProcessBus, Target
from heat_io.messaging.in_process import Deliver, Posted
from tests.simulation.cloud import FakeCloud
from tests.simulation.invariants import Invariants, Violated

UNITS_LIMIT = 30_000
"""far more than any run needs, reads included"""

KILLS_LIMIT = 30

EPOCH = datetime(2026, 1, 1)
TENANT = "0123456789abcdef0123456789abcdef"
CONTEXT = RequestContext(project_id=TENANT, user_id="user", request_id="req-simulation")


@dataclass(frozen=True)
class Faults:
    """How likely each misfortune is, at each occasion."""

    kill: float = 0.0
    conflict: float = 0.0
    lost_connection: float = 0.0
    lost_message: float = 0.0
    duplicate: float = 0.0
    delay: float = 0.0
    refused: float = 0.0
    lost_answer: float = 0.0


@dataclass
class Counts:
    """What a run went through."""

    nodes: int = 0
    """resources of the first template"""
    kills: int = 0
    faults: int = 0
    duplicates: int = 0
    supersedes: int = 0
    units: int = 0
    transactions: int = 0
    resumed: int = 0
    """what sweepers found owed and gave"""
    effects: dict[str, int] = field(default_factory=dict)

    def hit(self, name: str) -> None:
        self.effects[name] = self.effects.get(name, 0) + 1


class World:
    """Database, broker and cloud; engines come and go."""

    def __init__(self, seed: int, faults: Faults) -> None:
        self.random = random.Random(seed)
        self.faults = faults
        self.counts = Counts()
        self.quiet = False
        """no more faults: everything must come to an end now"""
        ambient = Ambient(now=self.now, random=self.random.random, cipher=Cipher("a" * 32))
        self.sql: SqlEngine = memory_engine(ambient)
        self.cloud = FakeCloud(
            new_id=lambda: self.uuid().replace("-", ""),
            latency=lambda: self.random.random() * 0.2,
            fault=self._cloud_fault,
        )
        self.bus = InProcessBus(router=self._route, new_id=lambda: self.uuid().replace("-", ""))
        self.living: dict[EngineId, Incarnation] = {}
        self.invariants = Invariants(self.sql, self.cloud, lambda: set(self.living))
        self.violation: Violated | None = None
        self.violated = trio.Event()
        self._router_scope: trio.Nursery | None = None

    def check(self) -> None:
        """Check the invariants; the first violation ends the run, whoever catches it below."""
        if self.violation is not None:
            return
        try:
            if self.counts.units > UNITS_LIMIT:
                raise Violated(f"more than {UNITS_LIMIT} units of work: something goes in circles")
            self.invariants.check()
        except Violated as violation:
            self.violation = violation
            self.violated.set()

    async def stop_when_violated(self) -> None:
        await self.violated.wait()
        assert self.violation is not None
        raise self.violation

    def now(self) -> datetime:
        return EPOCH + timedelta(seconds=trio.current_time())

    def uuid(self) -> str:
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def chance(self, probability: float) -> bool:
        return not self.quiet and self.random.random() < probability

    # --- faults ----------------------------------------------------------------------------

    def _cloud_fault(self, when: str, call: HttpCall) -> None:
        if not call.mutating:
            return
        lost = when == "after" and self.chance(self.faults.lost_answer)
        refused = when == "before" and self.chance(self.faults.refused)
        if lost or refused:
            self.counts.faults += 1
            status = 0 if lost else 500
            raise ServiceError(
                call.service,
                status,
                "simulated",
                error_class="ConnectFailure",
                text="simulated",
                maybe_done=lost,
            )

    def _route(self, message: Posted, deliver: Deliver) -> None:
        """A broker in trouble: late, twice, or never (a lost cast is found by the sweeper)."""
        if message.target is None or message.is_call:
            deliver(message)
            return
        if message.method == CHECK_RESOURCE and self.chance(self.faults.lost_message):
            self.counts.faults += 1
            return
        copies = 1
        if self.chance(self.faults.duplicate):
            copies = 2
            self.counts.duplicates += 1
        for copy in range(copies):
            sent = message if copy == 0 else _again(message, self.uuid().replace("-", ""))
            if self._router_scope is not None and self.chance(self.faults.delay):
                self._router_scope.start_soon(self._later, sent, deliver)
            else:
                deliver(sent)

    async def _later(self, message: Posted, deliver: Deliver) -> None:
        await trio.sleep(self.random.random() * 3)
        deliver(message)

    # --- engines ---------------------------------------------------------------------------

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        with self.sql.connect() as connection:
            from heat_io.database import upgrade

            upgrade(connection)
            connection.commit()
        try:
            async with trio.open_nursery() as nursery:
                self._router_scope = nursery
                nursery.start_soon(self.stop_when_violated)
                yield
                nursery.cancel_scope.cancel()
        finally:
            self.sql.dispose()

    async def keep_engine_alive(self, task_status: Any = trio.TASK_STATUS_IGNORED) -> None:
        """Run one engine after the other: a killed one is followed by a new one."""
        while True:
            incarnation = Incarnation(self)
            await incarnation.live(task_status)
            task_status = trio.TASK_STATUS_IGNORED
            self.counts.kills += 1
            await trio.sleep(self.random.random() * 2)

    def any_engine(self) -> Incarnation | None:
        alive = sorted(self.living)
        return self.living[self.random.choice(alive)] if alive else None


def _again(message: Posted, unique_id: str) -> Posted:
    from dataclasses import replace

    return replace(
        message, body=message.body.replace(message.unique_id, unique_id), unique_id=unique_id
    )


class Incarnation:
    """One engine process from its start to its death. A dead one has no effect on anything."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.engine_id = EngineId(world.uuid())
        self.dead = False
        self.engine: Engine | None = None

    async def live(self, task_status: Any) -> None:
        """Run until killed."""
        world = self.world
        executor = InlineExecutor(world.sql, hook=self._hook)
        try:
            async with Database.over(
                _Checked(executor, self),
                surroundings=Ambient(now=world.now, random=world.random.random),
            ) as database:
                around = Surroundings(
                    engine_id=self.engine_id,
                    database=database,
                    bus=_MortalBus(self),
                    cloud=_MortalCloud(self),
                    credentials=NoStoredCredentials(),
                    liveness=self,
                    now=world.now,
                    new_uuid=world.uuid,
                    entropy=world.random.randbytes,
                    nodes_in_flight=8,
                    sweep_interval_seconds=5.0,
                )
                async with Engine.open(around) as engine, trio.open_nursery() as nursery:
                    self.engine = engine
                    world.living[self.engine_id] = self
                    nursery.start_soon(
                        world.bus.serve,
                        ENGINE_WORKER.topic,
                        self.engine_id,
                        ENGINE_WORKER.version,
                        engine.worker_handlers,
                    )
                    nursery.start_soon(
                        world.bus.serve,
                        ENGINE.topic,
                        self.engine_id,
                        ENGINE.version,
                        Endpoints(self, database, engine).handlers,
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
        self.dead = True
        self.world.living.pop(self.engine_id, None)

    async def is_dead(self, engine_id: EngineId) -> bool:
        """Liveness, as a lease would tell it."""
        await trio.lowlevel.checkpoint()
        return engine_id not in self.world.living

    def maybe_die(self) -> None:
        """An occasion for the process to be killed."""
        if self.dead:
            raise Killed
        if self._is_its_hour():
            self.die()
            raise Killed

    def _is_its_hour(self) -> bool:
        """Whether to be killed now. Not without end: a stack must have time to come to its own."""
        world = self.world
        return world.counts.kills < KILLS_LIMIT and world.chance(world.faults.kill)

    def _hook(self, point: FaultPoint, begin: bool) -> Fault | None:
        if self.dead:
            return Fault.KILL
        faults = self.world.faults
        if self._is_its_hour():
            self.die()
            late = point is FaultPoint.AT_COMMIT and self.world.random.random() < 0.5
            return Fault.KILL_AFTER_COMMIT if late else Fault.KILL
        if begin and self.world.chance(faults.conflict):
            self.world.counts.faults += 1
            return Fault.CONFLICT
        if point is FaultPoint.AT_COMMIT and self.world.chance(faults.lost_connection):
            self.world.counts.faults += 1
            return self.world.random.choice([Fault.LOST, Fault.LOST_AFTER_COMMIT])
        return None


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
            "stack_cancel_update": self._cancel,
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
            owner_id=asked["owner_id"],
            nested_depth=asked["nested_depth"],
            parent_resource_name=asked["parent_resource_name"],
            current_traversal=TraversalId(world.uuid()),
            created_at=world.now(),
        )

        def unit(connection: Connection) -> bool:
            if stacks.fetch_by_name(connection, TENANT, record.name) is not None:
                return False
            stacks.insert(connection, record)
            return True

        if not await self._database.transaction(unit):
            raise StackExists(stack_name=record.name)
        await self._operations.begin(CONTEXT, record.id, Action.CREATE)
        return HeatIdentifier(TENANT, record.name, record.id).to_dict()

    async def _update(self, delivery: Delivery) -> None:
        asked = delivery.arguments
        await self._operations.begin(
            CONTEXT,
            StackId(asked["stack_identity"]["stack_id"]),
            Action.UPDATE,
            template_id=asked["template_id"],
        )

    async def _delete(self, delivery: Delivery) -> None:
        stack_id = StackId(delivery.arguments["stack_identity"]["stack_id"])
        await self._operations.begin(CONTEXT, stack_id, Action.DELETE)

    async def _check(self, delivery: Delivery) -> None:
        stack_id = StackId(delivery.arguments["stack_identity"]["stack_id"])
        await self._operations.begin(CONTEXT, stack_id, Action.CHECK)

    async def _cancel(self, delivery: Delivery) -> None:
        stack_id = StackId(delivery.arguments["stack_identity"]["stack_id"])
        stack = await self._database.read(
            lambda connection: stacks.fetch(connection, stack_id, with_deps=False)
        )
        if stack is None or stack.action not in (Action.CREATE, Action.UPDATE):
            raise NotSupported(feature="Cancelling update")
        await self._operations.stop(CONTEXT, stack_id)


class _Checked:
    """An executor that checks the invariants after every transaction."""

    def __init__(self, executor: InlineExecutor, incarnation: Incarnation) -> None:
        self._executor = executor
        self._incarnation = incarnation
        self.max_lanes = executor.max_lanes
        self.engines = executor.engines

    async def run(
        self, unit: Callable[[Connection], Any], *, begin: bool, settle: bool = False
    ) -> Any:
        world = self._incarnation.world
        world.counts.units += 1
        try:
            return await self._executor.run(unit, begin=begin, settle=settle)
        finally:
            if begin:
                world.counts.transactions += 1
            if begin or world.counts.units > UNITS_LIMIT:
                world.check()

    async def aclose(self) -> None:
        await self._executor.aclose()


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
        return await self._bus.call(
            target, method, arguments, context, timeout_seconds=timeout_seconds
        )

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


class User:
    """Somebody with one stack, who repeats a request until it is accepted."""

    def __init__(self, world: World, name: str, *, disable_rollback: bool = True) -> None:
        self.world = world
        self.stack_id = StackId(world.uuid())
        self.name = name
        self.disable_rollback = disable_rollback

    async def create(self, document: Mapping[str, Any]) -> None:
        """What the endpoint of create_stack does: the row first, then the traversal."""
        with self.world.sql.begin() as connection:
            record = _store(connection, document)
            stacks.insert(
                connection,
                StackRecord(
                    id=self.stack_id,
                    name=self.name,
                    tenant=TENANT,
                    raw_template_id=record,
                    action=Action.CREATE,
                    status=Status.IN_PROGRESS,
                    status_reason="Stack CREATE started",
                    disable_rollback=self.disable_rollback,
                    current_traversal=TraversalId(self.world.uuid()),
                    created_at=self.world.now(),
                ),
            )
        await self._request(Action.CREATE, None)

    async def update(self, document: Mapping[str, Any]) -> None:
        with self.world.sql.begin() as connection:
            template_id = _store(connection, document)
        await self._request(Action.UPDATE, template_id)

    async def delete(self) -> None:
        await self._request(Action.DELETE, None)

    async def check(self) -> None:
        await self._request(Action.CHECK, None)

    async def cancel(self, *, rollback: bool) -> None:
        """Cancel a running update; nobody repeats that, it may come too late."""
        record = self.record()
        incarnation = self.world.any_engine()
        if (
            record is None
            or (record.action, record.status) != (Action.UPDATE, Status.IN_PROGRESS)
            or incarnation is None
            or incarnation.engine is None
        ):
            return
        operations = incarnation.engine.operations
        with trio.move_on_after(30):
            try:
                if rollback:
                    await operations.begin(CONTEXT, self.stack_id, Action.ROLLBACK)
                else:
                    await operations.stop(CONTEXT, self.stack_id)
            except (Killed, Exception):
                return

    async def _request(self, action: Action, template_id: TemplateId | None) -> None:
        before = self.traversal()
        while True:
            incarnation = self.world.any_engine()
            if incarnation is None or incarnation.engine is None:
                await trio.sleep(0.5)
                continue
            accepted = False
            with trio.move_on_after(30), suppress(Killed, Exception):
                await incarnation.engine.operations.begin(
                    CONTEXT, self.stack_id, action, template_id=template_id
                )
                accepted = True
            record = self.record()
            if accepted or record is None or action is Action.CREATE:
                return
            if record.current_traversal != before and record.action is action:
                return
            await trio.sleep(0.5)

    def record(self) -> StackRecord | None:
        with self.world.sql.connect() as connection:
            found = stacks.fetch(connection, self.stack_id, with_deps=False)
            connection.rollback()
        return found

    def traversal(self) -> str | None:
        record = self.record()
        return None if record is None else record.current_traversal

    async def settled(self, *, seconds: float = 3600) -> StackRecord | None:
        """Wait until the stack has come to an end and nothing of the traversal is left."""
        with trio.fail_after(seconds):
            while True:
                record = self.record()
                if record is None or (
                    record.status is not Status.IN_PROGRESS
                    and not self.world.invariants.unfinished(self.stack_id)
                ):
                    return record
                await trio.sleep(1)


def _store(connection: Connection, document: Mapping[str, Any]) -> TemplateId:
    """The template; nested templates of its own stand under `files`, as a request has them."""
    files = document.get("files") or {}
    plain = {key: value for key, value in document.items() if key != "files"}
    return templates.insert(connection, plain, Environment().stored(), files).id
