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
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Self

import trio

from heat_app.processes import Job, Mutable, Orders, Post, run_server, run_worker

if TYPE_CHECKING:
    from heat_app.config import Settings
    from heat_app.database_settings import DatabasePlan
    from heat_app.engine.assembly import Ground
    from heat_app.engine.operator_files import OperatorFiles
    from heat_app.notification_settings import NotificationPlan
    from heat_app.policy import Policy
    from heat_io.messaging.amqp import AmqpSettings
    from heat_io.openstack import OpenStackSettings

__all__ = ["main"]

log = logging.getLogger(__name__)

PROGRAM = "heat-engine"
LEAST_WORKERS = 4
LOOK_SECONDS = 0.1
SHARED_MODULES = ("heat_app.engine.assembly", "heat_io.asyncio_loop", "heat_io.messaging.amqp")
"""imported before the workers are forked, so that they share their memory"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run engines until a signal; the exit code."""
    return run_server(PROGRAM, sys.argv[1:] if argv is None else argv, _job)


def _job(settings: Settings) -> Job:
    for name in SHARED_MODULES:
        import_module(name)
    start = Start.checked(settings)
    count = settings.num_engine_workers or max(LEAST_WORKERS, os.cpu_count() or 1)

    def work(post: Post, mutable: Mutable) -> int:
        async def serve(orders: Orders) -> None:
            await _engine(start, post, orders, mutable.grace_seconds)

        with start.files.installed():
            return run_worker(post, serve)

    return Job(count, work, begin=start.files.announce)


@dataclass(frozen=True, slots=True)
class Start:
    """A configuration that makes sense, in the forms that the parts want."""

    settings: Settings
    openstack: OpenStackSettings
    broker: AmqpSettings
    notifications: NotificationPlan
    database: DatabasePlan
    policy: Policy
    files: OperatorFiles

    @classmethod
    def checked(cls, settings: Settings) -> Self:
        """Raises ConfigurationProblem for the first thing that can't be used."""
        from heat_app.config import ConfigurationProblem
        from heat_app.database_settings import DatabasePlan
        from heat_app.engine.operator_files import OperatorFiles
        from heat_app.messaging_settings import messaging_settings
        from heat_app.notification_settings import NotificationPlan
        from heat_app.openstack_settings import openstack_settings
        from heat_app.policy import Policy

        try:
            return cls(
                settings,
                openstack_settings(settings),
                messaging_settings(settings, process=PROGRAM),
                NotificationPlan.from_settings(settings, process=PROGRAM),
                DatabasePlan.from_settings(settings.database),
                Policy.from_settings(settings),
                OperatorFiles.read(settings),
            )
        except ValueError as error:
            raise ConfigurationProblem(str(error)) from error


async def _engine(start: Start, post: Post, orders: Orders, grace_seconds: float) -> None:
    from heat_app.engine.assembly import Ground, database_ambient
    from heat_core.stack import EngineId
    from heat_io.asyncio_loop import open_asyncio_loop
    from heat_io.drivers.liveness import FleetLiveness
    from heat_io.messaging.amqp import AmqpBus
    from heat_io.openstack import OpenStack

    settings = start.settings
    engine_id = EngineId(str(uuid.uuid4()))
    async with (
        open_asyncio_loop() as loop,
        OpenStack.open(start.openstack) as openstack,
        start.database.open(database_ambient(settings), loop=loop) as database,
        AmqpBus.open(start.broker, loop=loop) as bus,
        start.notifications.open(loop=loop) as notifications,
        trio.open_nursery() as nursery,
    ):
        liveness = FleetLiveness(
            database,
            bus,
            engine_id,
            lease_seconds=settings.heat_trio.lease_ttl,
            answer_seconds=settings.engine_life_check_timeout,
        )
        nursery.start_soon(liveness.observe, settings.heat_trio.heartbeat_interval)
        ground = Ground(
            settings=settings,
            policy=start.policy,
            engine_id=engine_id,
            database=database,
            bus=bus,
            openstack=openstack,
            liveness=liveness,
            alone=False,
            resume=settings.heat_trio.resume,
            notifications=notifications,
        )
        await _until_told(ground, post, orders, grace_seconds)
        nursery.cancel_scope.cancel()


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
