"""The command `heat-engine`: one engine on MariaDB and RabbitMQ, in a fleet with others.

    heat-engine --config-file /etc/heat/heat.conf

SIGTERM and SIGINT drain: no more messages are taken, what is under way ends if it does so within
[DEFAULT] graceful_shutdown_timeout, the rest is left as it is in the database for another engine.
A second signal ends the process at once. Exit codes: 0 after a signal, 2 for a configuration that
can't be used.
"""

from __future__ import annotations

import logging
import math
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn, Self

import trio

if TYPE_CHECKING:
    from heat_app.config import Configuration, ConfigurationProblem, Settings
    from heat_app.database_settings import DatabasePlan
    from heat_app.engine.assembly import Ground
    from heat_app.engine.operator_files import OperatorFiles
    from heat_app.notification_settings import NotificationPlan
    from heat_app.policy import Policy
    from heat_io.messaging.amqp import AmqpSettings
    from heat_io.openstack import OpenStackSettings

__all__ = ["main"]

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.1


def main(argv: Sequence[str] | None = None) -> int:
    """Run an engine until a signal; the exit code."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)  # nothing is under way yet
    from heat_app.config import ConfigurationProblem, read_command_line

    try:
        return _run(read_command_line(sys.argv[1:] if argv is None else argv, "heat-engine"))
    except ConfigurationProblem as problem:
        print(f"heat-engine: {problem}", file=sys.stderr)
        return 2


def _leave(number: int, frame: object) -> NoReturn:
    raise SystemExit(0)


def _run(configuration: Configuration) -> int:
    from heat_app.process_logging import logging_as_configured
    from heat_io.sandbox import Sandbox

    start = Start.checked(configuration.settings)
    with logging_as_configured(configuration), Sandbox().installed(), start.files.installed():
        start.files.announce()
        try:
            trio.run(_main, start)
        except BaseExceptionGroup as group:
            raise _problem(group) or group from group
    return 0


def _problem(group: BaseExceptionGroup) -> ConfigurationProblem | None:
    """The problem in `group` if it is all that there is."""
    from heat_app.config import ConfigurationProblem

    known, others = group.split(ConfigurationProblem)
    if known is None or others is not None:
        return None
    error: BaseException = known
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, ConfigurationProblem)
    return error


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
                messaging_settings(settings, process="heat-engine"),
                NotificationPlan.from_settings(settings, process="heat-engine"),
                DatabasePlan.from_settings(settings.database),
                Policy.from_settings(settings),
                OperatorFiles.read(settings),
            )
        except ValueError as error:
            raise ConfigurationProblem(str(error)) from error


async def _main(start: Start) -> None:
    told = Told(trio.CancelScope())
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals, told.everything:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(told.listen, signals)
            await _engine(start, told)
            nursery.cancel_scope.cancel()


@dataclass(slots=True)
class Told:
    """What signals have asked for: to stop when the engine serves, to end at once otherwise."""

    everything: trio.CancelScope
    stopping: trio.Event = field(default_factory=trio.Event)
    serves: bool = False

    async def listen(self, signals: AsyncIterator[int]) -> None:
        """Take signals until cancelled."""
        async for _ in signals:
            if not self.serves or self.stopping.is_set():
                self.everything.cancel()
            self.stopping.set()


async def _engine(start: Start, told: Told) -> None:
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
        await _until_told(ground, told)
        nursery.cancel_scope.cancel()


async def _until_told(ground: Ground, told: Told) -> None:
    """Run the engine until it is told to stop, and drain it then."""
    from heat_app.engine.assembly import engine_serving

    drained = trio.Event()
    fields: dict[str, object] = {"engine_id": ground.engine_id, "host": ground.settings.host}
    async with engine_serving(ground, stopping=told.stopping, work_ended=drained.set) as engine:
        told.serves = True
        log.info("the engine serves", extra={"fields": fields})
        await told.stopping.wait()
        log.info("the engine stops", extra={"fields": fields})
        with trio.move_on_after(ground.settings.graceful_shutdown_timeout or math.inf):
            await drained.wait()
            while engine.busy:  # noqa: ASYNC110 - its visits end one by one
                await trio.sleep(LOOK_SECONDS)
        log.info("the engine has stopped", extra={"fields": fields | {"left": engine.busy}})


if __name__ == "__main__":
    sys.exit(main())
