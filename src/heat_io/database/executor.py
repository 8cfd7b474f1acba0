"""The port that runs units of work: plain functions of a connection.

SQLite runs them in a thread, MariaDB in an asyncio greenlet, the simulator inline. All follow the
same rules: a unit runs once or not at all, it never runs twice by itself; a failed one is rolled
back; what the failure means is told by the exception (heat_io.database.failures).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sqlalchemy import Connection, Engine

type Unit[T] = Callable[[Connection], T]


class Executor(Protocol):
    """Runs units on one database.

    `max_lanes` is how many writers are of use: 1 on SQLite. `engines` are there for statement
    counters.
    """

    @property
    def max_lanes(self) -> int:
        """How many transactions make sense at a time."""
        ...

    @property
    def engines(self) -> tuple[Engine, ...]:
        """The SQLAlchemy engines behind this executor."""
        ...

    async def run[T](self, unit: Unit[T], *, begin: bool, settle: bool = False) -> T:
        """The result of `unit`.

        With `begin` it runs in a transaction, committed when it returns and rolled back when it
        raises. Without, each of its statements stands alone and it must not write. `settle` is
        for reads that must see what became of a transaction whose COMMIT got lost: they wait for
        its row locks.

        Once started, the unit is not cut short by a cancellation; the wait before it may be.
        Raises Conflict, ConnectionLost, CommitUnknown, or what the unit raises.
        """
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...
