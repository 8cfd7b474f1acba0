"""The same tests on three databases: in memory, SQLite in a file, MariaDB."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trio_asyncio
from sqlalchemy import Connection, Engine, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from heat_core.stack.ids import ResourceId, StackId, TemplateId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Ambient,
    Cipher,
    Database,
    InlineExecutor,
    memory_engine,
    migrate,
    resources,
    stacks,
    templates,
    upgrade,
)
from heat_io.database.schema import metadata

KEY = "abcdefghijklmnopqrstuvwxyz012345"
BACKENDS = ("memory", "sqlite", "mariadb")


class FakeClock:
    """Naive UTC that goes on by a second at each reading, so that rows have an order."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, 0, 0)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


def admin(server: str, statement: str) -> None:
    """Run one statement on the server, outside any database."""

    async def work() -> None:
        url = make_url(server).set(drivername="mysql+asyncmy", database="")
        engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
        try:
            async with engine.connect() as connection:
                await connection.execute(text(statement))
        finally:
            await engine.dispose()

    asyncio.run(work())


# Here the loop is watched on MariaDB; elsewhere a test's unit is a heap of statements that are
# compiled for the first time, one after the other, which production never does.
WATCHED = ("test_lanes.py", "test_mariadb.py", "test_database.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here not in item.path.parents:
            continue
        callspec = getattr(item, "callspec", None)
        backend = None if callspec is None else callspec.params.get("backend")
        in_memory = backend == "memory" or "memory" in getattr(item, "fixturenames", ())
        if in_memory or (backend == "mariadb" and item.path.name not in WATCHED):
            item.add_marker(pytest.mark.blocks_the_loop("SQL is compiled in the test's own thread"))


@pytest.fixture(scope="session")
def mariadb_server(mysql_url: str) -> Iterator[Callable[[], str]]:
    """Makes the URL of an empty database with a name of its own; all are dropped at the end."""
    made: list[str] = []

    def make() -> str:
        name = f"heat_trio_test_{uuid.uuid4().hex[:12]}"
        admin(mysql_url, f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
        made.append(name)
        return make_url(mysql_url).set(database=name).render_as_string(hide_password=False)

    yield make
    for name in made:
        admin(mysql_url, f"DROP DATABASE {name}")


@pytest.fixture(scope="session")
def mariadb_url(mariadb_server: Callable[[], str]) -> str:
    """A database at head, shared by the session's tests."""
    url = mariadb_server()
    migrate(url)
    return url


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty SQLite database at head, to be copied."""
    path = tmp_path_factory.mktemp("schema") / "head.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def chances() -> list[float]:
    """What `random` gives next; 0.5 when the list is empty."""
    return []


@pytest.fixture
def surroundings(clock: FakeClock, chances: list[float]) -> Ambient:
    return Ambient(now=clock, random=lambda: chances.pop(0) if chances else 0.5, cipher=Cipher(KEY))


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def url(backend: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database at head without rows; empty text for the one in memory."""
    if backend == "memory":
        request.getfixturevalue("memory")
        return ""
    if backend == "sqlite":
        template: Path = request.getfixturevalue("sqlite_template")
        path = tmp_path / "heat.db"
        path.write_bytes(template.read_bytes())
        return f"sqlite:///{path}"
    return str(request.getfixturevalue("mariadb_url"))


@pytest.fixture
def memory(surroundings: Ambient) -> Iterator[Engine]:
    """A database in memory at head."""
    engine = memory_engine(surroundings)
    with engine.begin() as connection:
        upgrade(connection)
    yield engine
    engine.dispose()


@pytest.fixture
async def database(
    url: str, surroundings: Ambient, request: pytest.FixtureRequest
) -> AsyncIterator[Database]:
    """An open database of each kind."""
    if not url:
        executor = InlineExecutor(request.getfixturevalue("memory"))
        async with Database.over(executor, surroundings=surroundings) as opened:
            yield opened
    elif url.startswith("sqlite"):
        async with Database.open(url, surroundings=surroundings) as opened:
            yield opened
    else:
        async with (
            trio_asyncio.open_loop() as loop,
            Database.open(url, surroundings=surroundings, loop=loop) as opened,
        ):
            await opened.transaction(empty)
            yield opened


def empty(connection: Connection) -> None:
    """Delete every row of a MariaDB database."""
    connection.execute(text("SET FOREIGN_KEY_CHECKS=0"))
    for table in metadata.tables.values():
        connection.execute(table.delete())
    connection.execute(text("SET FOREIGN_KEY_CHECKS=1"))


class Build:
    """Makes rows for tests."""

    @staticmethod
    def uuid() -> str:
        return str(uuid.uuid4())

    @staticmethod
    def template(connection: Connection, **template: Any) -> TemplateId:
        """A small stored template."""
        content = {"heat_template_version": "2018-08-31"} | template
        return templates.insert(connection, content, {"parameters": {}}).id

    @classmethod
    def stack_record(cls, raw_template_id: TemplateId, name: str, **fields: Any) -> StackRecord:
        """CREATE IN_PROGRESS unless told otherwise; not stored."""
        values: dict[str, Any] = {
            "id": StackId(cls.uuid()),
            "name": name,
            "tenant": "p1",
            "raw_template_id": raw_template_id,
            "action": Action.CREATE,
            "status": Status.IN_PROGRESS,
            "status_reason": "Stack CREATE started",
            "current_traversal": cls.uuid(),
        }
        return StackRecord(**values | fields)

    @classmethod
    def stack(cls, connection: Connection, name: str = "st", **fields: Any) -> StackRecord:
        """A stored stack with a template of its own."""
        template_id = fields.pop("raw_template_id", None) or cls.template(connection)
        record = cls.stack_record(template_id, name, **fields)
        stacks.insert(connection, record)
        return record

    @classmethod
    def resource(cls, stack: StackRecord, name: str = "a", **fields: Any) -> ResourceRecord:
        """A row as it is before its insert."""
        values: dict[str, Any] = {
            "id": ResourceId(0),
            "uuid": cls.uuid(),
            "name": name,
            "stack_id": stack.id,
            "root_stack_id": stack.id,
            "current_template_id": stack.raw_template_id,
        }
        return ResourceRecord(**values | fields)

    @classmethod
    def stored(
        cls, connection: Connection, stack: StackRecord, name: str = "a", **fields: Any
    ) -> ResourceRecord:
        """A stored row."""
        record = cls.resource(stack, name, **fields)
        new_id = resources.insert_many(connection, [record])[record.uuid]
        return replace(record, id=new_id)


@pytest.fixture
def build() -> type[Build]:
    return Build
