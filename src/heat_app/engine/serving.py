"""An engine on the bus: three topics, each under the name that others address it by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import trio

from heat_app.engine.service import EngineService
from heat_core.rpc import ENGINE_METHODS, LISTENER_METHODS, WORKER_METHODS
from heat_core.stack import EngineId
from heat_io.messaging import Bus, Delivery, Handler

CALLS_AT_ONCE = 64
CASTS_AT_ONCE = 256
"""check_resource messages taken and not yet acknowledged: a claim is quick, an action is not"""


async def serve(
    bus: Bus,
    service: EngineService,
    *,
    engine_id: EngineId,
    host: str,
    worker_handlers: Mapping[str, Handler],
    stopping: trio.Event | None = None,
    work_ended: Callable[[], None] = lambda: None,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Answer on the topics engine, engine_worker and heat-engine-listener until cancelled.

    The engine topic's server is the host, the others' is the engine's id
    (rules/k-locks-services.md#6). `task_status.started()` once all three are served. Once
    `stopping` is set no more work is taken, and `work_ended` is called when that which was taken is
    handled; others still learn that the engine is alive.
    """
    topics = (
        (ENGINE_METHODS, host, service.handlers(), CALLS_AT_ONCE),
        (WORKER_METHODS, engine_id, worker_handlers, CASTS_AT_ONCE),
        (LISTENER_METHODS, engine_id, listener_handlers(), CALLS_AT_ONCE),
    )
    async with trio.open_nursery() as listening:
        async with trio.open_nursery() as working:
            for topic, server, handlers, concurrency in topics:
                of_work = topic is not LISTENER_METHODS
                await (working if of_work else listening).start(
                    partial(
                        bus.serve,
                        topic.name,
                        server,
                        topic.version,
                        handlers,
                        concurrency=concurrency,
                        stopping=stopping if of_work else None,
                    )
                )
            task_status.started()
        work_ended()


def listener_handlers() -> dict[str, Handler]:
    """What an engine answers to other engines.

    `send` and `stop_stack` are about operations that hold a stack lock. No stack of ours does
    (rules/k-locks-services.md#1), so there is nothing to stop.
    """

    async def listening(delivery: Delivery) -> bool:
        return True

    async def nothing_held(delivery: Delivery) -> None:
        LISTENER_METHODS[delivery.method].accept(delivery.arguments)

    return {"listening": listening, "send": nothing_held, "stop_stack": nothing_held}
