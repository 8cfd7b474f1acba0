"""What a database error means for the unit of work that met it.

Three outcomes matter: nothing was applied and trying again may help (Conflict, ConnectionLost),
or the connection went away at COMMIT and nobody can tell (CommitUnknown). Anything else is the
unit's own mistake and passes through as it is.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy.exc import DBAPIError


class DatabaseFailure(Exception):
    """Base of the failures that come from the database's side, not from the unit."""


class Conflict(DatabaseFailure):
    """Deadlock, lock wait timeout or a changed record: rolled back, may be repeated."""


class ConnectionLost(DatabaseFailure):
    """No connection, or it went away before COMMIT: rolled back, may be repeated."""


class CommitUnknown(DatabaseFailure):
    """The connection went away while COMMIT was under way: applied or not, nobody can tell."""


# 1213 deadlock (Galera's certification failure too), 1205 lock wait timeout, 1020 record changed
# since it was read (MariaDB 11.6+), 3572 lock not available without waiting.
_CONFLICTS: Final = frozenset({1213, 1205, 1020, 3572})
# Client codes 2xxx; 1927 killed, 1053 shutting down, 1047 Galera node not ready, 4031 idle too
# long, 1040 and 1203 too many connections, 1152 and 1184 aborted, 1158 to 1161 network errors.
_LOST: Final = frozenset(
    {
        2000, 2002, 2003, 2005, 2006, 2012, 2013, 2014, 2027, 2045, 2055, 1927, 1053, 1047, 4031,
        1040, 1203, 1152, 1184, 1158, 1159, 1160, 1161,
    }
)  # fmt: skip
_SQLITE_BUSY: Final = 5
_SQLITE_LOCKED: Final = 6


def failure_of(error: BaseException, *, committing: bool) -> DatabaseFailure | None:
    """What `error` means; None when it is not the database's doing.

    `committing` says that COMMIT had been sent when the error came.
    """
    if isinstance(error, OSError | EOFError):
        return _lost(error, committing)
    if not isinstance(error, DBAPIError):
        return None
    original = error.orig
    sqlite_code = getattr(original, "sqlite_errorcode", None)
    if sqlite_code is not None:
        busy = sqlite_code & 0xFF in (_SQLITE_BUSY, _SQLITE_LOCKED)
        return Conflict(str(original)) if busy else None
    code = _server_code(original)
    if code in _CONFLICTS:
        return Conflict(str(original))
    if error.connection_invalidated or code in _LOST or isinstance(original, OSError | EOFError):
        return _lost(error, committing)
    # An error that COMMIT itself answers with leaves it open what the server did.
    return CommitUnknown(str(original)) if committing else None


def _lost(error: BaseException, committing: bool) -> DatabaseFailure:
    return CommitUnknown(str(error)) if committing else ConnectionLost(str(error))


def _server_code(original: BaseException | None) -> int | None:
    arguments = original.args if original is not None else ()
    return arguments[0] if arguments and isinstance(arguments[0], int) else None
