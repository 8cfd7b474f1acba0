"""The doctor on a cloud's database and broker.

Whether an engine that holds something lives, it is asked itself; where the broker does not answer,
its signs of life have to do. The repair joins the fleet as one more engine, does for the one stack
what is owed, and leaves as a drained engine leaves.
"""

from __future__ import annotations

import logging
import sys
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

import trio

from heat_app.config import ConfigurationProblem, read_command_line
from heat_app.doctor.examination import Engines, Judge, by_signs
from heat_app.doctor.repair import repair
from heat_app.doctor.show import only_stack, print_report, show
from heat_app.engine.assembly import Ground, engine_serving
from heat_app.engine.serving import listener_handlers
from heat_app.engine.start import Start, ground_of
from heat_app.standalone.problem import StartProblem
from heat_app.standalone.stopping import Stopping
from heat_core.rpc import LISTENER_METHODS
from heat_core.stack import EngineId
from heat_io.drivers import Liveness
from heat_io.drivers.liveness import FleetLiveness
from heat_io.sandbox import Sandbox

PROGRAM = "heat-trio doctor"
LONGEST_INTERVAL = timedelta(minutes=2)
"""two of the intervals in which Heat's engines sign"""


def run_on_cloud(
    arguments: Sequence[str],
    text: str,
    *,
    with_repair: bool,
    everything: bool,
    stopping: Stopping,
) -> int:
    """Report on the stack, or repair it; the exit code. `arguments` name heat.conf.

    Raises StartProblem.
    """
    try:
        start = Start.checked(read_command_line(arguments, PROGRAM).settings, PROGRAM)
    except ConfigurationProblem as problem:
        raise StartProblem(str(problem)) from None
    logging.basicConfig(level=logging.ERROR, stream=sys.stderr)
    # Of the same host name as an engine it would get what is meant for that one.
    settings = replace(start.settings, host=f"{start.settings.host}-doctor-{uuid.uuid4().hex[:8]}")
    start = replace(start, settings=settings)
    with Sandbox().installed(), start.files.installed():
        return trio.run(partial(_main, start, text, with_repair, everything, stopping))


async def _main(
    start: Start, text: str, with_repair: bool, everything: bool, stopping: Stopping
) -> int:
    token = trio.lowlevel.current_trio_token()
    code = 1
    async with trio.open_nursery() as nursery:
        stopping.attach(lambda: token.run_sync_soon(nursery.cancel_scope.cancel))
        async with ground_of(start, resume=False) as ground:
            if with_repair:
                code = await _repair(ground, text)
            else:
                code = await _report(ground, text, everything)
        nursery.cancel_scope.cancel()
    return code


async def _report(ground: Ground, text: str, everything: bool) -> int:
    answer_seconds = ground.settings.engine_life_check_timeout
    asking = FleetLiveness(
        ground.database,
        ground.bus,
        ground.engine_id,
        lease_seconds=0.0,
        answer_seconds=answer_seconds,
    )
    async with trio.open_nursery() as nursery:
        served = trio.Event()

        async def listen() -> None:
            async with trio.open_nursery() as listening:
                await listening.start(
                    ground.bus.serve,
                    LISTENER_METHODS.name,
                    ground.engine_id,
                    LISTENER_METHODS.version,
                    listener_handlers(),
                )
                served.set()

        nursery.start_soon(listen)
        with trio.move_on_after(answer_seconds):
            await served.wait()
        judge = by_asking(asking)
        if not served.is_set():
            print(
                "heat-trio: the broker does not answer; engines are judged by their signs of life.",
                file=sys.stderr,
            )
            judge = by_signs(LONGEST_INTERVAL)
        code = await show(ground.database, text, judge, everything=everything)
        nursery.cancel_scope.cancel()
    return code


async def _repair(ground: Ground, text: str) -> int:
    leaving = trio.Event()
    async with engine_serving(ground, stopping=leaving) as engine:
        stack_id = await only_stack(ground.database, text)
        if stack_id is None:
            return 1
        found = await repair(
            engine, ground.database, stack_id, _say, judge=by_asking(ground.liveness)
        )
        _say("")
        print_report(found, everything=False)
        leaving.set()
        engine.begin_to_leave()
    return 0 if found.is_well else 1


def by_asking(liveness: Liveness) -> Judge:
    """What `liveness` says of each."""

    async def judge(engines: Engines, holders: frozenset[EngineId]) -> frozenset[EngineId]:
        dead: set[EngineId] = set()

        async def ask(engine_id: EngineId) -> None:
            if await liveness.is_dead(engine_id):
                dead.add(engine_id)

        async with trio.open_nursery() as nursery:
            for engine_id in sorted(holders):
                nursery.start_soon(ask, engine_id)
        return frozenset(dead)

    return judge


def _say(line: str) -> None:
    print(line, flush=True)
