"""Stacks whose engine was cut off in the middle of an operation."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID

import pytest
import trio
from sqlalchemy import Connection

from heat_core.environment import Environment
from heat_core.rpc import WORKER_METHODS, RequestContext
from heat_core.stack import Action, EngineId, StackId, StackRecord, Status
from heat_io.database import Ambient, Database, InlineExecutor, memory_engine, stacks, templates
from heat_io.database.schema import metadata
from heat_io.drivers import Engine, NoCloud, NoStoredCredentials, OnlyEngine, Surroundings
from heat_io.messaging import InProcessBus

START = datetime(2026, 11, 29, 14)


@dataclass
class Folder:
    """What a data folder holds, and engines that come and go on it."""

    database: Database
    began: float
    _numbers: Any = field(default_factory=lambda: count(1))

    def now(self) -> datetime:
        return START + timedelta(seconds=round(trio.current_time() - self.began))

    def new_id(self) -> str:
        return str(UUID(int=next(self._numbers) << 80 | 0x4 << 76 | 0x8 << 60))

    @asynccontextmanager
    async def engine(self, name: str, *, resume: bool = False) -> AsyncIterator[Engine]:
        """An engine that serves its topic until the block is left, or until it is cut off."""
        bus, engine_id = InProcessBus(), EngineId(name)
        around = Surroundings(
            engine_id=engine_id,
            database=self.database,
            bus=bus,
            cloud=NoCloud(),
            credentials=NoStoredCredentials(),
            liveness=OnlyEngine(engine_id),
            now=self.now,
            new_uuid=self.new_id,
            entropy=bytes,
            resume=resume,
        )
        async with Engine.open(around) as engine, trio.open_nursery() as nursery:
            await nursery.start(
                partial(
                    bus.serve,
                    WORKER_METHODS.name,
                    engine_id,
                    WORKER_METHODS.version,
                    engine.worker_handlers,
                    concurrency=16,
                )
            )
            yield engine
            nursery.cancel_scope.cancel()

    async def add(self, name: str, resources: Mapping[str, Any], **values: Any) -> StackId:
        """A stack that is accepted and not begun."""
        stack_id = StackId(self.new_id())

        def unit(connection: Connection) -> None:
            document = {"heat_template_version": "2018-08-31", "resources": resources}
            template = templates.insert(connection, document, Environment().stored())
            given: dict[str, Any] = {
                "id": stack_id,
                "name": name,
                "tenant": "PID",
                "raw_template_id": template.id,
                "action": Action.CREATE,
                "status": Status.IN_PROGRESS,
                "status_reason": "",
                "created_at": self.now(),
            }
            stacks.insert(connection, StackRecord(**given | values))

        await self.database.transaction(unit)
        return stack_id

    async def cut(self, stack_id: StackId, *, after_seconds: float, name: str = "e1") -> None:
        """Begin the stack's create, and cut the engine off."""
        async with self.engine(name) as engine:
            await engine.operations.begin(RequestContext(), stack_id, Action.CREATE)
            await trio.sleep(after_seconds)


def a_test(**properties: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::TestResource", "properties": properties}


SLOW: dict[str, Any] = {
    "quick": a_test(value="a"),
    "slow": a_test(value="b", wait_secs=30),
    "last": a_test(value={"get_attr": ["slow", "output"]}),
}
"""one is made at once, one takes half a minute, one waits for that"""


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """The command takes signals over for good."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
async def folder() -> AsyncIterator[Folder]:
    around = Ambient(now=lambda: START, random=lambda: 1.0)
    engine = memory_engine(around)
    with engine.begin() as connection:
        metadata.create_all(connection)
    async with Database.over(InlineExecutor(engine), surroundings=around) as database:
        yield Folder(database, trio.current_time())
    engine.dispose()


@pytest.fixture
def slow() -> dict[str, Any]:
    return SLOW
