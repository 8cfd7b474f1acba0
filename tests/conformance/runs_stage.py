"""A whole engine in this process, on SQLite or MariaDB, as the recorded one was set up.

One engine, action_retry_limit 0, no retries of its own accord; its states are recorded commit by
commit. On SQLite the clock is virtual, on MariaDB it is real.
"""

from __future__ import annotations

import asyncio
import itertools
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import trio
from sqlalchemy import Connection, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from heat_app.engine import (
    CallersProcedures,
    DefinitionValidator,
    EngineService,
    EngineSettings,
    Parts,
    serve,
)
from heat_core.rpc import ENGINE_METHODS, Request, RequestContext, unseal
from heat_core.stack import EngineId, StackId, StackRecord
from heat_io.announcing import Announcer
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.database import Ambient, Cipher, Database, InlineExecutor, memory_engine, migrate
from heat_io.database.database import executor_for
from heat_io.database.executor import Executor
from heat_io.drivers import Engine, NoCloud, NoStoredCredentials, OnlyEngine, Surroundings
from heat_io.drivers.procedure_driver import ProcedureDriver
from heat_io.messaging import ENGINE_WORKER, InProcessBus, Target
from heat_io.messaging.in_process import Posted
from tests.conformance.runs_recording import Recording, RecordingExecutor, read_events

USER = RequestContext(
    request_id="req-1", user_id="u", username="uname", project_id="PID", roles=("member",)
)
LOOK_SECONDS = 0.02
LEAF_SECONDS = 0.4
"""Heat pauses after each leaf that it casts; what comes after a failure depends on it"""
WAIT_SECONDS = 60.0
SWEEP_SECONDS = 0.5


class Credentials:
    """No trusts; every root stack gets the project "SUP"."""

    async def create(self, context: RequestContext) -> int | None:
        return None

    async def discard(self, context: RequestContext, user_creds_id: int) -> None:
        raise AssertionError("nothing was made that could be taken back")

    async def create_project(self, context: RequestContext, stack_id: StackId) -> str | None:
        return "SUP"

    async def refresh(self, context: RequestContext, stack: StackRecord) -> int | None:
        return None


class Clock:
    """Naive UTC that goes on by a millisecond at each reading, so that rows have an order."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, 12)

    def __call__(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now


class Broker:
    """Notes the messages to workers, and delivers leaves as far apart as Heat casts them.

    What `holds` says yes to stays with the broker until it is released.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._leaves: Counter[str] = Counter()
        self._held: list[Callable[[], None]] = []
        self.holds: Callable[[Mapping[str, Any]], bool] = lambda arguments: False
        self.nursery: trio.Nursery | None = None

    def __call__(self, message: Posted, deliver: Callable[[Posted], None]) -> None:
        if message.target is None or message.target.topic != ENGINE_WORKER.topic:
            deliver(message)
            return
        request = Request.from_payload(unseal(message.body))
        arguments = request.arguments
        self._recording.casts.append({"method": request.method, "args": dict(arguments)})
        if self.holds(arguments):
            self._held.append(partial(deliver, message))
            return
        pause = 0.0
        if arguments.get("data") == {"input_data": {}}:
            traversal = arguments["current_traversal"]
            pause = LEAF_SECONDS * self._leaves[traversal]
            self._leaves[traversal] += 1
        if pause and self.nursery is not None:
            self.nursery.start_soon(self._later, pause, message, deliver)
        else:
            deliver(message)

    async def _later(
        self, seconds: float, message: Posted, deliver: Callable[[Posted], None]
    ) -> None:
        await trio.sleep(seconds)
        deliver(message)

    def release(self) -> None:
        """Deliver what was held, and hold nothing more."""
        self.holds = lambda arguments: False
        for deliver in self._held:
            deliver()
        self._held.clear()


@dataclass
class Stage:
    """The engine, and what was seen of it."""

    database: Database
    bus: InProcessBus
    recording: Recording
    broker: Broker
    dialect: str
    identities: dict[str, dict[str, str]] = field(default_factory=dict)

    async def call(self, method: str, **arguments: Any) -> Any:
        """An RPC call, as the API makes it."""
        contract = ENGINE_METHODS[method]
        return await self.bus.call(
            Target("engine", version=contract.version),
            method,
            contract.request(**arguments),
            USER,
        )

    async def write[T](self, unit: Callable[[Connection], T]) -> T:
        """Change the database past the engine."""
        return await self.database.transaction(unit)

    async def execute(self, sql: str, **values: Any) -> None:
        await self.write(lambda connection: connection.execute(text(sql), values).close())

    async def events(self) -> list[dict[str, Any]]:
        return await self.database.read(read_events)

    async def until(self, what: str, condition: Callable[[], bool]) -> None:
        """Wait until a condition on the recorded states holds."""
        with trio.move_on_after(WAIT_SECONDS):
            # Nobody could set an event: the condition is on rows.
            while not condition():  # noqa: ASYNC110
                await trio.sleep(LOOK_SECONDS)
            return
        raise RuntimeError(f"it never came about that {what}")

    def stack_row(self, name: str) -> Mapping[str, Any]:
        """The stack's row as it is now."""
        return self.recording.last["stack"][self.identities[name]["stack_id"]]

    async def ended(self, name: str) -> None:
        """Wait until the stack's operation is over with all that comes after it."""

        def over() -> bool:
            row, points = self.stack_row(name), self.recording.last["sync_point"].values()
            mine = [point for point in points if point["stack_id"] == row["id"]]
            deleted = row["action"] != "DELETE" or row["deleted_at"] is not None
            return row["status"] != "IN_PROGRESS" and not mine and deleted

        await self.until(f"the operation of {name} ended", over)


