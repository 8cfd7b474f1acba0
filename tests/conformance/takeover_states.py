"""Our engine ends what Heat's database was in the midst of.

Each state of facts/convergence-state.json is put into an empty database as it was recorded: stack,
rows, sync points, with the templates that the requests had. No message is on its way, and the
engine that held rows is gone: all that is known is in the database. Our engine must bring the stack
to where Heat's run ended, on SQLite with a virtual clock and on MariaDB.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

import trio
from sqlalchemy import Connection, text
from trio.testing import MockClock

from heat_core.environment import Environment
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.database import (
    Ambient,
    Database,
    InlineExecutor,
    memory_engine,
    properties_data,
    resource_data,
    templates,
)
from heat_io.database.database import executor_for
from heat_io.database.executor import Executor
from heat_io.database.schema import metadata
from tests.conformance import runs_script as script
from tests.conformance.runs_recording import read_tables
from tests.conformance.runs_stage import ambient_of_runs, on_executor
from tests.recorded_states import Recorded, Tables

END_SECONDS = 120.0
LOOK_SECONDS = 0.1
NOW = datetime(2026, 3, 1, 12)


def _quick(resources: script.Resources) -> script.Resources:
    """The same without waits: how long an action takes has left no trace."""
    found = json.loads(json.dumps(resources))
    for resource in found.values():
        resource.get("properties", {}).pop("action_wait_secs", None)
    return found  # type: ignore[no-any-return] # the same shape as before


DOCUMENTS: Mapping[int, script.Resources] = {
    1: script.DIAMOND,
    2: script.CHANGED,
    3: script.REPLACED,
    4: script.WITH_E,
    5: script.WITH_E,
    6: script.C_FAILS,
    7: script.WITH_E,
    8: script.C_FAILS_ALONE,
    9: script.FIRST,
    10: script.SECOND,
    11: script.CANCELLED,
    12: script.CANCELLED,
    14: script.FAILING,
    16: script.FAILING,
    21: script.GROUP,
    27: script.ALONE,
    28: script.ALONE_CHANGED,
    30: script.WITH_PARAMETERS,
    31: script.WITH_PARAMETERS,
    33: script.WITH_PARAMETERS,
}
"""By id of the recorded template; those that are not here have no resources."""
PARAMETERS: Mapping[int, str] = {30: "one", 31: "two", 33: "two"}
WITHOUT_ROWS = ("nested",)
"""Scenarios of which the recording lacks rows: those of the nested stack"""

DIFFERENT: Mapping[str, str] = {
    r"cancel without rollback: state \d+: .*'rows': \[\('a', 'UPDATE', '(COMPLETE|FAILED)'\).*": (
        "the recording ends while the row is at work"
    ),
    r"update with a stale lock of a dead engine on a: state [01]: .*": (
        "what a dead engine held is taken over in place, Heat replaces it"
    ),
    r"(create|update) failure without rollback.*: state 8: .*": (
        "a failure that nobody had told of is tried again"
    ),
}
"""Beginnings whose end is meant to be another than Heat's, as patterns: why"""


@dataclass(frozen=True, slots=True)
class Start:
    """One state to begin with, and where Heat came from there."""

    scenario: script.Scenario
    number: int
    state: Tables
    final: Tables

    @property
    def name(self) -> str:
        return f"{self.scenario.name}: state {self.number}"


def starts(recorded: Mapping[str, Recorded]) -> Iterator[Start]:
    """All states of the scenarios whose operation is built."""
    for scenario in script.SCRIPT:
        if scenario.missing or scenario.error or scenario.name.startswith(WITHOUT_ROWS):
            continue
        one = recorded[scenario.name]
        for number, state in enumerate(one.states):
            (stack,) = state["stack"].values()
            if "snapshot" not in (stack["current_deps"] or ""):  # those are not built
                yield Start(scenario, number, state, one.final)


# --- putting a state into a database -----------------------------------------------------------


