"""SQLite in a file: one writer, a few readers, each unit in a worker thread.

WAL lets readers go on while the writer commits; synchronous=FULL makes a commit survive a power
cut. Foreign keys are not enforced, as in Heat, which leaves them off on SQLite. A write begins
with BEGIN IMMEDIATE: it waits for another process's lock before it reads, so that what it read
stays true.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import trio
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from heat_io.database.ambient import OPTION, Ambient
from heat_io.database.executor import Unit
from heat_io.database.failures import failure_of
from heat_io.database.transactions import perform


class SqliteExecutor:
    """Runs units on the SQLite file of `url`."""

    max_lanes = 1

    def __init__(
        self,
        url: URL,
        surroundings: Ambient,
        *,
        readers: int = 2,
        busy_timeout_seconds: float = 10.0,
        synchronous: bool = True,
    ) -> None:
        """Without `synchronous` a power cut may take back what was committed."""
        self._writer = _engine(url, surroundings, 1, busy_timeout_seconds, "BEGIN IMMEDIATE")
        self._reader = _engine(url, surroundings, readers, busy_timeout_seconds, "BEGIN")
        for engine in self.engines:
            event.listen(engine, "connect", _durable if synchronous else _fleeting)
        event.listen(self._reader, "connect", _read_only)
        # Threads come from Trio's cache; the limiters are what makes it one writer.
        self._writing = trio.CapacityLimiter(1)
        self._reading = trio.CapacityLimiter(readers)

    @property
    def engines(self) -> tuple[Engine, ...]:
        """Writer and reader."""
        return self._writer, self._reader

    async def run[T](self, unit: Unit[T], *, begin: bool, settle: bool = False) -> T:
        """See Executor.run. A COMMIT is never lost here, so `settle` is a plain read."""
        engine = self._writer if begin else self._reader
        limiter = self._writing if begin else self._reading

        def work() -> T:
            try:
                connection = engine.connect()
            except Exception as error:
                failure = failure_of(error, committing=False)
                if failure is None:
                    raise
                raise failure from error
            with connection:
                return perform(connection, unit, begin=begin)

        return await trio.to_thread.run_sync(work, limiter=limiter)

    async def aclose(self) -> None:
        """Close every connection."""
        for engine in self.engines:
            engine.dispose()


def _engine(
    url: URL, surroundings: Ambient, connections: int, busy_timeout_seconds: float, begin: str
) -> Engine:
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=connections,
        max_overflow=0,
        pool_reset_on_return=None,
        # isolation_level None: the driver leaves BEGIN to us.
        connect_args={
            "check_same_thread": False,
            "isolation_level": None,
            "timeout": busy_timeout_seconds,
        },
        execution_options={OPTION: surroundings},
    )
    event.listen(engine, "begin", _beginner(begin))
    return engine


def _beginner(statement: str) -> Any:
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    return start


def _durable(connection: sqlite3.Connection, record: object) -> None:
    _prepare(connection, "FULL")


def _fleeting(connection: sqlite3.Connection, record: object) -> None:
    _prepare(connection, "OFF")


def _prepare(connection: sqlite3.Connection, synchronous: str) -> None:
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={synchronous}")
    except BaseException:
        # The pool has not taken it over yet.
        connection.close()
        raise


def _read_only(connection: sqlite3.Connection, record: object) -> None:
    connection.execute("PRAGMA query_only=ON")
