"""The command `heat-engine`: engines on MariaDB and RabbitMQ, in a fleet with others.

    heat-engine --config-file /etc/heat/heat.conf

num_engine_workers processes under a supervisor (heat_app.processes). SIGTERM and SIGINT drain: no
more messages are taken, what is under way ends if it does so within graceful_shutdown_timeout, the
rest is handed over to other engines. A second signal ends the processes at once. SIGHUP reads the
configuration again and replaces the workers. Exit codes: 0 after a signal, 2 for a configuration
that can't be used.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import trio

from heat_app.processes import Job, Mutable, Orders, Post, run_server, run_worker

if TYPE_CHECKING:
    from heat_app.config import Settings
    from heat_app.engine.assembly import Ground
    from heat_app.engine.start import Start

__all__ = ["main"]

log = logging.getLogger(__name__)

PROGRAM = "heat-engine"
LEAST_WORKERS = 4
LOOK_SECONDS = 0.1


def main(argv: Sequence[str] | None = None) -> int:
    """Run engines until a signal; the exit code."""
    return run_server(PROGRAM, sys.argv[1:] if argv is None else argv, _job)


def _job(settings: Settings) -> Job:
    # Imported before the workers are forked, so that they share its memory.
    from heat_app.engine.start import Start

    start = Start.checked(settings, PROGRAM)
    count = settings.num_engine_workers or max(LEAST_WORKERS, os.cpu_count() or 1)

    def work(post: Post, mutable: Mutable) -> int:
        async def serve(orders: Orders) -> None:
            await _engine(start, post, orders, mutable.grace_seconds)

        with start.files.installed():
            return run_worker(post, serve)

    return Job(count, work, begin=start.files.announce)


async def _engine(start: Start, post: Post, orders: Orders, grace_seconds: float) -> None:
    from heat_app.engine.start import ground_of

    async with ground_of(start, resume=start.settings.heat_trio.resume) as ground:
        await _until_told(ground, post, orders, grace_seconds)


async def _until_told(ground: Ground, post: Post, orders: Orders, grace_seconds: float) -> None:
    """Run the engine until it is told to end, and drain it then."""
    from heat_app.engine.assembly import engine_serving

    drained = trio.Event()
    fields: dict[str, object] = {"engine_id": ground.engine_id, "host": ground.settings.host}
    async with engine_serving(ground, stopping=orders.ending, work_ended=drained.set) as engine:
        orders.serves = True
        post.say_ready()
        log.info("the engine serves", extra={"fields": fields})
        await orders.ending.wait()
        log.info("the engine stops", extra={"fields": fields | {"busy": engine.busy}})
        engine.begin_to_leave()
        with trio.move_on_after(grace_seconds):
            await drained.wait()
            while engine.busy:  # noqa: ASYNC110 - its visits end one by one
                await trio.sleep(LOOK_SECONDS)
        log.info("the engine hands over", extra={"fields": fields | {"left": engine.busy}})
    log.info("the engine has stopped", extra={"fields": fields})


if __name__ == "__main__":
    sys.exit(main())
