"""One unit on one connection, with the moment of COMMIT kept apart from what comes before."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from heat_io.database.executor import Unit
from heat_io.database.failures import failure_of


@dataclass(slots=True)
class Progress:
    """How far a unit has come; read after it was cut short."""

    committing: bool = False


def perform[T](
    connection: Connection, unit: Unit[T], *, begin: bool, progress: Progress | None = None
) -> T:
    """Run `unit`; commit when `begin` asks for it, else end by rolling back.

    Raises Conflict, ConnectionLost, CommitUnknown, or what the unit raises.
    """
    progress = progress or Progress()
    try:
        result = unit(connection)
        if begin:
            progress.committing = True
            connection.commit()
            progress.committing = False
        else:
            connection.rollback()
    except BaseException as error:
        _roll_back(connection)
        failure = failure_of(error, committing=progress.committing)
        if failure is None:
            raise
        raise failure from error
    return result


def _roll_back(connection: Connection) -> None:
    try:
        connection.rollback()
    except Exception:
        # The connection is of no use any more; the server rolls back when it is gone.
        connection.invalidate()
