"""An engine on the bus: three topics, each under the name that others address it by."""

from __future__ import annotations

from collections.abc import Mapping

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
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Answer on the topics engine, engine_worker and heat-engine-listener until cancelled.

    The engine topic's server is the host, the others' is the engine's id
    (rules/k-locks-services.md#6). `task_status.started()` once all three are served.
    """
    topics = (
        (ENGINE_METHODS, host, service.handlers(), CALLS_AT_ONCE),
        (WORKER_METHODS, engine_id, worker_handlers, CASTS_AT_ONCE),
        (LISTENER_METHODS, engine_id, listener_handlers(), CALLS_AT_ONCE),
    )
    async with trio.open_nursery() as nursery:
        for topic, server, handlers, concurrency in topics:
            await nursery.start(
                _serve_topic, bus, topic.name, server, topic.version, handlers, concurrency
            )
        task_status.started()


async def _serve_topic(
    bus: Bus,
    topic: str,
    server: str,
    version: str,
    handlers: Mapping[str, Handler],
    concurrency: int,
    *,
    task_status: trio.TaskStatus[None],
) -> None:
    await bus.serve(
        topic, server, version, handlers, concurrency=concurrency, task_status=task_status
    )


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
