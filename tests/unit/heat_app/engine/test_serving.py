from __future__ import annotations

from typing import Any

import pytest
import trio
import trio.testing

from heat_app.engine import serve
from heat_core import errors
from heat_core.rpc import ENGINE_METHODS, RequestContext
from heat_core.stack import EngineId
from heat_io.messaging import (
    ENGINE_WORKER,
    LISTENER_TOPIC,
    Cast,
    Delivery,
    InProcessBus,
    Target,
)


async def test_an_engine_answers_on_three_topics(
    world: Any, user: RequestContext, template: dict[str, Any]
) -> None:
    bus = InProcessBus()
    checked: list[Delivery] = []
    done = trio.Event()

    async def check_resource(delivery: Delivery) -> None:
        checked.append(delivery)
        done.set()

    async def start(task_status: trio.TaskStatus[None]) -> None:
        await serve(
            bus,
            world.service,
            engine_id=EngineId("e1"),
            host="host",
            worker_handlers={"check_resource": check_resource},
            task_status=task_status,
        )

    async with trio.open_nursery() as nursery:
        await nursery.start(start)

        async def call(method: str, server: str | None = None, **arguments: Any) -> Any:
            contract = ENGINE_METHODS[method]
            target = Target("engine", server, version=contract.version)
            return await bus.call(target, method, contract.request(**arguments), user)

        identity = await call(
            "create_stack", stack_name="st1", template=template, params={}, files={}, args={}
        )
        assert await call("identify_stack", "host", stack_name="st1") == identity
        (shown,) = await call("show_stack", stack_identity=identity)
        assert shown["stack_status"] == "IN_PROGRESS"
        with pytest.raises(errors.EntityNotFound):
            await call("identify_stack", stack_name="nothing")
        with pytest.raises(errors.NotSupported):
            await call("stack_suspend", stack_identity=identity)

        await bus.cast(Cast(ENGINE_WORKER, "check_resource", {"resource_id": 1}, user))
        await done.wait()
        assert checked[0].arguments == {"resource_id": 1}

        listener = Target(LISTENER_TOPIC, "e1")
        assert await bus.call(listener, "listening", {}, user) is True
        stop = {"stack_identity": identity}
        assert await bus.call(listener, "stop_stack", stop, user) is None
        nursery.cancel_scope.cancel()


async def test_an_engine_that_stops_ends_its_work_and_still_answers_whether_it_lives(
    world: Any, user: RequestContext
) -> None:
    bus = InProcessBus()
    go, begun, stopping, ended = trio.Event(), trio.Event(), trio.Event(), trio.Event()

    async def check_resource(delivery: Delivery) -> None:
        begun.set()
        await go.wait()

    async def start(task_status: trio.TaskStatus[None]) -> None:
        await serve(
            bus,
            world.service,
            engine_id=EngineId("e1"),
            host="host",
            worker_handlers={"check_resource": check_resource},
            stopping=stopping,
            work_ended=ended.set,
            task_status=task_status,
        )

    async with trio.open_nursery() as nursery:
        await nursery.start(start)
        await bus.cast(Cast(ENGINE_WORKER, "check_resource", {}, user))
        await begun.wait()
        stopping.set()
        await trio.testing.wait_all_tasks_blocked()
        assert not ended.is_set()
        go.set()
        await ended.wait()
        assert await bus.call(Target(LISTENER_TOPIC, "e1"), "listening", {}, user) is True
        nursery.cancel_scope.cancel()
