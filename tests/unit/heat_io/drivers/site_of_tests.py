"""What the tests of the drivers share: stored rows, misfortunes, a cloud, a bus."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import trio
from sqlalchemy import Connection
from sqlalchemy import Engine as SqlEngine

from heat_core.convergence import (
    PREPARED,
    Node,
    encode_deps,
    entries,
    merge,
    new_sync_points,
)
from heat_core.environment import Environment
from heat_core.graph import Graph
from heat_core.rpc import Request, RequestContext, unseal
from heat_core.stack.ids import EngineId, ResourceId, StackId, TemplateId, TraversalId
from heat_core.stack.records import EventRecord, ResourceRecord, StackRecord, SyncPointRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Ambient,
    Cipher,
    Database,
    Fault,
    FaultPoint,
    InlineExecutor,
    properties_data,
    resource_data,
    resources,
    stacks,
    sync_points,
    templates,
)
from heat_io.database.schema import event as event_table
from heat_io.drivers import (
    Cloud,
    CredentialsSource,
    Engine,
    Liveness,
    NoCloud,
    NoStoredCredentials,
    OnlyEngine,
    Surroundings,
)
from heat_io.drivers.check_messages import check_cast
from heat_io.messaging import ENGINE_WORKER, InProcessBus
from heat_io.messaging.in_process import Posted

NOW = datetime(2026, 3, 1, 12)
AMBIENT = Ambient(now=lambda: NOW, random=lambda: 0.0, cipher=Cipher("k" * 32))
MINE = EngineId("engine-mine")
OTHER = EngineId("engine-other")
TRAVERSAL = TraversalId("traversal-1")
CONTEXT = RequestContext(project_id="tenant", user_id="user", request_id="req-1")
TEST = "OS::Heat::TestResource"


def a_test_resource(**properties: Any) -> dict[str, Any]:
    return {"type": TEST, "properties": properties}


class Uuids:
    """Version 4 UUIDs that count up."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def __call__(self) -> str:
        return f"{next(self._numbers):08x}-0000-4000-8000-000000000000"


class Faults:
    """A FaultHook: what goes wrong next, in order, at the points named."""

    def __init__(self) -> None:
        self._next: list[tuple[FaultPoint, bool, Fault]] = []
        self._skip = 0

    def at_commit(self, *faults: Fault) -> None:
        """The next commits end like this."""
        self._next.extend((FaultPoint.AT_COMMIT, True, fault) for fault in faults)

    def at_commit_number(self, number: int, fault: Fault) -> None:
        """The commit after so many others ends like this."""
        self._skip = number
        self.at_commit(fault)

    def before_transaction(self, fault: Fault, times: int = 1) -> None:
        self._next.extend([(FaultPoint.BEFORE_UNIT, True, fault)] * times)

    def before_read(self, fault: Fault, times: int = 1) -> None:
        self._next.extend([(FaultPoint.BEFORE_UNIT, False, fault)] * times)

    @property
    def left(self) -> int:
        return len(self._next)

    def __call__(self, point: FaultPoint, begin: bool) -> Fault | None:
        if self._next and self._next[0][:2] == (point, begin):
            if self._skip:
                self._skip -= 1
                return None
            return self._next.pop(0)[2]
        return None


