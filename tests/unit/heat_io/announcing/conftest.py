"""A database at head with one stack, and services that answer by script."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest
import trio

from heat_core.procedure import HttpAnswer, HttpCall
from heat_core.rpc import RequestContext
from heat_core.stack.ids import StackId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Ambient,
    Database,
    InlineExecutor,
    memory_engine,
    stacks,
    tags,
    templates,
)
from heat_io.drivers import NoCloud

NOW = datetime(2026, 3, 1, 12, 0, 0, 250)
CONTEXT = RequestContext(project_id="p", user_id="uid", username="u", auth_token="t")


@dataclass
class Services(NoCloud):
    """Takes calls; raises what is in `errors`, in order, and answers when there is no more."""

    sent: list[tuple[Any, HttpCall]] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    seconds: float = 0.0

    async def send(self, credentials: Any, call: HttpCall) -> HttpAnswer:
        await trio.sleep(self.seconds)
        self.sent.append((credentials, call))
        if self.errors:
            raise self.errors.pop(0)
        return HttpAnswer(201)


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    around = Ambient(now=lambda: NOW)
    sql = memory_engine(around)
    async with Database.over(InlineExecutor(sql), surroundings=around) as opened:
        await opened.migrate()
        yield opened
    sql.dispose()


@dataclass
class Home:
    """Stores stacks."""

    database: Database
    count: int = 0

    async def stack(
        self,
        template: Mapping[str, Any] | None = None,
        environment: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> StackRecord:
        self.count += 1
        document = {"heat_template_version": "2018-08-31", "description": "d"}
        content = document if template is None else template

        def unit(connection: Any) -> StackRecord:
            row = templates.insert(connection, content, environment or {})
            values: dict[str, Any] = {
                "id": StackId(f"00000000-0000-4000-8000-{self.count:012}"),
                "name": f"st{self.count}",
                "tenant": "p",
                "raw_template_id": row.id,
                "action": Action.CREATE,
                "status": Status.IN_PROGRESS,
                "status_reason": "Stack CREATE started",
                "current_traversal": TraversalId("t1"),
                "created_at": NOW,
            }
            record = StackRecord(**values | fields)
            stacks.insert(connection, record)
            tags.replace(connection, record.id, ["blue"])
            return record

        return await self.database.transaction(unit)


@pytest.fixture
def home(database: Database) -> Home:
    return Home(database)


@pytest.fixture
def services() -> Services:
    return Services()


@pytest.fixture
def context() -> RequestContext:
    return CONTEXT


@pytest.fixture
def now() -> datetime:
    return NOW
