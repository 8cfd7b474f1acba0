"""A connection that runs the production's statements on SQLite without SQLAlchemy's execution.

SQLAlchemy makes the SQL text, the parameters and the conversions of each statement, once. Running
it again costs a fraction of what its own execution does, and a simulation runs hundreds of
statements for each stack. What a plan cannot say (an empty list in IN) goes the long way, by
SQLAlchemy's connection on the same SQLite connection.
"""

from __future__ import annotations

import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

type Processor = Callable[[Any], Any] | None

_MEMO = "_simulation_plans"
_NOTHING: Mapping[str, Any] = {}


class Plan:
    """How to run a statement of one shape with one set of parameter names."""

    __slots__ = ("binds", "compiled", "lists", "long_way", "make", "names", "processors", "text")

    def __init__(self, compiled: Any, dialect: Any) -> None:
        self.compiled = compiled
        self.text: str = compiled.string
        self.lists = frozenset(
            compiled.bind_names[one] for one in compiled.post_compile_params if one.expanding
        )
        self.long_way = bool(
            compiled.literal_execute_params or len(compiled.post_compile_params) != len(self.lists)
        )
        self.names: tuple[str, ...] = tuple(compiled.positiontup or ())
        known = compiled._bind_processors
        self.binds: tuple[Processor, ...] = tuple(known.get(name) for name in self.names)
        columns = compiled._result_columns
        self.make = _row_type([one[0] for one in columns])._make
        self.processors: tuple[tuple[int, Callable[[Any], Any]], ...] = tuple(
            (index, processor)
            for index, one in enumerate(columns)
            if (processor := one[3]._cached_result_processor(dialect, None)) is not None
        )

    def bound(self, values: Mapping[str, Any]) -> list[Any]:
        return [
            values[name] if process is None else process(values[name])
            for name, process in zip(self.names, self.binds, strict=True)
        ]

    def expanded(self, values: Mapping[str, Any]) -> tuple[str, list[Any]]:
        """Text and parameters with the lists of IN written out; none of them may be empty."""
        text, found = self.text, []
        for name, process in zip(self.names, self.binds, strict=True):
            many = values[name] if name in self.lists else (values[name],)
            if name in self.lists:
                marks = ", ".join("?" * len(many))
                text = text.replace(f"__[POSTCOMPILE_{name}]", marks)
            found += many if process is None else map(process, many)
        return text, found

    def names_are(self, parameters: Mapping[str, Any]) -> bool:
        """Whether all values come with the call."""
        return all(name in parameters for name in self.names)

    def row(self, found: tuple[Any, ...]) -> Any:
        values = list(found)
        for index, process in self.processors:
            values[index] = process(values[index])
        return self.make(values)


def _row_type(names: list[str]) -> Any:
    base: Any = namedtuple("Row", names, rename=True)
    by_name = property(lambda row: dict(zip(names, row, strict=True)))
    return type("Row", (base,), {"__slots__": (), "_mapping": by_name})


class Result:
    """What the production reads of a result."""

    __slots__ = ("_cursor", "_plan")

    def __init__(self, plan: Plan, cursor: sqlite3.Cursor) -> None:
        self._plan = plan
        self._cursor = cursor

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount

    @property
    def inserted_primary_key(self) -> tuple[int | None]:
        return (self._cursor.lastrowid,)

    def all(self) -> list[Any]:
        row = self._plan.row
        return [row(found) for found in self._cursor.fetchall()]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.all())

    def first(self) -> Any:
        found = self._cursor.fetchone()
        self._cursor.close()
        return None if found is None else self._plan.row(found)

    def one(self) -> Any:
        (row,) = self.all()
        return row

    def scalars(self) -> list[Any]:
        return [row[0] for row in self.all()]

    def scalar(self) -> Any:
        row = self.first()
        return None if row is None else row[0]

    def scalar_one(self) -> Any:
        return self.one()[0]


class SimulatedConnection:
    """Stands in for a SQLAlchemy Connection, as far as units of work use one.

    `long_way` is one on the same SQLite connection; `plans` may be kept for the next run.
    """

    def __init__(
        self, raw: sqlite3.Connection, long_way: Connection, plans: dict[Any, Any]
    ) -> None:
        self._raw = raw
        self._long_way = long_way
        self.dialect: Any = long_way.dialect
        self.engine = long_way.engine
        self.info: dict[Any, Any] = {}
        self._options = long_way.get_execution_options()
        self._plans = plans

    def get_execution_options(self) -> Mapping[str, Any]:
        return self._options

    def execute(self, statement: Any, parameters: Any = None) -> Any:
        many = isinstance(parameters, list)
        first: Mapping[str, Any] = (parameters[0] if many else parameters) or _NOTHING
        shape = (*first, many)
        memo = statement.__dict__.get(_MEMO)
        known = None if memo is None else memo.get(shape)
        if known is None:
            known = self._planned(statement, first, shape, many)
        plan, fixed = known
        if plan.long_way:
            return self._long_way.execute(statement, parameters)
        if many:
            rows = [plan.bound({**fixed, **one} if fixed else one) for one in parameters]
            return Result(plan, self._raw.executemany(plan.text, rows))
        values = {**fixed, **first} if fixed else first
        if plan.lists:
            if not all(values[name] for name in plan.lists):
                return self._long_way.execute(statement, parameters)
            return Result(plan, self._raw.execute(*plan.expanded(values)))
        return Result(plan, self._raw.execute(plan.text, plan.bound(values)))

    def _planned(
        self, statement: Any, parameters: Mapping[str, Any], shape: Any, many: bool
    ) -> tuple[Plan, Mapping[str, Any]]:
        """The plan, and the values that are written in the statement itself."""
        compiled, extracted, collected, _ = statement._compile_w_cache(
            self.dialect,
            compiled_cache=self._plans,
            column_keys=sorted(parameters),
            for_executemany=many,
        )
        plan = self._plans.get(compiled)
        if plan is None:
            plan = self._plans[compiled] = Plan(compiled, self.dialect)
        fixed: Mapping[str, Any] = _NOTHING
        if not plan.long_way and not plan.names_are(parameters):
            values = compiled.construct_params(
                parameters,
                extracted_parameters=extracted,
                escape_names=False,
                _collected_params=collected,
            )
            fixed = {name: values[name] for name in plan.names if name not in parameters}
        # A statement that is made anew each time has its memo for nothing: that costs little.
        statement.__dict__.setdefault(_MEMO, {})[shape] = (plan, fixed)
        return plan, fixed
