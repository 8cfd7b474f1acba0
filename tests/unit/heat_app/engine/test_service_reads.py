from __future__ import annotations

from dataclasses import replace
from typing import Any

from heat_core.rpc import RequestContext, dumps, loads
from heat_core.stack import EngineId, ServiceRecord
from heat_io.database import services


async def test_the_revision(world: Any) -> None:
    assert await world.call("get_revision") == "unknown"
    world.set(heat_revision="r1")
    assert await world.call("get_revision") == "r1"


async def test_engine_processes(world: Any) -> None:
    record = ServiceRecord(
        id="s1",
        engine_id=EngineId("e1"),
        host="h",
        hostname="hn",
        binary="heat-engine",
        topic="engine",
        report_interval=60,
    )
    await world.database.transaction(lambda connection: services.insert(connection, record))
    (shown,) = await world.call("list_services")
    assert (shown["engine_id"], shown["status"]) == ("e1", "up")
    assert loads(dumps(shown))["created_at"].startswith("2026-11-29T14:00:")
    await world.database.transaction(lambda connection: services.soft_delete(connection, "s1"))
    assert await world.call("list_services") == []


async def test_credentials_of_the_caller(world: Any, user: RequestContext) -> None:
    assert await world.call("authenticated_to_backend") is False
    assert await world.call("authenticated_to_backend", replace(user, auth_token="t")) is True
