"""The stand-ins for what an engine may do without."""

from __future__ import annotations

from datetime import datetime

import pytest

from heat_core.procedure import HttpCall
from heat_core.rpc import RequestContext
from heat_core.stack.ids import EngineId, StackId, TemplateId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Database
from heat_io.drivers import NoCloud, NoStoredCredentials, OnlyEngine

STACK = StackRecord(
    id=StackId("s"),
    name="st",
    tenant="tenant",
    username="user",
    raw_template_id=TemplateId(1),
    action=Action.CREATE,
    status=Status.COMPLETE,
    created_at=datetime(2026, 3, 1),
)


async def test_without_a_cloud_no_type_may_ask_for_one() -> None:
    with pytest.raises(AssertionError, match="no service is configured for GET /v2"):
        await NoCloud().send(None, HttpCall("GET", "compute", "/v2"))


def test_polls_wait_longer_each_time_up_to_a_limit_or_as_long_as_the_type_says() -> None:
    delays = [NoCloud().poll_delay(None, attempt, None) for attempt in range(20)]
    assert delays == sorted(delays)
    assert delays[0] == pytest.approx(0.2)
    assert delays[-1] == 5.0
    assert NoCloud().poll_delay(None, 0, 7.0) == 7.0


async def test_without_stored_credentials_there_is_nothing_to_act_with_or_to_remove() -> None:
    nobody = NoStoredCredentials()
    assert await nobody.for_stack(STACK) is None
    assert await nobody.create_project(RequestContext(), STACK.id) is None
    context = await nobody.context_for(STACK, RequestContext(request_id="req"))
    assert context == RequestContext(request_id="req", project_id="tenant", username="user")
    asked = RequestContext(project_id="p", username="asker")
    assert (await nobody.context_for(STACK, asked)).username == "asker"
    await nobody.remove(STACK)


async def test_where_no_other_engine_can_be_every_other_is_dead(database: Database) -> None:
    only = OnlyEngine(EngineId("me"))
    assert not await only.is_dead(EngineId("me"))
    assert await only.is_dead(EngineId("other"))
    assert await database.read(lambda connection: only.is_still_dead(connection, EngineId("other")))