class Site:
    """Makes rows and looks at them, past the drivers."""

    def __init__(self, sql: SqlEngine) -> None:
        self.sql = sql
        self.uuid = Uuids()

    def write[T](self, unit: Callable[[Connection], T]) -> T:
        with self.sql.begin() as connection:
            return unit(connection)

    def read[T](self, unit: Callable[[Connection], T]) -> T:
        with self.sql.connect() as connection:
            found = unit(connection)
            connection.rollback()
        return found

    # --- making ----------------------------------------------------------------------------

    def template(
        self,
        names: Mapping[str, Any] | None = None,
        environment: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> TemplateId:
        """A stored template with these resources."""
        document = {"heat_template_version": "2018-08-31", "resources": dict(names or {}), **more}
        stored = environment or Environment().stored()
        return self.write(lambda connection: templates.insert(connection, document, stored).id)

    def stack(self, names: Mapping[str, Any] | None = None, **fields: Any) -> StackRecord:
        """A stored stack of a template with these resources: UPDATE IN_PROGRESS in TRAVERSAL."""
        values: dict[str, Any] = {
            "id": StackId(self.uuid()),
            "name": "st",
            "tenant": "tenant",
            "action": Action.UPDATE,
            "status": Status.IN_PROGRESS,
            "status_reason": "Stack UPDATE started",
            "current_traversal": TRAVERSAL,
            "created_at": NOW,
        }
        if "raw_template_id" not in fields:
            values["raw_template_id"] = self.template(names)
        record = StackRecord(**values | fields)
        self.write(lambda connection: stacks.insert(connection, record))
        return record

    def row(self, stack: StackRecord, name: str = "a", **fields: Any) -> ResourceRecord:
        """A stored row: CREATE COMPLETE on the stack's template, free."""
        data = fields.pop("data", {})
        properties = fields.pop("properties", None)
        values: dict[str, Any] = {
            "id": ResourceId(0),
            "uuid": self.uuid(),
            "name": name,
            "stack_id": stack.id,
            "root_stack_id": stack.id,
            "action": Action.CREATE,
            "status": Status.COMPLETE,
            "status_reason": "state changed",
            "physical_id": f"physical-{name}",
            "metadata": {},
            "atomic_key": 2,
            "current_template_id": stack.raw_template_id,
            "created_at": NOW,
        }

        def unit(connection: Connection) -> ResourceRecord:
            record = ResourceRecord(**values | fields)
            if properties is not None:
                data_id = properties_data.insert(connection, properties)
                record = replace(record, properties_data_id=data_id)
            new_id = resources.insert_many(connection, [record])[record.uuid]
            resource_data.set_many(connection, new_id, data)
            found = resources.fetch(connection, new_id, with_properties=True, with_data=True)
            assert found is not None
            return found

        return self.write(unit)

    def graph(
        self,
        stack: StackRecord,
        edges: Iterable[tuple[Node, Node | None]],
        *,
        mark: Mapping[str, Any] | None = None,
    ) -> Graph[Node]:
        """The stored graph of the stack's traversal, with its sync points."""
        graph = Graph.from_edges(edges)
        traversal = stack.current_traversal
        assert traversal is not None
        marked = {"action": stack.action.value, PREPARED: True} if mark is None else mark

        def unit(connection: Connection) -> None:
            stacks.update(connection, stack.id, {"current_deps": encode_deps(graph)})
            points = new_sync_points(stack.id, traversal, graph, marked)
            sync_points.insert_many(connection, list(points))

        self.write(unit)
        return graph

    def arrived(self, stack: StackRecord, receiver: Node | None, sender: Node, value: Any) -> None:
        """An entry that is at a sync point already."""
        point = self.point(stack, receiver)
        assert point is not None
        merged = merge(point.input_data, [(sender, value)], [])
        self.write(
            lambda connection: sync_points.update_if(
                connection,
                point.entity_id,
                point.traversal_id,
                point.is_update,
                atomic_key=point.atomic_key,
                input_data=merged.input_data,
            )
        )

    # --- looking ---------------------------------------------------------------------------

    def point(self, stack: StackRecord, receiver: Node | None) -> SyncPointRecord | None:
        """The sync point of a node, or of the stack."""
        entity = stack.id if receiver is None else receiver.entity
        is_update = True if receiver is None else receiver.is_update
        traversal = stack.current_traversal or ""
        return self.read(lambda c: sync_points.fetch(c, entity, traversal, is_update))

    def points(self, stack: StackRecord) -> list[SyncPointRecord]:
        traversal = stack.current_traversal or ""
        return self.read(lambda c: sync_points.fetch_for_traversal(c, stack.id, traversal))

    def entries(self, stack: StackRecord, receiver: Node | None) -> dict[str, Any]:
        point = self.point(stack, receiver)
        assert point is not None, "the sync point is gone"
        return entries(point.input_data)

    def stored_stack(self, stack: StackRecord) -> StackRecord:
        found = self.read(lambda c: stacks.fetch(c, stack.id, show_deleted=True))
        assert found is not None
        return found

    def stored(self, row: ResourceRecord | ResourceId) -> ResourceRecord | None:
        row_id = row.id if isinstance(row, ResourceRecord) else row
        return self.read(lambda c: resources.fetch(c, row_id, with_properties=True, with_data=True))

    def rows(self, stack: StackRecord) -> list[ResourceRecord]:
        return self.read(
            lambda c: resources.fetch_by_stack(c, stack.id, with_properties=True, with_data=True)
        )

    def events(self, stack: StackRecord) -> list[EventRecord]:
        """Events in the order in which they were written."""

        def unit(connection: Connection) -> list[EventRecord]:
            query = event_table.select().where(event_table.c.stack_id == stack.id)
            return [
                EventRecord(
                    uuid=row.uuid,
                    stack_id=row.stack_id,
                    resource_action=row.resource_action,
                    resource_status=row.resource_status,
                    resource_name=row.resource_name,
                    physical_resource_id=row.physical_resource_id,
                    resource_status_reason=row.resource_status_reason,
                    resource_type=row.resource_type,
                    properties_data_id=row.rsrc_prop_data_id,
                    created_at=row.created_at,
                )
                for row in connection.execute(query.order_by(event_table.c.id))
            ]

        return self.read(unit)


# --- an engine ---------------------------------------------------------------------------------


class AllAlive:
    """Liveness where every engine is alive."""

    async def is_dead(self, engine_id: EngineId) -> bool:
        await trio.lowlevel.checkpoint()
        return False

    def is_still_dead(self, connection: Connection, engine_id: EngineId) -> bool:
        return False


class WatchedExecutor:
    """An executor that tells when a transaction has ended, before anybody else goes on."""

    def __init__(self, executor: InlineExecutor, watch: Callable[[], None]) -> None:
        self._executor = executor
        self._watch = watch
        self.max_lanes = executor.max_lanes
        self.engines = executor.engines

    async def run[T](
        self, unit: Callable[[Connection], T], *, begin: bool, settle: bool = False
    ) -> T:
        def watched(connection: Connection) -> T:
            return unit(connection)

        try:
            return await self._executor.run(watched, begin=begin, settle=settle)
        finally:
            if begin:
                self._watch()

    async def aclose(self) -> None:
        await self._executor.aclose()


@dataclass
class Running:
    """One engine with all that is around it."""

    site: Site
    database: Database
    bus: InProcessBus
    engine: Engine
    messages: list[Posted]

    async def begin(self, stack: StackRecord, action: Action, **more: Any) -> None:
        await self.engine.operations.begin(CONTEXT, stack.id, action, **more)

    async def ended(self, stack: StackRecord, *, seconds: float = 600) -> StackRecord:
        """Wait until the stack's operation has ended and nothing of its traversal is left."""
        with trio.fail_after(seconds):
            while True:
                await trio.sleep(0.25)
                found = self.site.stored_stack(stack)
                if found.status is not Status.IN_PROGRESS and not self.site.points(found):
                    return found

    def casts(self, method: str) -> list[Mapping[str, Any]]:
        """The arguments of the casts of that method so far."""
        return [
            Request.from_payload(unseal(message.body)).arguments
            for message in self.messages
            if message.method == method
        ]

    def contexts(self, method: str) -> list[RequestContext]:
        """In whose name those casts were."""
        return [
            Request.from_payload(unseal(message.body)).context
            for message in self.messages
            if message.method == method
        ]


@asynccontextmanager
async def an_engine(
    site: Site,
    *,
    cloud: Cloud | None = None,
    credentials: CredentialsSource | None = None,
    liveness: Liveness | None = None,
    faults: Faults | None = None,
    watch: Callable[[], None] = lambda: None,
    engine_id: EngineId = MINE,
    **more: Any,
) -> AsyncIterator[Running]:
    """An engine that serves its topic, on the site's database and with virtual time."""
    messages: list[Posted] = []

    def route(message: Posted, deliver: Callable[[Posted], None]) -> None:
        messages.append(message)
        deliver(message)

    ids = itertools.count(1)
    bus = InProcessBus(router=route, new_id=lambda: f"{next(ids):032x}")
    executor = WatchedExecutor(InlineExecutor(site.sql, hook=faults), watch)
    ambient = replace(AMBIENT, now=now)
    async with Database.over(executor, surroundings=ambient) as database:
        around = Surroundings(
            engine_id=engine_id,
            database=database,
            bus=bus,
            cloud=cloud or NoCloud(),
            credentials=credentials or NoStoredCredentials(),
            liveness=liveness or OnlyEngine(engine_id),
            now=now,
            new_uuid=site.uuid,
            entropy=lambda size: bytes(size),
            **{"resume": False} | more,
        )
        async with Engine.open(around) as engine, trio.open_nursery() as serving:
            await serving.start(
                bus.serve,
                ENGINE_WORKER.topic,
                engine_id,
                ENGINE_WORKER.version,
                engine.worker_handlers,
            )
            yield Running(site, database, bus, engine, messages)
            serving.cancel_scope.cancel()


def now() -> datetime:
    """The virtual wall clock."""
    return NOW + timedelta(seconds=trio.current_time())


SLOW = a_test_resource(action_wait_secs={"create": 10, "update": 10})
PROJECT = {"type": "OS::Keystone::Project"}
INIT = {
    "action": Action.INIT,
    "atomic_key": None,
    "physical_id": None,
    "metadata": None,
    "status_reason": "",
}


@dataclass
class Message:
    """A delivery that notes when it was acknowledged."""

    arguments: Mapping[str, Any]
    method: str = "check_resource"
    context: RequestContext = CONTEXT
    unique_id: str = "1"
    at: list[float] = field(default_factory=list)

    async def acknowledge(self) -> None:
        await trio.lowlevel.checkpoint()
        self.at.append(trio.current_time())


def message(node: Node, traversal: TraversalId = TRAVERSAL) -> Message:
    return Message(check_cast(node, traversal, {}, CONTEXT).arguments)


def only(site: Site, **fields: Any) -> tuple[StackRecord, ResourceRecord, Node]:
    """A stack in the middle of a traversal with one node, whose row is INIT."""
    definition = fields.pop("definition", SLOW)
    stack = site.stack({"a": definition}, **fields)
    row = site.row(stack, **INIT)
    node = Node(row.id, True)
    site.graph(stack, [(node, None)])
    return stack, row, node
