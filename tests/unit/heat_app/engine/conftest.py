"""An engine over a database in memory, with operations that only note what was begun."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import pytest
import trio
from sqlalchemy import Connection

from heat_app.engine import (
    CallersProcedures,
    DefinitionValidator,
    EngineService,
    EngineSettings,
    Parts,
    serve,
)
from heat_core.rpc import ENGINE_METHODS, RequestContext
from heat_core.stack import (
    Action,
    EngineId,
    NodeData,
    ResourceRecord,
    StackDefinition,
    StackId,
    StackRecord,
    Status,
    TemplateId,
)
from heat_core.stack.naming import physical_resource_name
from heat_core.stack.node_data import AttributeKey
from heat_io.database import (
    Ambient,
    Cipher,
    Database,
    InlineExecutor,
    memory_engine,
    resources,
    stacks,
)
from heat_io.database.schema import metadata
from heat_io.drivers import Engine, NoCloud, NoStoredCredentials, OnlyEngine, Surroundings
from heat_io.drivers.definitions import Definitions
from heat_io.drivers.procedure_driver import ProcedureDriver
from heat_io.messaging import InProcessBus, Target

TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "parameters": {
        "p": {"type": "string", "default": "one"},
        "h": {"type": "string", "hidden": True, "default": "secret"},
    },
    "resources": {
        "a": {"type": "OS::Heat::TestResource", "properties": {"value": {"get_param": "p"}}},
        "b": {
            "type": "OS::Heat::TestResource",
            "properties": {"value": {"get_attr": ["a", "output"]}},
        },
    },
    "outputs": {"o": {"value": {"get_attr": ["a", "output"]}}},
}


class Clock:
    """Goes on by a second at each reading, so that rows have an order."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 29, 14, 0, 0)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


@dataclass
class Begun:
    """One call of StackOperations.begin."""

    stack_id: StackId
    action: Action
    template_id: TemplateId | None
    changes: dict[str, Any]


@dataclass
class Operations:
    """Stores what a traversal's beginning stores of the stack, and nothing else."""

    database: Database
    begun: list[Begun] = field(default_factory=list)
    stopped: list[StackId] = field(default_factory=list)
    migrated: list[StackId] = field(default_factory=list)

    async def migrate(self, stack_id: StackId) -> None:
        self.migrated.append(stack_id)

    async def begin(
        self,
        context: RequestContext,
        stack_id: StackId,
        action: Action,
        *,
        template_id: TemplateId | None = None,
        changes: Mapping[str, Any] = {},
    ) -> None:
        self.begun.append(Begun(stack_id, action, template_id, dict(changes)))
        values: dict[str, Any] = {
            **changes,
            "action": action,
            "status": Status.IN_PROGRESS,
            "status_reason": f"Stack {action} started",
        }
        if template_id is not None:
            values["raw_template_id"] = template_id

        def unit(connection: Connection) -> None:
            stacks.update(connection, stack_id, values)

        await self.database.transaction(unit)

    async def stop(self, context: RequestContext, stack_id: StackId) -> bool:
        self.stopped.append(stack_id)
        return True


@dataclass
class Credentials:
    created: list[RequestContext] = field(default_factory=list)
    discarded: list[int] = field(default_factory=list)
    refreshed: int | None = None
    project: str | None = None

    async def create(self, context: RequestContext) -> int | None:
        self.created.append(context)
        return None

    async def discard(self, context: RequestContext, user_creds_id: int) -> None:
        self.discarded.append(user_creds_id)

    async def create_project(self, context: RequestContext, stack_id: StackId) -> str | None:
        return self.project

    async def refresh(self, context: RequestContext, stack: StackRecord) -> int | None:
        return self.refreshed


