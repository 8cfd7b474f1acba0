"""MariaDB and MySQL through asyncmy: one crossing from Trio to asyncio for each unit.

Two engines share one URL. Reads run in AUTOCOMMIT, one statement each, without the ROLLBACK that
a pool would send; transactions run in READ COMMITTED, where a re-read in the same transaction
sees what a lost condition was lost to and no gap locks are taken. No pings: a connection that the
server has closed shows itself, and the caller's retry takes a new one. Affected rows are the
matched rows (FOUND_ROWS), which compare-and-swap needs.

A unit is shielded from cancellation and cut at its deadline. Cut before COMMIT it is rolled back
with its connection; cut during COMMIT nobody can tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import trio
from sqlalchemy import Connection, Engine, event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util import greenlet_spawn

from heat_io.database.ambient import OPTION, Ambient
from heat_io.database.executor import Unit
from heat_io.database.failures import (
    CommitUnknown,
    ConnectionLost,
    DatabaseFailure,
    failure_of,
)
from heat_io.database.transactions import Progress, perform
from heat_io.database.urls import DatabaseTarget

_SQL_MODE = re.compile(r"[A-Za-z_, ]*")


class AsyncioLoop(Protocol):
    """The part of trio_asyncio's loop that is used here."""

    async def run_aio_coroutine(self, coro: Any) -> Any:
        """Run an asyncio coroutine and return its result, from Trio."""
        ...


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What a connection says first: Heat's mysql_sql_mode and mysql_wsrep_sync_wait.

    With TRADITIONAL data that does not fit is an error and not cut. None leaves the server's own.
    """

    sql_mode: str | None = "TRADITIONAL"
    wsrep_sync_wait: int | None = None

    def __post_init__(self) -> None:
        if self.sql_mode is not None and not _SQL_MODE.fullmatch(self.sql_mode):
            raise ValueError(f"mysql_sql_mode: '{self.sql_mode}' is no list of modes.")

    def statement(self) -> str | None:
        """One SET for all of it; None for nothing to say."""
        values = []
        if self.sql_mode is not None:
            values.append(f"SESSION sql_mode = '{self.sql_mode}'")
        if self.wsrep_sync_wait is not None:
            values.append(f"SESSION wsrep_sync_wait = {self.wsrep_sync_wait:d}")
        return f"SET {', '.join(values)}" if values else None


@dataclass(frozen=True, slots=True)
class MariaDbLimits:
    """Budgets. MariaDB accepts 151 connections for everybody by default."""

    transactions: int = 8
    reads: int = 8
    recycle_seconds: int = 3600
    connect_timeout_seconds: int = 10
    unit_deadline_seconds: float = 60.0
    """longer than the server's innodb_lock_wait_timeout (50 s), so that it answers first"""


@dataclass(slots=True)
class _Flight[T]:
    """A unit on its way through asyncio."""

    unit: Unit[T]
    begin: bool
    progress: Progress = field(default_factory=Progress)

    def perform(self, connection: Connection) -> T:
        return perform(connection, self.unit, begin=self.begin, progress=self.progress)

    def cut(self) -> DatabaseFailure:
        """What it means that the deadline cut this unit."""
        if self.progress.committing:
            return CommitUnknown("The deadline passed during COMMIT.")
        return ConnectionLost("The deadline passed; the transaction was dropped.")


class MariaDbExecutor:
    """Runs units on the server of `target`, inside `loop` (trio_asyncio's)."""

    def __init__(
        self,
        target: DatabaseTarget,
        surroundings: Ambient,
        *,
        loop: AsyncioLoop,
        limits: MariaDbLimits | None = None,
        session: SessionSettings | None = None,
    ) -> None:
        self._loop = loop
        self._limits = limits or MariaDbLimits()
        self._session = session or SessionSettings()
        self._transactional = self._engine(target, surroundings, self._limits.transactions)
        self._autocommit = self._engine(
            target,
            surroundings,
            self._limits.reads,
            isolation_level="AUTOCOMMIT",
            skip_autocommit_rollback=True,
        )
        self._transactions = trio.CapacityLimiter(self._limits.transactions)
        self._reads = trio.CapacityLimiter(self._limits.reads)

    @property
    def max_lanes(self) -> int:
        """As many as there are connections for transactions, less two for everything else."""
        return max(1, self._limits.transactions - 2)

    @property
    def engines(self) -> tuple[Engine, ...]:
        """Transactional and autocommit."""
        return self._transactional.sync_engine, self._autocommit.sync_engine

    def _engine(
        self,
        target: DatabaseTarget,
        surroundings: Ambient,
        connections: int,
        *,
        isolation_level: str = "READ COMMITTED",
        **options: Any,
    ) -> AsyncEngine:
        engine = create_async_engine(
            target.url,
            isolation_level=isolation_level,
            pool_size=connections,
            max_overflow=0,
            pool_recycle=self._limits.recycle_seconds,
            # Every unit ends with a commit or a rollback of its own.
            pool_reset_on_return=None,
            connect_args={
                "init_command": self._session.statement(),
                "connect_timeout": self._limits.connect_timeout_seconds,
                **target.connect_args,
            },
            execution_options={OPTION: surroundings},
            **options,
        )
        if target.session:
            event.listen(engine.sync_engine, "connect", _beginning(target.session))
        return engine

    async def run[T](self, unit: Unit[T], *, begin: bool, settle: bool = False) -> T:
        """See Executor.run. With `settle`, plain reads take shared locks (SERIALIZABLE)."""
        # The pool would wait too, but not to be cancelled.
        limiter = self._transactions if begin or settle else self._reads
        async with limiter:
            flight = _Flight(unit, begin or settle)
            with trio.move_on_after(self._limits.unit_deadline_seconds, shield=True):
                result: T = await self._loop.run_aio_coroutine(self._fly(flight, settle))
                return result
            raise flight.cut()

    async def _fly[T](self, flight: _Flight[T], settle: bool) -> T:
        """asyncio's side: connection, unit and return of the connection in one greenlet.

        AsyncConnection would begin one for each of the three.
        """
        engine = self._transactional if flight.begin else self._autocommit
        result: T = await greenlet_spawn(_work, engine.sync_engine, flight, settle)
        return result

    async def aclose(self) -> None:
        """Close every connection."""
        with trio.move_on_after(self._limits.connect_timeout_seconds, shield=True):
            await self._loop.run_aio_coroutine(self._transactional.dispose())
            await self._loop.run_aio_coroutine(self._autocommit.dispose())


def _beginning(statements: tuple[str, ...]) -> Callable[[Any, object], None]:
    def begin(connection: Any, record: object) -> None:
        cursor = connection.cursor()
        try:
            for statement in statements:
                cursor.execute(statement)
        finally:
            cursor.close()

    return begin


def _work[T](engine: Engine, flight: _Flight[T], settle: bool) -> T:
    try:
        connection = engine.connect()
    except Exception as error:
        raise _connecting(error) from error
    try:
        if settle:
            connection = connection.execution_options(isolation_level="SERIALIZABLE")
        return flight.perform(connection)
    finally:
        connection.close()


def _connecting(error: Exception) -> Exception:
    """A connection that can't be had was never used: whatever the reason, nothing is applied."""
    failure = failure_of(error, committing=False)
    return error if failure is None else failure
