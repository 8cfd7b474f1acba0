"""The sweeper: what a create that was cut before its traversal began gets from it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from uuid import UUID

import trio.testing

from heat_core.errors import AuthorizationFailure
from heat_core.rpc import RequestContext
from heat_core.stack import Action, EngineId, StackId, StackRecord, Status, TraversalId
from heat_io.database import Ambient, Database, InlineExecutor, memory_engine, stacks, templates
from heat_io.database.schema import metadata
from heat_io.drivers import Engine, NoCloud, NoStoredCredentials, OnlyEngine, Surroundings
from heat_io.messaging import InProcessBus

NOW = datetime(2026, 11, 29)
ME = EngineId("e1")
CUT = StackRecord(
    id=StackId("s"),
    name="st1",
    tenant="PID",
    raw_template_id=0,
    action=Action.CREATE,
    status=Status.IN_PROGRESS,
    current_traversal=TraversalId("not begun"),
)


@dataclass
class Projects(NoStoredCredentials):
    """Makes stacks' projects, or can't."""

    refused: bool = False
    asked: list[tuple[str | None, StackId]] = field(default_factory=list)

    async def create_project(self, context: RequestContext, stack_id: StackId) -> str | None:
        self.asked.append((context.project_id, stack_id))
        if self.refused:
            raise AuthorizationFailure()
        return "project"


@asynccontextmanager
async def _opened(projects: Projects, stack: StackRecord) -> AsyncIterator[tuple[Engine, Database]]:
    """An engine on a database in which somebody has left a stack of no resources."""
    engine = memory_engine(Ambient(now=lambda: NOW, random=lambda: 1.0))
    numbers = count(1)
    with engine.begin() as connection:
        metadata.create_all(connection)
        row = templates.insert(connection, {"heat_template_version": "2018-08-31"}, {})
        stacks.insert(connection, stack.__replace__(raw_template_id=row.id))
    async with Database.over(InlineExecutor(engine)) as database:
        around = Surroundings(
            engine_id=ME,
            database=database,
            bus=InProcessBus(),
            cloud=NoCloud(),
            credentials=projects,
            liveness=OnlyEngine(ME),
            now=lambda: NOW,
            new_uuid=lambda: str(UUID(int=next(numbers))),
            entropy=bytes,
            resume=False,
        )
        async with Engine.open(around) as opened:
            yield opened, database
    engine.dispose()


async def _swept(projects: Projects, stack: StackRecord) -> StackRecord:
    async with _opened(projects, stack) as (engine, database):
        assert await engine.sweeper.sweep() == 1
        await trio.testing.wait_all_tasks_blocked()
        found = await database.read(lambda connection: stacks.fetch(connection, stack.id))
        assert found is not None
        return found


async def test_a_cut_create_gets_the_project_that_it_was_about_to_store() -> None:
    projects = Projects()
    stack = await _swept(projects, CUT)
    assert projects.asked == [("PID", StackId("s"))]
    assert stack.stack_user_project_id == "project"
    assert (stack.action, stack.status) == (Action.CREATE, Status.COMPLETE)


async def test_a_project_that_is_stored_stays() -> None:
    projects = Projects()
    stack = await _swept(projects, CUT.__replace__(stack_user_project_id="stored"))
    assert projects.asked == []
    assert stack.stack_user_project_id == "stored"


async def test_a_stack_completes_without_a_project_when_none_can_be_made() -> None:
    stack = await _swept(Projects(refused=True), CUT)
    assert stack.stack_user_project_id is None
    assert (stack.action, stack.status) == (Action.CREATE, Status.COMPLETE)