@dataclass
class Attributes:
    """Attribute values by resource, given by the test."""

    database: Database
    values: dict[str, dict[AttributeKey, Any]] = field(default_factory=dict)
    asked: list[dict[str, set[AttributeKey]]] = field(default_factory=list)

    async def read(
        self, stack: StackRecord, wanted: Mapping[str, Iterable[AttributeKey]]
    ) -> Mapping[str, NodeData]:
        asked = {name: set(keys) for name, keys in wanted.items()}
        self.asked.append(asked)
        rows = await self.database.read(
            lambda connection: resources.fetch_by_stack(connection, stack.id)
        )
        return {row.name: self._node(row, asked[row.name]) for row in rows if row.name in asked}

    def _node(self, row: ResourceRecord, keys: set[AttributeKey]) -> NodeData:
        values = self.values.get(row.name, {})
        return NodeData(
            id=row.id,
            name=row.name,
            uuid=row.uuid,
            reference_id=row.physical_id or row.name,
            attributes={key: values.get(key) for key in keys},
            action=row.action,
            status=row.status,
        )


@dataclass
class Validator:
    error: Exception | None = None
    validated: list[tuple[bool, frozenset[str]]] = field(default_factory=list)
    patience_seconds: float = 0.0

    async def validate(
        self,
        context: RequestContext,
        definition: StackDefinition,
        *,
        strict: bool = True,
        ignorable_errors: Collection[str] = (),
        patience_seconds: float = 0.0,
    ) -> None:
        self.patience_seconds = patience_seconds
        self.validated.append((strict, frozenset(ignorable_errors)))
        if self.error is not None:
            raise self.error


@dataclass
class World:
    """The engine and everything around it that a test looks at."""

    parts: Parts
    operations: Operations
    attributes: Attributes
    credentials: Credentials
    validator: Validator
    forbidden: set[str]

    @property
    def database(self) -> Database:
        return self.parts.database

    @property
    def service(self) -> EngineService:
        return EngineService(self.parts)

    def set(self, **settings: Any) -> None:
        self.parts = replace(self.parts, settings=replace(self.parts.settings, **settings))

    async def call(
        self, method: str, context: RequestContext | None = None, /, **arguments: Any
    ) -> Any:
        return await self.service.call(context or USER, method, **arguments)

    async def create(
        self,
        name: str = "st1",
        template: Mapping[str, Any] = TEMPLATE,
        context: RequestContext | None = None,
        **arguments: Any,
    ) -> dict[str, str]:
        given = {"params": {}, "files": {}, "args": {}, **arguments}
        identity: dict[str, str] = await self.call(
            "create_stack", context, stack_name=name, template=template, **given
        )
        return identity

    async def stack(self, identity: Mapping[str, str]) -> StackRecord:
        found = await self.database.read(
            lambda connection: stacks.fetch(
                connection, StackId(identity["stack_id"]), show_deleted=True
            )
        )
        assert found is not None
        return found

    async def change(self, identity: Mapping[str, str], **values: Any) -> None:
        await self.database.transaction(
            lambda connection: stacks.update(connection, StackId(identity["stack_id"]), values)
        )

    async def delete_row(self, identity: Mapping[str, str]) -> None:
        await self.database.transaction(
            lambda connection: stacks.soft_delete(connection, StackId(identity["stack_id"]))
        )

    async def add_resource(self, identity: Mapping[str, str], name: str, **values: Any) -> None:
        stack = await self.stack(identity)
        row = ResourceRecord(
            **{
                "id": 0,
                "uuid": self.parts.new_id(),
                "name": name,
                "stack_id": stack.id,
                "root_stack_id": stack.id,
                "action": Action.CREATE,
                "status": Status.COMPLETE,
                "status_reason": "state changed",
                "current_template_id": stack.raw_template_id,
                **values,
            }
        )
        await self.database.transaction(lambda connection: resources.insert_many(connection, [row]))

    async def asks(self, identity: Mapping[str, str], name: str) -> str:
        """Have a resource without a row at work on its nested stack; the name of that one."""
        uuid = str(uuid4())
        held = {"engine_id": EngineId("e"), "status": Status.IN_PROGRESS}
        await self.add_resource(identity, name, uuid=uuid, **held)
        return physical_resource_name(identity["stack_name"], name, uuid)

    async def rows(self, identity: Mapping[str, str]) -> dict[str, ResourceRecord]:
        """The rows of a stack by name."""
        found = await self.database.read(
            lambda connection: resources.fetch_by_stack(
                connection, StackId(identity["stack_id"]), with_data=True
            )
        )
        return {row.name: row for row in found}