class Loader:
    """Writes one state's rows, and what the recording leaves out of them."""

    def __init__(self, connection: Connection, start: Start) -> None:
        self._connection = connection
        self._start = start
        self._state = start.state

    def load(self) -> None:
        for table in reversed(metadata.sorted_tables):
            if table.name != "alembic_version":
                self._connection.execute(table.delete())
        (stack,) = self._state["stack"].values()
        wanted = {stack["raw_template_id"], stack["prev_raw_template_id"]}
        wanted |= {row["current_template_id"] for row in self._state["resource"].values()}
        for number in sorted(wanted - {None}):
            self._template(number)
        self._stack(stack)
        for row in self._state["resource"].values():
            self._row(row, stack["id"])
        for point in self._state["sync_point"].values():
            input_data = json.loads(point["input_data"])
            for entry in input_data.get("input_data", {}).values():
                if isinstance(entry, dict):
                    entry["reference_id"] = _own(entry["reference_id"], entry["id"])
            values = {**point, "input_data": json.dumps(input_data)}
            self._insert("sync_point", {**values, "stack_id": stack["id"], "created_at": NOW})

    def _insert(self, table: str, values: Mapping[str, Any]) -> None:
        names = ", ".join(f"`{name}`" for name in values)
        marks = ", ".join(f":{name}" for name in values)
        # Names of ours; JSON columns are raw text already.
        self._connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), values)

    def _template(self, number: int) -> None:
        sections: dict[str, Any] = {"outputs": script.ST1_OUTPUTS} if number <= 12 else {}
        environment: dict[str, Any] = Environment().stored()
        if number in PARAMETERS:
            sections = {"parameters": script.PARAMETERS}
            environment["parameters"] = {"p": PARAMETERS[number]}
        resources = _quick(DOCUMENTS.get(number, {}))
        if number in DOCUMENTS:
            document = {"heat_template_version": "2018-08-31", **sections, "resources": resources}
        else:
            document = {"heat_template_version": "2018-08-31", "resources": {}}
        made = templates.insert(self._connection, document, environment).id
        self._connection.execute(
            text("UPDATE raw_template SET id = :number WHERE id = :made"),
            {"number": number, "made": made},
        )

    def _stack(self, recorded: Mapping[str, Any]) -> None:
        values = {key: value for key, value in recorded.items() if key != "has_updated_at"}
        values |= {
            "name": self._start.scenario.stack,
            "created_at": NOW,
            "updated_at": NOW if recorded["has_updated_at"] else None,
            "tenant": "PID",
            "username": "uname",
            "disable_rollback": 0 if "with rollback" in self._start.scenario.name else 1,
            "stack_user_project_id": "SUP",
            "backup": 0,
            "nested_depth": 0,
        }
        values["deleted_at"] = None if recorded["deleted_at"] is None else NOW
        self._insert("stack", values)

    def _row(self, recorded: Mapping[str, Any], stack_id: str) -> None:
        values = {
            key: value for key, value in recorded.items() if key not in ("has_props", "has_attrs")
        }
        values |= {
            "uuid": str(UUID(bytes=recorded["id"].to_bytes(16), version=4)),
            "stack_id": stack_id,
            "created_at": NOW,
            "properties_data": "null",
            "nova_instance": _own(recorded["nova_instance"], recorded["id"]),
        }
        number = recorded["current_template_id"]
        if recorded["has_props"]:
            properties = self._properties(number, recorded["name"])
            values["rsrc_prop_data_id"] = properties_data.insert(self._connection, properties)
        self._insert("resource", values)
        if recorded["nova_instance"] and recorded["has_props"]:
            value = self._properties(number, recorded["name"]).get("value")
            if value is not None:
                resource_data.set_many(self._connection, recorded["id"], {"value": value})

    def _properties(self, number: int, name: str) -> dict[str, Any]:
        """What the row was made from: references are to resources that are there."""
        resources = _quick(DOCUMENTS.get(number, {}))
        if name not in resources:
            return {}
        found: dict[str, Any] = {}
        for key, value in resources[name].get("properties", {}).items():
            found[key] = self._resolved(number, value)
        return found

    def _resolved(self, number: int, value: Any) -> Any:
        match value:
            case {"get_attr": [str(name), "output"]}:
                return self._properties(number, name)["value"]
            case {"get_resource": str(name)}:
                rows = [row for row in self._state["resource"].values() if row["name"] == name]
                rows.sort(key=lambda row: int(row["id"]))
                # What has replaced it since then was not there yet.
                then = [row for row in rows if row["current_template_id"] <= number]
                newest = max(then or rows[:1], key=lambda row: int(row["id"]))
                return _own(newest["nova_instance"], newest["id"])
            case {"get_param": "p"}:
                return PARAMETERS[number]
        return value


