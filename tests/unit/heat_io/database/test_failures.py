"""What errors of drivers mean."""

from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy.exc import IntegrityError, OperationalError

from heat_io.database import CommitUnknown, Conflict, ConnectionLost
from heat_io.database.failures import failure_of


def server(code: object, *, invalidated: bool = False) -> OperationalError:
    return OperationalError("SQL", {}, Exception(code, "text"), connection_invalidated=invalidated)


def sqlite(code: int) -> OperationalError:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = code
    return OperationalError("SQL", {}, error)


@pytest.mark.parametrize("code", [1213, 1205, 1020])
@pytest.mark.parametrize("committing", [False, True])
def test_conflicts_are_conflicts_even_at_commit(code: int, committing: bool) -> None:
    assert type(failure_of(server(code), committing=committing)) is Conflict


@pytest.mark.parametrize("code", [2006, 2013, 2003, 1927, 1047])
def test_a_lost_connection_depends_on_the_moment(code: int) -> None:
    assert type(failure_of(server(code), committing=False)) is ConnectionLost
    assert type(failure_of(server(code), committing=True)) is CommitUnknown


def test_what_sqlalchemy_calls_a_disconnect_is_one() -> None:
    error = server("odd", invalidated=True)
    assert type(failure_of(error, committing=False)) is ConnectionLost


@pytest.mark.parametrize("error", [ConnectionResetError("x"), EOFError(), TimeoutError()])
def test_a_broken_socket_is_a_lost_connection(error: Exception) -> None:
    assert type(failure_of(error, committing=False)) is ConnectionLost
    assert type(failure_of(error, committing=True)) is CommitUnknown


@pytest.mark.parametrize("code", [5, 6, 517])
def test_a_busy_sqlite_is_a_conflict(code: int) -> None:
    assert type(failure_of(sqlite(code), committing=True)) is Conflict


def test_other_errors_are_the_units_own() -> None:
    assert failure_of(sqlite(1), committing=False) is None
    assert failure_of(server(1054), committing=False) is None
    assert failure_of(ValueError(), committing=True) is None
    broken = IntegrityError("SQL", {}, Exception(1452, "no parent"))
    assert failure_of(broken, committing=False) is None


def test_an_odd_answer_to_commit_leaves_it_open() -> None:
    assert type(failure_of(server(1180), committing=True)) is CommitUnknown
