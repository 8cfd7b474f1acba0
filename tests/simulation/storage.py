"""The simulated database: SQLite in memory, one engine a process, emptied for each run.

The units of work, the statements and the schema are the production's; what is simulated is what
goes wrong, and what is saved is everything that a run would do over again: the schema is migrated
once, and there is one connection, which stays open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import trio
from sqlalchemy import Engine as SqlEngine
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from heat_io.database import Ambient, Fault, FaultPoint, Killed, upgrade
from heat_io.database.ambient import OPTION
from heat_io.database.executor import Unit
from heat_io.database.failures import CommitUnknown, Conflict, ConnectionLost
from heat_io.database.schema import metadata
from tests.simulation.connection import SimulatedConnection
from tests.simulation.ledger import Feed, Ledger

type Hook = Callable[[FaultPoint, bool], Fault | None]


class WroteInRead(AssertionError):
    """A unit that only reads has written."""


class Shared:
    """What all runs of this process share."""

    def __init__(self) -> None:
        # Transactions are begun and ended by hand: SQLAlchemy takes part in single statements only.
        self.engine: SqlEngine = create_engine(
            "sqlite://",
            poolclass=StaticPool,
            pool_reset_on_return=None,
            connect_args={"check_same_thread": False, "isolation_level": None},
        )
        self.feed = Feed()
        self.plans: dict[Any, Any] = {}
        with self.engine.connect() as connection:
            upgrade(connection)
            self.raw: Any = connection.connection.driver_connection
        self.feed.attach(self.raw)
        self._tables = [table.name for table in reversed(metadata.sorted_tables)]

    def empty(self) -> None:
        """Nothing in any table."""
        raw = self.raw
        if raw.in_transaction:
            raw.execute("ROLLBACK")
        raw.execute("PRAGMA foreign_keys=OFF")
        for name in self._tables:
            raw.execute(f"DELETE FROM {name}")
        raw.execute("PRAGMA foreign_keys=ON")


_shared: list[Shared] = []


def shared() -> Shared:
    """This process's engine, made at first use."""
    if not _shared:
        _shared.append(Shared())
    return _shared[0]


class Storage:
    """The database of one run."""

    def __init__(self, ambient: Ambient) -> None:
        found = shared()
        found.empty()
        self.ledger = Ledger(pending=found.feed.pending)
        self.ledger.pending.clear()
        self.engine = found.engine.execution_options(**{OPTION: ambient})
        self._raw = found.raw
        self._long_way = self.engine.connect()
        self.connection: Any = SimulatedConnection(self._raw, self._long_way, found.plans)

    def close(self) -> None:
        self._long_way.close()

    def perform[T](
        self, unit: Unit[T], *, begin: bool, hook: Hook | None = None
    ) -> tuple[T, Fault | None]:
        """Run a unit as an executor does, with the faults that `hook` asks for.

        The result, and a fault that strikes when it is committed.
        """
        ask = hook or _no_fault
        _fail(ask(FaultPoint.BEFORE_UNIT, begin), Conflict, ConnectionLost)
        raw, late = self._raw, None
        written = raw.total_changes
        if begin:
            raw.execute("BEGIN")
        try:
            result = unit(self.connection)
            if begin:
                late = ask(FaultPoint.AT_COMMIT, begin)
                if late not in (Fault.LOST_AFTER_COMMIT, Fault.KILL_AFTER_COMMIT):
                    _fail(late, Conflict, CommitUnknown)
                raw.execute("COMMIT")
            elif raw.total_changes != written:
                raise WroteInRead("a unit that only reads has written")
        except BaseException:
            if begin:
                raw.execute("ROLLBACK")
            self.ledger.roll_back()
            raise
        return result, late

    def harness[T](self, unit: Unit[T]) -> T:
        """A transaction of the harness itself, without faults; the ledger follows."""
        result, _ = self.perform(unit, begin=True)
        self.ledger.commit()
        return result


def _no_fault(point: FaultPoint, begin: bool) -> Fault | None:
    return None


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


class Executor:
    """One simulated engine process's way to the database (heat_io.database.executor.Executor)."""

    max_lanes = 1

    def __init__(
        self, storage: Storage, hook: Hook, after_commit: Callable[[list[Any]], None]
    ) -> None:
        self._storage = storage
        self._hook = hook
        self._after_commit = after_commit

    @property
    def engines(self) -> tuple[SqlEngine, ...]:
        return (self._storage.engine,)

    async def run[T](self, unit: Unit[T], *, begin: bool, settle: bool = False) -> T:
        """See heat_io.database.executor. Other tasks get a turn before and after it."""
        await trio.lowlevel.checkpoint()
        try:
            result, late = self._storage.perform(unit, begin=begin, hook=self._hook)
            if begin:
                self._after_commit(self._storage.ledger.commit())
            _fail(late, Conflict, CommitUnknown)
            return result
        finally:
            await trio.lowlevel.cancel_shielded_checkpoint()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()