def _own(physical_id: str | None, row_id: int) -> str | None:
    """A name of the row's own: the recording has one mark for the chance in all of them."""
    return physical_id and physical_id.replace("<shortid>", f"{row_id:012d}")


# --- ending it -----------------------------------------------------------------------------------


def ended(tables: Tables) -> bool:
    """Whether nothing is left to do."""
    if not tables:
        return False
    rows = tables["resource"].values()
    stacks = tables["stack"].values()
    current = {stack["current_traversal"] for stack in stacks}
    points = tables["sync_point"].values()
    return (
        all(point["traversal_id"] not in current for point in points)
        and all(row["engine_id"] is None for row in rows)
        and all(stack["status"] != "IN_PROGRESS" for stack in stacks)
        and all(
            stack["deleted_at"] is not None
            for stack in stacks
            if (stack["action"], stack["status"]) == ("DELETE", "COMPLETE")
        )
    )


def summary(tables: Tables) -> dict[str, Any]:
    """The stack and its rows, without what depends on how often something was tried."""
    (stack,) = tables["stack"].values()
    return {
        "stack": (stack["action"], stack["status"], stack["deleted_at"] is not None),
        "rows": sorted(
            (row["name"], row["action"], row["status"]) for row in tables["resource"].values()
        ),
    }


@dataclass
class Outcome:
    """How many states were ended as Heat ended them, and what was different."""

    passed: int = 0
    meant: Counter[str] = field(default_factory=Counter)
    """how many ended otherwise as they are meant to, by the reason"""
    failed: list[str] = field(default_factory=list)
    by_scenario: Counter[str] = field(default_factory=Counter)


async def _end(executor: Executor, around: Ambient, dialect: str, start: Start) -> str | None:
    """What is wrong with the end of one state; None when nothing is."""
    async with Database.over(executor, surroundings=around) as database:
        await database.transaction(lambda connection: Loader(connection, start).load())
    async with on_executor(executor, around, dialect, resume=True) as stage:
        tables: Tables = {}
        before: Tables = {}
        with trio.move_on_after(END_SECONDS):
            # Its tables are read one after the other: it has ended if they stay so.
            while not ended(tables) or tables != before:
                await trio.sleep(LOOK_SECONDS)
                before, tables = tables, await stage.database.read(read_tables)
        if not ended(tables):
            return f"not ended: {summary(tables)}"
    wanted, found = summary(start.final), summary(tables)
    return None if wanted == found else f"{found}, not {wanted}"


async def _all(
    executor: Executor,
    around: Ambient,
    dialect: str,
    recorded: Mapping[str, Recorded],
    every: int = 1,
) -> Outcome:
    outcome = Outcome()
    for start in islice(starts(recorded), 0, None, every):
        wrong = await _end(_Kept(executor), around, dialect, start)
        outcome.by_scenario[start.scenario.name] += 1
        if wrong is None:
            outcome.passed += 1
            continue
        told = f"{start.name}: {wrong}"
        why = next((DIFFERENT[each] for each in DIFFERENT if re.fullmatch(each, told)), None)
        if why is None:
            outcome.failed.append(told)
        else:
            outcome.meant[why] += 1
    return outcome


class _Kept:
    """An executor that stays open when the database on it is closed."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.max_lanes = executor.max_lanes
        self.engines = executor.engines

    async def run[T](
        self, unit: Callable[[Connection], T], *, begin: bool, settle: bool = False
    ) -> T:
        return await self._executor.run(unit, begin=begin, settle=settle)

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


def ended_on_sqlite(recorded: Mapping[str, Recorded]) -> Outcome:
    async def work() -> Outcome:
        around = ambient_of_runs()
        sql = memory_engine(around)
        executor = InlineExecutor(sql)
        async with Database.over(_Kept(executor), surroundings=around) as database:
            await database.migrate()
        try:
            return await _all(executor, around, "sqlite", recorded)
        finally:
            sql.dispose()

    found: Outcome = trio.run(work, clock=MockClock(autojump_threshold=0))
    return found


def ended_on_mariadb(recorded: Mapping[str, Recorded], url: str, every: int) -> Outcome:
    """Of the states one in `every`: there the clock is a real one."""

    async def work() -> Outcome:
        around = ambient_of_runs()
        async with open_asyncio_loop() as loop:
            executor = executor_for(url, around, loop=loop)
            try:
                return await _all(executor, around, "mysql", recorded, every)
            finally:
                await executor.aclose()

    found: Outcome = trio.run(work)
    return found