@asynccontextmanager
async def on_executor(
    executor: Executor,
    around: Ambient,
    dialect: str,
    *,
    resume: bool = False,
    announcer_on: Callable[[Database], Announcer] | None = None,
) -> AsyncIterator[Stage]:
    """The engine on an executor, served on a bus of its own.

    With `resume` it goes on with what others have left, deletes too.
    """
    recording = Recording()
    numbers = itertools.count(1)
    engine_id = EngineId(str(uuid4()))

    broker = Broker(recording)
    bus = InProcessBus(router=broker)
    watched = RecordingExecutor(executor, recording)
    async with Database.over(watched, surroundings=around) as database:
        surroundings = Surroundings(
            engine_id=engine_id,
            database=database,
            bus=bus,
            cloud=NoCloud(),
            credentials=NoStoredCredentials(),
            liveness=OnlyEngine(engine_id),
            now=around.now,
            new_uuid=lambda: str(uuid4()),
            entropy=lambda size: next(numbers).to_bytes(size),
            action_retry_limit=0,
            resume=resume,
            takes_over=resume,
            may_abandon=not resume,
            sweep_interval_seconds=SWEEP_SECONDS,
        )
        announcer = None if announcer_on is None else announcer_on(database)
        if announcer is not None:
            surroundings = replace(surroundings, listener=announcer)
        async with Engine.open(surroundings) as engine, trio.open_nursery() as nursery:
            procedures = ProcedureDriver(NoCloud(), surroundings.entropy)
            parts = Parts(
                database=database,
                operations=engine.operations,
                definitions=engine.definitions,
                attributes=engine.attributes,
                credentials=Credentials(),
                validator=DefinitionValidator(procedures),
                procedures=CallersProcedures(procedures, database),
                settings=EngineSettings(),
                allows_type=lambda name, context: True,
                new_id=lambda: str(uuid4()),
                now=around.now,
            )
            broker.nursery = nursery
            if announcer is not None:
                await nursery.start(announcer.run)
            await nursery.start(
                partial(
                    serve,
                    bus,
                    EngineService(parts),
                    engine_id=engine_id,
                    host="host1",
                    worker_handlers=engine.worker_handlers,
                )
            )
            yield Stage(database, bus, recording, broker, dialect)
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def on_sqlite(
    announcer_on: Callable[[Database], Announcer] | None = None,
) -> AsyncIterator[Stage]:
    """SQLite in memory; for trio.run with a clock that jumps."""
    around = ambient_of_runs()
    sql = memory_engine(around)
    executor = InlineExecutor(sql)
    async with Database.over(executor, surroundings=around) as database:
        await database.migrate()
    async with on_executor(executor, around, "sqlite", announcer_on=announcer_on) as stage:
        yield stage
    sql.dispose()


@asynccontextmanager
async def on_mariadb(url: str) -> AsyncIterator[Stage]:
    """The MariaDB database at `url`, which has its schema."""
    around = ambient_of_runs()
    async with open_asyncio_loop() as loop:
        executor = executor_for(url, around, loop=loop)
        try:
            async with on_executor(executor, around, "mysql") as stage:
                yield stage
        finally:
            await executor.aclose()


def ambient_of_runs() -> Ambient:
    """With a clock that goes on by itself, and a key."""
    return replace(Ambient(), now=Clock(), cipher=Cipher("abcdefghijklmnopqrstuvwxyz012345"))


class NoServer(Exception):
    """There is no MariaDB server to be had."""


class TemporaryDatabase:
    """A MariaDB database for the time of a `with` block; NoServer when there is no server."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._name = f"heat_trio_runs_{uuid4().hex[:8]}"

    def __enter__(self) -> str:
        try:
            self._admin(f"CREATE DATABASE {self._name} CHARACTER SET utf8mb4")
        except Exception as error:
            raise NoServer(f"no server at {self._server} ({type(error).__name__})") from error
        target = make_url(self._server).set(database=self._name)
        url = target.render_as_string(hide_password=False)
        with warnings.catch_warnings():
            # MariaDB has no name for a primary key.
            warnings.simplefilter("ignore")
            migrate(url)
        return url

    def __exit__(self, *exception: object) -> None:
        self._admin(f"DROP DATABASE {self._name}")

    def _admin(self, statement: str) -> None:
        async def work() -> None:
            target = make_url(self._server).set(drivername="mysql+asyncmy", database="")
            engine = create_async_engine(target, isolation_level="AUTOCOMMIT")
            async with engine.connect() as connection:
                await connection.execute(text(statement))
            await engine.dispose()

        asyncio.run(work())
