"""Calls over the bus: defaults, versions, shielding."""

from collections.abc import Mapping
from typing import Any

import pytest
import trio
import trio.testing

from heat_app.native.engine_client import READING, EngineClient
from heat_core.errors import EntityNotFound
from heat_core.rpc import CallTimeout, RequestContext
from heat_core.rpc.contract import ENGINE_METHODS
from heat_io.messaging import Delivery, InProcessBus, Target

CONTEXT = RequestContext(project_id="P")


class SlowBus:
    """Answers after a while, and says when a call came to its end."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.sent: list[tuple[Target, str, dict[str, Any]]] = []
        self.finished = 0

    async def call(
        self,
        target: Target,
        method: str,
        arguments: Mapping[str, Any],
        context: RequestContext,
        *,
        timeout_seconds: float | None = None,
    ) -> Any:
        self.sent.append((target, method, dict(arguments)))
        await trio.sleep(self.seconds)
        self.finished += 1
        return method


async def test_defaults_and_versions(autojump_clock: trio.testing.MockClock) -> None:
    bus = SlowBus(0)
    client = EngineClient(bus)
    assert await client.call(CONTEXT, "show_stack", stack_identity={"a": 1}) == "show_stack"
    assert bus.sent == [
        (
            Target("engine", version="1.20"),
            "show_stack",
            {"stack_identity": {"a": 1}, "resolve_outputs": True},
        )
    ]
    with pytest.raises(TypeError):
        await client.call(CONTEXT, "show_stack", nonsense=1)


async def test_who_hangs_up_ends_a_read(autojump_clock: trio.testing.MockClock) -> None:
    bus = SlowBus(10)
    with trio.move_on_after(1) as scope:
        await EngineClient(bus).call(CONTEXT, "show_stack", stack_identity={})
    assert scope.cancelled_caught
    assert bus.finished == 0
    assert trio.current_time() == pytest.approx(1)


async def test_who_hangs_up_does_not_end_a_change(autojump_clock: trio.testing.MockClock) -> None:
    bus = SlowBus(10)
    with trio.move_on_after(1):
        await EngineClient(bus).call(CONTEXT, "delete_stack", stack_identity={})
    assert bus.finished == 1
    assert trio.current_time() == pytest.approx(10)


async def test_a_change_has_a_deadline(autojump_clock: trio.testing.MockClock) -> None:
    bus = SlowBus(1000)
    with pytest.raises(CallTimeout):
        await EngineClient(bus, timeout_seconds=60).call(CONTEXT, "delete_stack", stack_identity={})
    assert trio.current_time() == pytest.approx(65)


def test_reading_methods_exist() -> None:
    assert set(ENGINE_METHODS.methods) >= READING
    changing = set(ENGINE_METHODS.methods) - READING
    assert {"create_stack", "update_stack", "delete_stack", "resource_signal"} <= changing


async def test_errors_cross_the_bus_as_their_classes(nursery: trio.Nursery) -> None:
    bus = InProcessBus()

    async def show_stack(delivery: Delivery) -> Any:
        raise EntityNotFound(entity="Stack", name="s")

    nursery.start_soon(bus.serve, "engine", "host", "1.36", {"show_stack": show_stack})
    with pytest.raises(EntityNotFound, match=r"The Stack \(s\) could not be found\."):
        await EngineClient(bus).call(CONTEXT, "show_stack", stack_identity={})
