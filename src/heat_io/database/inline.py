"""SQLite in memory, in the caller's own thread, with faults on request: for the simulator.

Several executors may share one engine: they are then several engines of one fleet on one
database. Foreign keys are enforced, as MariaDB enforces them, so that a simulation finds a write
in the wrong order.
"""

from __future__ import annotations

import enum
import sqlite3
from collections.abc import Callable

import trio
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import StaticPool

from heat_io.database.ambient import OPTION, Ambient
from heat_io.database.executor import Unit
from heat_io.database.failures import CommitUnknown, Conflict, ConnectionLost
from heat_io.database.transactions import perform


class FaultPoint(enum.Enum):
    """Where the hook is asked. AT_COMMIT is for transactions only."""

    BEFORE_UNIT = "before unit"
    AT_COMMIT = "at commit"


class Fault(enum.Enum):
    """What the hook may ask for.

    CONFLICT: a deadlock, rolled back. LOST: the connection goes away and nothing is applied; at
    COMMIT the caller is told CommitUnknown. LOST_AFTER_COMMIT: applied, but told CommitUnknown
    (before a unit it is the same as LOST). KILL: the process dies, nothing is applied.
    KILL_AFTER_COMMIT: it dies right after the commit.
    """

    CONFLICT = "conflict"
    LOST = "lost"
    LOST_AFTER_COMMIT = "lost after commit"
    KILL = "kill"
    KILL_AFTER_COMMIT = "kill after commit"


class Killed(BaseException):
    """The simulated process is dead. No `except Exception` catches it."""


type FaultHook = Callable[[FaultPoint, bool], Fault | None]
"""Called with the point and whether the unit is a transaction; None: no fault."""


def memory_engine(surroundings: Ambient | None = None, *, foreign_keys: bool = True) -> Engine:
    """An empty in-memory database with one connection for everybody."""
    engine = create_engine(
        "sqlite://",
        poolclass=StaticPool,
        pool_reset_on_return=None,
        connect_args={"check_same_thread": False, "isolation_level": None},
        execution_options={OPTION: surroundings or Ambient()},
    )

    def connected(connection: sqlite3.Connection, record: object) -> None:
        connection.execute(f"PRAGMA foreign_keys={'ON' if foreign_keys else 'OFF'}")

    def begun(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)
    return engine


class InlineExecutor:
    """Runs units at once. `surroundings` replaces the engine's own where given."""

    max_lanes = 1

    def __init__(
        self,
        engine: Engine,
        *,
        hook: FaultHook | None = None,
        surroundings: Ambient | None = None,
    ) -> None:
        self._engine = engine
        self._bound = (
            engine if surroundings is None else engine.execution_options(**{OPTION: surroundings})
        )
        self._hook = hook

    @property
    def engines(self) -> tuple[Engine, ...]:
        """The one engine."""
        return (self._engine,)

    async def run[T](self, unit: Unit[T], *, begin: bool, settle: bool = False) -> T:
        """See Executor.run. Other tasks get a turn before and after, never in between."""
        await trio.lowlevel.checkpoint()
        try:
            return self._run(unit, begin)
        finally:
            await trio.lowlevel.cancel_shielded_checkpoint()

    def _run[T](self, unit: Unit[T], begin: bool) -> T:
        self._fail(self._ask(FaultPoint.BEFORE_UNIT, begin), Conflict, ConnectionLost)
        late: list[Fault | None] = [None]

        def guarded(connection: Connection) -> T:
            if not begin:
                connection.exec_driver_sql("PRAGMA query_only=ON")
            result = unit(connection)
            if begin:
                late[0] = self._ask(FaultPoint.AT_COMMIT, begin)
                if late[0] not in (Fault.LOST_AFTER_COMMIT, Fault.KILL_AFTER_COMMIT):
                    self._fail(late[0], Conflict, CommitUnknown)
            return result

        with self._bound.connect() as connection:
            try:
                result = perform(connection, guarded, begin=begin)
            finally:
                if not begin:
                    connection.exec_driver_sql("PRAGMA query_only=OFF")
                    connection.rollback()
        self._fail(late[0], Conflict, CommitUnknown)
        return result

    def _ask(self, point: FaultPoint, begin: bool) -> Fault | None:
        return None if self._hook is None else self._hook(point, begin)

    @staticmethod
    def _fail(fault: Fault | None, conflict: type[Exception], lost: type[Exception]) -> None:
        match fault:
            case None:
                return
            case Fault.CONFLICT:
                raise conflict("simulated deadlock")
            case Fault.LOST | Fault.LOST_AFTER_COMMIT:
                raise lost("simulated loss of the connection")
            case Fault.KILL | Fault.KILL_AFTER_COMMIT:
                raise Killed

    async def aclose(self) -> None:
        """Nothing: the engine belongs to whoever made it."""
        await trio.lowlevel.checkpoint()
