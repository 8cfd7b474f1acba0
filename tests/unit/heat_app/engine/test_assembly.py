"""What heat.conf says about an engine arrives where the engine looks for it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any

import pytest

from heat_app.config import OwnSettings, RevisionSettings, Settings
from heat_app.engine import assembly
from heat_app.engine.assembly import Ground, database_ambient, engine_serving
from heat_core.errors import RequestLimitExceeded
from heat_core.stack import EngineId, StackLimits
from heat_io.database import Retention
from heat_io.drivers import Surroundings

SETTINGS = Settings(
    max_nested_stack_depth=2,
    max_resources_per_stack=7,
    max_template_size=1234,
    action_retry_limit=9,
    max_events_per_stack=11,
    event_purge_batch_size=3,
    max_stacks_per_tenant=5,
    hidden_stack_tags=("h",),
    revision=RevisionSettings(heat_revision="r"),
    heat_trio=OwnSettings(nodes_in_flight=6, heartbeat_interval=2.5, resume=False),
)


class _Seen(Exception):
    """The engine would have been opened."""


class _Anything:
    def __getattr__(self, name: str) -> Any:
        return _Anything()


def _ground() -> Ground:
    anything: Any = _Anything()
    return Ground(
        settings=SETTINGS,
        policy=anything,
        engine_id=EngineId("e"),
        database=anything,
        bus=anything,
        openstack=anything,
        liveness=anything,
        alone=False,
    )


async def test_limits_and_retries_reach_the_drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Surroundings] = []

    @asynccontextmanager
    async def opened(around: Surroundings) -> Any:
        seen.append(around)
        raise _Seen
        yield

    monkeypatch.setattr(assembly.Engine, "open", opened)
    with pytest.RaisesGroup(_Seen):
        async with engine_serving(_ground()):
            raise AssertionError("it was opened")
    (around,) = seen
    limits = StackLimits(max_nested_stack_depth=2, max_resources_per_stack=7)
    assert around.limits == limits
    assert around.action_retry_limit == 9
    assert around.nodes_in_flight == 6
    assert around.sweep_interval_seconds == 2.5
    assert around.takes_over is False


def test_the_endpoints_have_the_same_limits() -> None:
    made = assembly._engine_settings(SETTINGS)
    assert made.stack_limits == StackLimits(max_nested_stack_depth=2, max_resources_per_stack=7)
    assert (made.max_stacks_per_tenant, made.hidden_stack_tags) == (5, ("h",))
    assert made.heat_revision == "r"
    with pytest.raises(RequestLimitExceeded):
        made.stack_limits.check_depth(2)


def test_the_database_keeps_as_many_events_as_told() -> None:
    assert database_ambient(SETTINGS).retention == Retention(11, 3)


async def test_templates_are_fetched_within_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    class Fetcher:
        def __init__(self, **limits: Any) -> None:
            asked.append(limits)

        async def fetch(self, url: str) -> bytes:
            raise AssertionError(url)

    monkeypatch.setattr(assembly, "TemplateFetcher", Fetcher)
    validator = assembly._validator(SETTINGS, _Anything())  # type: ignore[arg-type] # stands in for procedures
    assert asked == [{"limit_bytes": 1234, "deadline_seconds": 60}]
    assert validator._max_template_size == 1234
    assert validator._limits.max_nested_stack_depth == 2
