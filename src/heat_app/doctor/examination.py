"""Looking at a stack and all that is nested in it; nothing is changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import trio
from sqlalchemy import Connection

from heat_core.convergence.diagnosis import Diagnosis, diagnose
from heat_core.convergence.recovery import Traces
from heat_core.stack import EngineId, ServiceRecord, StackId, StackRecord
from heat_io.database import Database, services, stack_lists, stacks
from heat_io.database.stack_lists import StackQuery
from heat_io.drivers.traces import read_traces


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines that have signed, and which of those that hold something are dead."""

    services: Mapping[EngineId, ServiceRecord]
    now: datetime
    dead: frozenset[EngineId] = frozenset()

    def is_dead(self, engine_id: EngineId) -> bool:
        """Whether nobody can be at work under that id; only for those that hold something."""
        return engine_id in self.dead

    def age(self, engine_id: EngineId) -> timedelta | None:
        """Since when the engine has not signed; None for one that is not known (any more)."""
        service = self.services.get(engine_id)
        signed = None if service is None else service.updated_at or service.created_at
        return None if signed is None else self.now - signed


type Judge = Callable[[Engines, frozenset[EngineId]], Awaitable[frozenset[EngineId]]]
"""Which of some engines are dead."""


def by_signs(fresh: timedelta, *, somebody_runs: bool = True) -> Judge:
    """Alive are those that have signed within `fresh`, if any process runs at all."""

    async def judge(engines: Engines, holders: frozenset[EngineId]) -> frozenset[EngineId]:
        await trio.lowlevel.checkpoint()
        if not somebody_runs:
            return holders
        ages = {one: engines.age(one) for one in holders}
        return frozenset(one for one, age in ages.items() if age is None or age > fresh)

    return judge


@dataclass(frozen=True, slots=True)
class Examination:
    """The diagnoses of a stack and of those nested in it, parents first."""

    engines: Engines
    diagnoses: tuple[Diagnosis, ...]

    @property
    def is_well(self) -> bool:
        """Whether no stack of the tree is owed anything."""
        return all(diagnosis.is_well for diagnosis in self.diagnoses)

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is under way in the tree, and nothing is owed."""
        return self.is_well and not any(one.is_under_way for one in self.diagnoses)


def find_stacks(connection: Connection, text: str) -> list[StackRecord]:
    """The live stacks of any project that `text` names or is the id of."""
    found: dict[StackId, StackRecord] = {}
    for column in ("id", "name"):
        query = StackQuery(tenant=None, filters={column: text}, show_nested=True)
        found |= {stack.id: stack for stack in stack_lists.list_stacks(connection, query)}
    return sorted(found.values(), key=lambda stack: stack.id)


async def examine(
    database: Database, stack_id: StackId, *, judge: Judge, now: datetime
) -> Examination:
    """Look at the stack's tree as it is now. A stack that is gone is left out."""

    def unit(connection: Connection) -> tuple[Engines, list[Traces]]:
        known = {EngineId(one.engine_id): one for one in services.list_live(connection)}
        found = [read_traces(connection, stack) for stack in _tree(connection, stack_id)]
        return Engines(known, now), [traces for traces in found if traces is not None]

    engines, found = await database.read(unit)
    holders = {row.engine_id for traces in found for row in traces.rows if row.engine_id}
    engines = replace(engines, dead=await judge(engines, frozenset(holders)))
    return Examination(
        engines,
        tuple(diagnose(traces, is_dead=engines.is_dead, now=now) for traces in found),
    )


def _tree(connection: Connection, stack_id: StackId) -> Sequence[StackRecord]:
    root = stacks.fetch(connection, stack_id, with_deps=False)
    found = [] if root is None else [root]
    for stack in found:
        found += stacks.children(connection, stack.id)
    return found
