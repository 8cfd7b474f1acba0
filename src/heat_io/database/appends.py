"""Rows that are only added, gathered over a transaction and stored together at its end.

A lane's transaction carries the writes of many resources. Each adds an event, and some add data;
stored one by one they are half of all statements. So while `gathering` is in force, whoever adds
such rows leaves them here, and they are stored by a statement for each kind, in the order in which
they came. Nobody may look for them before the transaction has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Connection

type Store[R] = Callable[[Connection, Sequence[R]], None]

_PLACE: Final = "heat_trio_appends"


@contextmanager
def gathering(connection: Connection) -> Iterator[None]:
    """Gather what is added in the block, and store it at the end; nothing if the block raises."""
    gathered: dict[Store[Any], list[Any]] = {}
    info = connection.info  # not to be had any more once the connection is lost
    info[_PLACE] = gathered
    try:
        yield
    finally:
        del info[_PLACE]
    for store, rows in gathered.items():
        store(connection, rows)


def append[R](connection: Connection, store: Store[R], rows: Sequence[R]) -> None:
    """Have `store` store the rows: at the end of the gathering, or now where there is none."""
    gathered: dict[Store[Any], list[Any]] | None = connection.info.get(_PLACE)
    if gathered is None:
        store(connection, rows)
    else:
        gathered.setdefault(store, []).extend(rows)
