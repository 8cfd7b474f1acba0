"""An engine on a database of its own, without API and Keystone, for benchmarks of the engine."""

from __future__ import annotations

import secrets
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import trio

from heat_app.engine.serving import CASTS_AT_ONCE
from heat_core.environment import Environment
from heat_core.rpc import RequestContext
from heat_core.stack import Action, EngineId, StackId, StackRecord, Status, TraversalId
from heat_io.asyncio_loop import AsyncioLoop
from heat_io.database import (
    Ambient,
    Cipher,
    Database,
    StatementCounter,
    counting,
    stacks,
    templates,
)
from heat_io.drivers import Engine, NoCloud, NoStoredCredentials, OnlyEngine, Surroundings
from heat_io.messaging import ENGINE_WORKER, InProcessBus

PROJECT = "0123456789abcdef0123456789abcdef"
# As of a request through the API: whoever goes on with it can act.
CONTEXT = RequestContext(
    project_id=PROJECT, user_id="benchmark", auth_token="a token", roles=("member",)
)


@dataclass(frozen=True)
class Measured:
    """What one operation took: seconds by the wall clock and of the processor, SQL statements and
    commits, template parses, and the characters of SQL with its text parameters.
    """

    seconds: float
    processor_seconds: float
    statements: int
    commits: int
    parses: int
    bytes: int


class Deployment:
    """One engine and its database; operations run one after the other and are measured."""

    def __init__(self, database: Database, engine: Engine, counter: StatementCounter) -> None:
        self._database = database
        self._engine = engine
        self.counter = counter

    @classmethod
    @asynccontextmanager
    async def open(cls, database_file: Path) -> AsyncIterator[Deployment]:
        """A fresh SQLite database in a file, as `heat-trio up` has it."""
        async with cls.at(f"sqlite:///{database_file}") as deployment:
            yield deployment

    @classmethod
    @asynccontextmanager
    async def at(cls, url: str, loop: AsyncioLoop | None = None) -> AsyncIterator[Deployment]:
        """The database at `url`, brought to its schema; MariaDB needs the asyncio loop."""
        ambient = Ambient(cipher=Cipher(secrets.token_hex(16)))
        async with Database.open(url, surroundings=ambient, loop=loop) as database:
            await database.migrate()
            bus = InProcessBus()
            engine_id = EngineId(str(uuid.uuid4()))
            around = Surroundings(
                engine_id=engine_id,
                database=database,
                bus=bus,
                cloud=NoCloud(),
                credentials=NoStoredCredentials(),
                liveness=OnlyEngine(engine_id),
                now=ambient.now,
                new_uuid=lambda: str(uuid.uuid4()),
                entropy=secrets.token_bytes,
            )
            with counting(database.executor.engines) as counter:
                async with Engine.open(around) as engine, trio.open_nursery() as serving:
                    serving.start_soon(
                        partial(
                            bus.serve,
                            ENGINE_WORKER.topic,
                            engine_id,
                            ENGINE_WORKER.version,
                            engine.worker_handlers,
                            concurrency=CASTS_AT_ONCE,
                        )
                    )
                    yield cls(database, engine, counter)
                    serving.cancel_scope.cancel()

    async def create(self, name: str, document: Mapping[str, Any]) -> tuple[StackId, Measured]:
        """Create a stack; the measure starts where the endpoint stores it."""
        stack_id = StackId(str(uuid.uuid4()))

        def store(connection: Any) -> None:
            template = templates.insert(connection, document, Environment().stored())
            stacks.insert(
                connection,
                StackRecord(
                    id=stack_id,
                    name=name,
                    tenant=PROJECT,
                    raw_template_id=template.id,
                    action=Action.CREATE,
                    status=Status.IN_PROGRESS,
                    current_traversal=TraversalId(str(uuid.uuid4())),
                ),
            )

        async def begin() -> None:
            await self._database.transaction(store)
            await self._engine.operations.begin(CONTEXT, stack_id, Action.CREATE)

        return stack_id, await self._measure(stack_id, begin)

    async def update(self, stack_id: StackId, document: Mapping[str, Any]) -> Measured:
        """Update the stack to a template."""

        async def begin() -> None:
            template = await self._database.transaction(
                lambda connection: templates.insert(connection, document, Environment().stored())
            )
            await self._engine.operations.begin(
                CONTEXT, stack_id, Action.UPDATE, template_id=template.id
            )

        return await self._measure(stack_id, begin)

    async def delete(self, stack_id: StackId) -> Measured:
        """Delete the stack."""

        async def begin() -> None:
            await self._engine.operations.begin(CONTEXT, stack_id, Action.DELETE)

        return await self._measure(stack_id, begin)

    async def _measure(self, stack_id: StackId, begin: Any) -> Measured:
        self.counter.clear()
        parses = self._engine.definitions.parses
        started, worked = time.perf_counter(), time.process_time()
        await begin()
        looks = 0
        while True:
            looks += 1
            record = await self._database.read(
                lambda connection: stacks.fetch(connection, stack_id, with_deps=False)
            )
            if record is None or record.status is not Status.IN_PROGRESS:
                break
            await trio.sleep(0.01)
        seconds, work = time.perf_counter() - started, time.process_time() - worked
        if record is not None and record.status is not Status.COMPLETE:
            raise RuntimeError(f"the stack failed: {record.status_reason}")
        if record is not None and record.action is Action.DELETE:
            # The row goes a moment after its status; the next measure must not pay for it.
            await trio.sleep(0.2)
        return Measured(
            seconds,
            work,
            self.counter.statements - looks,
            self.counter.commits,
            self._engine.definitions.parses - parses,
            self.counter.bytes,
        )
