"""Counts the SQL that runs: for benchmarks, and for tests that hold costs down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, event


@dataclass(slots=True)
class StatementCounter:
    """What has run since the counter was attached.

    `statements`: statements sent by SQLAlchemy (an executemany is one); `rows`: parameter sets;
    `bytes`: characters of SQL and of text parameters; `commits`; `by_verb`: statements by their
    first words, such as "INSERT resource".
    """

    statements: int = 0
    rows: int = 0
    bytes: int = 0
    commits: int = 0
    by_verb: Counter[str] = field(default_factory=Counter)

    def clear(self) -> None:
        """Start again from zero."""
        self.statements = self.rows = self.bytes = self.commits = 0
        self.by_verb.clear()


@contextmanager
def counting(engines: Sequence[Engine]) -> Iterator[StatementCounter]:
    """Count on `engines` (an executor's) inside the block."""
    counter = StatementCounter()

    def executed(
        connection: Connection, cursor: object, sql: str, parameters: Any, context: Any, many: bool
    ) -> None:
        if sql.startswith(("BEGIN", "PRAGMA")):
            return
        sets = parameters if many else [parameters]
        counter.statements += 1
        counter.rows += len(sets)
        counter.bytes += len(sql) + sum(_size(values) for values in sets)
        counter.by_verb[_verb(sql)] += 1

    def committed(connection: Connection) -> None:
        counter.commits += 1

    for engine in engines:
        event.listen(engine, "before_cursor_execute", executed)
        event.listen(engine, "commit", committed)
    try:
        yield counter
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", executed)
            event.remove(engine, "commit", committed)


def _size(values: Any) -> int:
    parts = values.values() if isinstance(values, dict) else values or ()
    return sum(len(part) if isinstance(part, str | bytes) else 8 for part in parts)


def _verb(sql: str) -> str:
    words = sql.split()
    verb = words[0].upper()
    if verb == "SELECT" and "FROM" in words:
        return f"SELECT {words[words.index('FROM') + 1]}"
    place = {"INSERT": 2, "UPDATE": 1, "DELETE": 2}.get(verb)
    return verb if place is None or len(words) <= place else f"{verb} {words[place]}"
