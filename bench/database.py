"""What the database layer costs: rows in, rows out, single writes and writes in lanes.

Limits: the numbers of statements and commits, which don't depend on the machine. MariaDB is that
of HEAT_TRIO_TEST_MYSQL; a database of its own is made and dropped. Without a server that half is
not run.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
import uuid
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import trio
from sqlalchemy import Connection, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from heat_core.stack.ids import EngineId, ResourceId, StackId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord, SyncPointRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Applied,
    Database,
    Lost,
    Write,
    counting,
    migrate,
    resources,
    stacks,
    sync_points,
    templates,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import trio_asyncio

ROWS = 1000


def new_stack(connection: Connection) -> StackRecord:
    template = templates.insert(connection, {"resources": {}}, {})
    record = StackRecord(
        id=StackId(str(uuid.uuid4())),
        name="bench",
        tenant="p",
        raw_template_id=template.id,
        action=Action.CREATE,
        status=Status.IN_PROGRESS,
        current_traversal=TraversalId(str(uuid.uuid4())),
    )
    stacks.insert(connection, record)
    return record


def new_rows(stack: StackRecord) -> list[ResourceRecord]:
    return [
        ResourceRecord(
            id=ResourceId(0),
            uuid=str(uuid.uuid4()),
            name=f"resource-{number}",
            stack_id=stack.id,
            root_stack_id=stack.id,
            current_template_id=stack.raw_template_id,
            requires=(ResourceId(1), ResourceId(2)),
        )
        for number in range(ROWS)
    ]


def claim(resource_id: ResourceId) -> Write[None]:
    def apply(connection: Connection) -> Applied[None] | Lost:
        done = resources.update_if(
            connection,
            resource_id,
            engine_id=None,
            atomic_key=None,
            values={"engine_id": EngineId("me"), "status": Status.IN_PROGRESS},
        )
        return Applied(None) if done else Lost()

    return Write(apply, apply, order=(1, resource_id))


async def measure(database: Database) -> int:
    """Print what everything costs; how many limits were passed."""
    passed = 0
    stack = await database.transaction(new_stack)
    traversal = stack.current_traversal or ""
    rows = new_rows(stack)

    async def timed(what: str, work: Callable[[], Any], statements: int, commits: int) -> Any:
        nonlocal passed
        with counting(database.executor.engines) as counter:
            began = time.perf_counter()
            result = await work()
            took = time.perf_counter() - began
        print(
            f"  {what:<44}{took * 1000:9.1f} ms {counter.statements:6} statements"
            f" {counter.commits:5} commits {counter.bytes / 1000:8.0f} kB"
        )
        if counter.statements > statements or counter.commits > commits:
            print(f"    over the limit of {statements} statements and {commits} commits")
            passed += 1
        return result

    ids = await timed(
        f"insert {ROWS} resource rows, read their ids",
        lambda: database.transaction(lambda c: resources.insert_many(c, rows)),
        2,
        1,
    )
    points = [
        SyncPointRecord(
            entity_id=str(number), traversal_id=traversal, is_update=True, stack_id=stack.id
        )
        for number in ids.values()
    ]
    await timed(
        f"insert {ROWS} sync points",
        lambda: database.transaction(lambda c: sync_points.insert_many(c, points)),
        1,
        1,
    )
    await timed(
        f"read {ROWS} rows with all that belongs to them",
        lambda: database.read(
            lambda c: resources.fetch_by_stack(
                c, stack.id, with_properties=True, with_data=True, with_attributes=True
            )
        ),
        4,
        0,
    )
    wanted = list(ids.values())

    async def reads() -> None:
        for number in wanted[:200]:
            await database.read(lambda c, number=number: resources.fetch(c, number))

    await timed("200 reads of one row, one after the other", reads, 200, 0)

    async def alone() -> None:
        for number in wanted[:200]:
            await database.submit(stack.id, claim(number))

    await timed("200 claims, one after the other", alone, 200, 200)

    async def together() -> None:
        async with trio.open_nursery() as nursery:
            for number in wanted[200:]:
                nursery.start_soon(database.submit, stack.id, claim(number))

    await timed(f"{ROWS - 200} claims at the same time", together, ROWS - 200, 10)
    return passed


@asynccontextmanager
async def mariadb_loop(url: str) -> AsyncIterator[Database]:
    async with trio_asyncio.open_loop() as loop, Database.open(url, loop=loop) as database:
        yield database


def admin(server: str, statement: str) -> None:
    async def work() -> None:
        target = make_url(server).set(drivername="mysql+asyncmy", database="")
        engine = create_async_engine(target, isolation_level="AUTOCOMMIT")
        async with engine.connect() as connection:
            await connection.execute(text(statement))
        await engine.dispose()

    asyncio.run(work())


def on_sqlite() -> int:
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/bench.db"
        migrate(url)
        print("SQLite in a file")

        async def work() -> int:
            async with Database.open(url) as database:
                return await measure(database)

        return trio.run(work)


def on_mariadb() -> int:
    server = os.environ.get("HEAT_TRIO_TEST_MYSQL") or "mysql://root@127.0.0.1:3306/"
    name = f"heat_trio_bench_{uuid.uuid4().hex[:8]}"
    try:
        admin(server, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    except Exception as error:
        print(f"MariaDB: not run, no server at {server} ({type(error).__name__})")
        return 0
    try:
        url = make_url(server).set(database=name).render_as_string(hide_password=False)
        migrate(url)
        print("MariaDB")

        async def work() -> int:
            async with mariadb_loop(url) as database:
                return await measure(database)

        return trio.run(work)
    finally:
        admin(server, f"DROP DATABASE {name}")


def main() -> int:
    """0 when all limits are met."""
    return 1 if on_sqlite() + on_mariadb() else 0
