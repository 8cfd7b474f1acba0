"""The bus on RabbitMQ: calls one after the other and at once, casts in batches, CPU and seconds.

Each is measured twice, with a pass of Trio's scheduler for each asyncio callback, as trio-asyncio
has it, and with several (heat_io.asyncio_loop). Limit: several take at most 0.8 of the CPU time.
Needs a broker (HEAT_TRIO_TEST_AMQP) and rabbitmqctl; without them it is not run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import trio
import trio_asyncio

from heat_core.rpc import RequestContext
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging import Cast, Delivery, Target
from heat_io.messaging.amqp import AmqpBus
from tests.broker import NoBroker, VirtualHost, amqp_url, virtual_host

LIMIT = 0.8
CALLS = 150
CASTS = 1500
CONTEXT = RequestContext(request_id="req-1", project_id="p")
TOPIC = Target("bench")
ROUNDS = 3


async def _answer(delivery: Delivery) -> int:
    return 1


async def calls_in_turn(bus: AmqpBus) -> None:
    for n in range(CALLS):
        await bus.call(TOPIC, "m", {"n": n}, CONTEXT)


async def calls_at_once(bus: AmqpBus) -> None:
    async with trio.open_nursery() as nursery:
        for n in range(CALLS):
            nursery.start_soon(bus.call, TOPIC, "m", {"n": n}, CONTEXT)


async def casts_in_batches(bus: AmqpBus) -> None:
    """Published and handled: the call at the end comes after them."""
    for _ in range(CASTS // 300):
        await bus.cast_many([Cast(TOPIC, "m", {"n": n}, CONTEXT) for n in range(300)])
    await bus.call(TOPIC, "m", {}, CONTEXT)


WORK: dict[str, tuple[int, Callable[[AmqpBus], Awaitable[None]]]] = {
    "calls in turn": (CALLS, calls_in_turn),
    "calls at once": (CALLS, calls_at_once),
    "casts in batches of 300": (CASTS, casts_in_batches),
}


@asynccontextmanager
async def _plain_loop() -> AsyncIterator[Any]:
    async with trio_asyncio.open_loop() as loop:
        yield loop


async def _measure(place: VirtualHost, open_loop: Any) -> dict[str, tuple[float, float]]:
    """CPU and wall seconds of each, client and server in this process: the best of the rounds."""
    found: dict[str, tuple[float, float]] = {}
    async with (
        open_loop() as loop,
        AmqpBus.open(place.settings(), loop=loop) as bus,
        trio.open_nursery() as nursery,
    ):
        await nursery.start(partial(bus.serve, TOPIC.topic, "s", "1.0", {"m": _answer}))
        await bus.call(TOPIC, "m", {}, CONTEXT)
        for name, (_, work) in WORK.items():
            for _ in range(ROUNDS):
                cpu, wall = time.process_time(), time.perf_counter()
                await work(bus)
                took = (time.process_time() - cpu, time.perf_counter() - wall)
                found[name] = min(found.get(name, took), took)
        nursery.cancel_scope.cancel()
    return found


def main() -> int:
    """Measure and print; 1 when the limit is not met."""
    try:
        with virtual_host(amqp_url()) as place:
            single = trio.run(_measure, place, _plain_loop)
            several = trio.run(_measure, place, open_asyncio_loop)
    except NoBroker as missing:
        print(f"not run: {missing}")
        return 0
    code = 0
    print(f"{'':26}{'one a pass':>22}{'several a pass':>22}{'CPU':>8}")
    for name, (count, _) in WORK.items():
        ratio = several[name][0] / single[name][0]
        columns = [
            f"{cpu / count * 1000:8.2f} ms CPU {wall / count * 1000:6.2f} ms"
            for cpu, wall in (single[name], several[name])
        ]
        print(f"{name:26}{columns[0]:>22}{columns[1]:>22}{ratio:8.2f}")
        code = 1 if ratio > LIMIT else code
    return code


if __name__ == "__main__":
    sys.exit(main())
