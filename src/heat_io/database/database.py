"""The database as the rest of heat-trio sees it: read, transaction, submit."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Self

import trio
from sqlalchemy import URL, literal, select

from heat_io.database import migrations
from heat_io.database.ambient import Ambient
from heat_io.database.executor import Executor, Unit
from heat_io.database.failures import ConnectionLost
from heat_io.database.lanes import Lanes
from heat_io.database.mariadb import (
    AsyncioLoop,
    MariaDbExecutor,
    MariaDbLimits,
    SessionSettings,
)
from heat_io.database.retry import Retrier, RetryPolicy
from heat_io.database.sqlite import SqliteExecutor
from heat_io.database.urls import database_target
from heat_io.database.verdicts import Verdict, Write

_DRAIN_SECONDS: Final = 10.0
_ANYTHING: Final = select(literal(1))

log = logging.getLogger(__name__)


class Database:
    """Runs units of work; make one with `Database.open` or `Database.over`.

    A unit is a plain function of a SQLAlchemy Connection and may be run again after a conflict or
    a lost connection, so it must not have effects outside the database.
    """

    def __init__(self, executor: Executor, lanes: Lanes, retrier: Retrier) -> None:
        self.executor = executor
        self.lanes = lanes
        self._retrier = retrier

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        url: str | URL,
        *,
        surroundings: Ambient | None = None,
        retry: RetryPolicy | None = None,
        loop: AsyncioLoop | None = None,
        limits: MariaDbLimits | None = None,
        session: SessionSettings | None = None,
        sqlite_synchronous: bool = True,
    ) -> AsyncIterator[Self]:
        """Open the database at `url` with its write lanes; close it on the way out.

        `loop` is the loop of trio_asyncio.open_loop(); it, `limits` and `session` are for MariaDB
        only. The schema is not touched (see `migrate`), and nothing is asked of the server yet.
        """
        around = surroundings or Ambient()
        executor = executor_for(
            url,
            around,
            loop=loop,
            limits=limits,
            session=session,
            sqlite_synchronous=sqlite_synchronous,
        )
        try:
            async with cls.over(executor, surroundings=around, retry=retry) as database:
                yield database
        finally:
            await executor.aclose()

    @classmethod
    @asynccontextmanager
    async def over(
        cls,
        executor: Executor,
        *,
        surroundings: Ambient | None = None,
        retry: RetryPolicy | None = None,
    ) -> AsyncIterator[Self]:
        """A database over an executor that somebody else owns, with write lanes of its own."""
        around = surroundings or Ambient()
        retrier = Retrier(retry or RetryPolicy(), around.random, trio.sleep)
        lanes = Lanes(executor, retrier, count=executor.max_lanes)
        try:
            async with trio.open_nursery() as nursery:
                await nursery.start(lanes.run)
                yield cls(executor, lanes, retrier)
                # Writes whose submitters have gone away are carried out all the same.
                with trio.move_on_after(_DRAIN_SECONDS):
                    await lanes.drain()
                nursery.cancel_scope.cancel()
        except BaseExceptionGroup as group:
            if len(group.exceptions) > 1:
                raise
            # The lanes' nursery is nobody's business but ours: give back what was raised.
            error = group.exceptions[0]
            raise error from error.__cause__

    async def wait_until_reachable(self, *, retries: int, pause_seconds: float) -> None:
        """Return once the server answers; -1 retries: however long that takes.

        Raises ConnectionLost when they are used up, and at once what no patience helps against: a
        wrong password, a database that is not there.
        """
        failed = 0
        while True:
            try:
                await self.executor.run(
                    lambda connection: connection.scalar(_ANYTHING), begin=False
                )
                return
            except ConnectionLost as failure:
                failed += 1
                if retries != -1 and failed > retries:
                    raise
                log.warning(
                    "the database can't be reached",
                    extra={"fields": {"reason": str(failure), "failed": failed}},
                )
            await trio.sleep(pause_seconds)

    async def read[T](self, unit: Unit[T]) -> T:
        """The result of `unit`, which only reads.

        On SQLite its statements see one state of the database; on MariaDB each sees the latest.
        Raises ConnectionLost when the retries are used up.
        """
        return await self._retrier.run(lambda: self.executor.run(unit, begin=False))

    async def transaction[T](self, unit: Unit[T]) -> T:
        """The result of `unit`, run in a transaction of its own and committed.

        Raises Conflict or ConnectionLost when the retries are used up (nothing was applied) and
        CommitUnknown when the connection went away at COMMIT: re-read to find out.
        """
        return await self._retrier.run(lambda: self.executor.run(unit, begin=True))

    async def submit[T](self, lane_key: str, write: Write[T]) -> Verdict[T]:
        """What became of `write`, run in the lane of `lane_key` (a stack id). See Lanes.submit."""
        return await self.lanes.submit(lane_key, write)

    async def migrate(self, revision: str = "head") -> None:
        """Bring the schema to `revision`; a database at head is left as it is."""

        await self.transaction(lambda connection: migrations.upgrade(connection, revision))


def executor_for(
    url: str | URL,
    surroundings: Ambient,
    *,
    loop: AsyncioLoop | None = None,
    limits: MariaDbLimits | None = None,
    session: SessionSettings | None = None,
    sqlite_synchronous: bool = True,
) -> Executor:
    """The executor that fits `url`; UnsupportedDatabase for a URL of another kind."""
    target = database_target(url)
    if target.url.get_backend_name() == "sqlite":
        return SqliteExecutor(target.url, surroundings, synchronous=sqlite_synchronous)
    if loop is None:
        raise AssertionError("MariaDB needs the asyncio loop of trio_asyncio.open_loop().")
    return MariaDbExecutor(target, surroundings, loop=loop, limits=limits, session=session)
