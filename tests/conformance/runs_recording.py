"""The states of our database, one after each commit, in the form of the recorded ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import trio
from sqlalchemy import Connection, Engine, text

from heat_io.database.executor import Executor
from tests.recorded_states import Tables

_EVENT = (
    "SELECT id, physical_resource_id, resource_action, resource_name, resource_status,"
    " resource_status_reason, resource_type, stack_id FROM event ORDER BY id"
)


def read_tables(connection: Connection) -> Tables:
    """All rows that the recording looks at; JSON columns are raw text."""

    def rows(table: str) -> Iterable[dict[str, Any]]:
        query = text(f"SELECT * FROM {table}")  # names of ours
        return [dict(row) for row in connection.execute(query).mappings()]

    tables: Tables = {"stack": {}, "resource": {}, "sync_point": {}, "raw_template": {}}
    for row in rows("stack"):
        row["has_updated_at"] = int(row["updated_at"] is not None)
        tables["stack"][row["id"]] = row
    for row in rows("resource"):
        row["has_props"] = int(row["rsrc_prop_data_id"] is not None)
        row["has_attrs"] = int(row["attr_data_id"] is not None)
        tables["resource"][str(row["id"])] = row
    for row in rows("sync_point"):
        key = f"{row['entity_id']}/{row['traversal_id']}/{int(row['is_update'])}"
        tables["sync_point"][key] = row
    for number in connection.execute(text("SELECT id FROM raw_template")).scalars():
        tables["raw_template"][str(number)] = {"id": number}
    return tables


@dataclass
class Recording:
    """What was committed so far, oldest first; only states that differ from the one before."""

    states: list[Tables] = field(default_factory=list)
    casts: list[Mapping[str, Any]] = field(default_factory=list)
    marked: int = 0

    def mark(self) -> None:
        """What is compared begins with the state of now."""
        self.marked = len(self.states) - 1

    def add(self, state: Tables) -> None:
        if not self.states or self.states[-1] != state:
            self.states.append(state)

    @property
    def last(self) -> Tables:
        return self.states[-1]


class RecordingExecutor:
    """An executor that reads the tables at the end of each transaction, still inside of it.

    Transactions go one at a time, so that the states have one order.
    """

    def __init__(self, executor: Executor, recording: Recording) -> None:
        self._executor = executor
        self._recording = recording
        self._turn = trio.Lock()

    @property
    def max_lanes(self) -> int:
        return self._executor.max_lanes

    @property
    def engines(self) -> tuple[Engine, ...]:
        return self._executor.engines

    async def run[T](
        self, unit: Callable[[Connection], T], *, begin: bool, settle: bool = False
    ) -> T:
        if not begin:
            return await self._executor.run(unit, begin=begin, settle=settle)

        def watched(connection: Connection) -> tuple[T, Tables]:
            result = unit(connection)
            return result, read_tables(connection)

        async with self._turn:
            result, state = await self._executor.run(watched, begin=begin, settle=settle)
            self._recording.add(state)
        return result

    async def aclose(self) -> None:
        await self._executor.aclose()


def read_events(connection: Connection) -> list[dict[str, Any]]:
    """All events, in the order in which they were written."""
    return [dict(row) for row in connection.execute(text(_EVENT)).mappings()]