USER = RequestContext(
    request_id="req-1", user_id="u", username="uname", project_id="PID", roles=("member",)
)


def _uuids() -> Any:
    numbers = count(1)
    return lambda: str(UUID(int=next(numbers) << 80 | 0x4 << 76 | 0x8 << 60))


@pytest.fixture
async def world() -> AsyncIterator[World]:
    clock = Clock()
    around = Ambient(
        now=clock, random=lambda: 1.0, cipher=Cipher("abcdefghijklmnopqrstuvwxyz012345")
    )
    engine = memory_engine(around)
    with engine.begin() as connection:
        metadata.create_all(connection)
    forbidden: set[str] = set()
    async with Database.over(InlineExecutor(engine), surroundings=around) as database:
        operations = Operations(database)
        attributes = Attributes(database)
        credentials = Credentials()
        validator = Validator()
        yield World(
            Parts(
                database=database,
                operations=operations,
                definitions=Definitions(database),
                attributes=attributes,
                credentials=credentials,
                validator=validator,
                procedures=CallersProcedures(ProcedureDriver(NoCloud(), bytes), database),
                settings=EngineSettings(),
                allows_type=lambda name, context: name not in forbidden,
                new_id=_uuids(),
                now=clock,
            ),
            operations,
            attributes,
            credentials,
            validator,
            forbidden,
        )
    engine.dispose()


@pytest.fixture
def user() -> RequestContext:
    return USER


@pytest.fixture
def other() -> RequestContext:
    return replace(USER, project_id="OTHER")


@pytest.fixture
def admin() -> RequestContext:
    return replace(USER, project_id="ADMIN", is_admin=True)


@pytest.fixture
def template() -> dict[str, Any]:
    return TEMPLATE


# --- a whole engine, with its drivers ------------------------------------------------------------


class Client:
    """Calls a whole engine as the API does."""

    def __init__(self, bus: InProcessBus, context: RequestContext) -> None:
        self._bus = bus
        self._context = context

    async def call(self, method: str, **arguments: Any) -> Any:
        contract = ENGINE_METHODS[method]
        return await self._bus.call(
            Target("engine", version=contract.version),
            method,
            contract.request(**arguments),
            self._context,
        )

    async def wait(self, identity: dict[str, str], *states: str) -> dict[str, Any]:
        with trio.fail_after(600):
            while True:
                (stack,) = await self.call("show_stack", stack_identity=identity)
                shown: dict[str, Any] = stack
                if f"{shown['stack_action']}_{shown['stack_status']}" in states:
                    return shown
                assert shown["stack_status"] == "IN_PROGRESS", shown["stack_status_reason"]
                await trio.sleep(1)


@pytest.fixture
async def client(world: World, user: RequestContext) -> AsyncIterator[Client]:
    bus = InProcessBus()
    engine_id = EngineId("e1")
    numbers = iter(range(1, 10**6))
    around = Surroundings(
        engine_id=engine_id,
        database=world.database,
        bus=bus,
        cloud=NoCloud(),
        credentials=NoStoredCredentials(),
        liveness=OnlyEngine(engine_id),
        now=world.parts.now,
        new_uuid=world.parts.new_id,
        entropy=lambda size: next(numbers).to_bytes(size),
    )
    async with Engine.open(around) as engine, trio.open_nursery() as nursery:
        parts = replace(
            world.parts,
            operations=engine.operations,
            definitions=engine.definitions,
            attributes=engine.attributes,
            validator=DefinitionValidator(ProcedureDriver(NoCloud(), around.entropy)),
        )
        await nursery.start(
            partial(
                serve,
                bus,
                EngineService(parts),
                engine_id=engine_id,
                host="host",
                worker_handlers=engine.worker_handlers,
            )
        )
        yield Client(bus, user)
        nursery.cancel_scope.cancel()
