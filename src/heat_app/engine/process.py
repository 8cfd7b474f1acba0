"""The command `heat-engine`: one engine on MariaDB and RabbitMQ, in a fleet with others.

    heat-engine --config-file /etc/heat/heat.conf

SIGTERM and SIGINT drain: no more messages are taken, what is under way ends if it does so within
DRAIN_SECONDS, the rest is left as it is in the database for another engine. A second signal ends
the process at once. Exit codes: 0 after a signal, 2 for a configuration that can't be used.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self

import trio

if TYPE_CHECKING:
    from sqlalchemy import URL

    from heat_app.config import Settings
    from heat_app.engine.assembly import Ground
    from heat_app.policy import Policy
    from heat_io.messaging.amqp import AmqpSettings
    from heat_io.openstack import OpenStackSettings

__all__ = ["DRAIN_SECONDS", "main"]

log = logging.getLogger(__name__)

DRAIN_SECONDS = 60.0
LOOK_SECONDS = 0.1


class ConfigurationProblem(Exception):
    """What is wrong with the configuration, in a sentence."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run an engine until a signal; the exit code."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)  # nothing is under way yet
    arguments = _arguments(sys.argv[1:] if argv is None else argv)
    try:
        settings = _settings(arguments)
        return _run(settings)
    except ConfigurationProblem as problem:
        print(f"heat-engine: {problem}", file=sys.stderr)
        return 2


def _leave(number: int, frame: object) -> NoReturn:
    raise SystemExit(0)


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="heat-engine", description="The engine of heat-trio: acts on stacks."
    )
    parser.add_argument(
        "--config-file",
        action="append",
        type=Path,
        metavar="PATH",
        help="a heat.conf, several times for several; default: where oslo.config looks",
    )
    parser.add_argument(
        "--config-dir",
        action="append",
        type=Path,
        metavar="DIR",
        help="a folder whose *.conf files are read after those",
    )
    parser.add_argument("--version", action="version", version=f"heat-trio {version('heat-trio')}")
    return parser.parse_args(argv)


def _settings(arguments: argparse.Namespace) -> Settings:
    from oslo_config import cfg

    from heat_app.config import Settings

    files = arguments.config_file
    if files is None:
        files = [Path(name) for name in cfg.find_config_files(project="heat", prog="heat-engine")]
    folders = arguments.config_dir
    if folders is None:
        found = cfg.find_config_dirs(project="heat", prog="heat-engine")
        folders = [Path(name) for name in found]
    for folder in folders:
        if not folder.is_dir():
            raise ConfigurationProblem(f"there is no folder {folder}")
        files = [*files, *sorted(folder.glob("*.conf"))]
    try:
        return Settings.load(files)
    except cfg.Error as error:
        raise ConfigurationProblem(str(error)) from error


def _run(settings: Settings) -> int:
    from heat_app.logging import configure
    from heat_io.sandbox import Sandbox

    start = Start.checked(settings)
    handler = configure(path=_log_path(settings), debug=settings.debug, use_json=settings.use_json)
    try:
        with Sandbox().installed():
            trio.run(_main, start)
    finally:
        handler.close()
    return 0


def _log_path(settings: Settings) -> str | None:
    if settings.log_file is None:
        return str(Path(settings.log_dir) / "heat-engine.log") if settings.log_dir else None
    return str(Path(settings.log_dir or "") / settings.log_file)


@dataclass(frozen=True, slots=True)
class Start:
    """A configuration that makes sense, in the forms that the parts want."""

    settings: Settings
    openstack: OpenStackSettings
    broker: AmqpSettings
    database_url: URL
    policy: Policy

    @classmethod
    def checked(cls, settings: Settings) -> Self:
        """Raises ConfigurationProblem for the first thing that can't be used."""
        from heat_app.messaging_settings import messaging_settings
        from heat_app.openstack_settings import openstack_settings
        from heat_app.policy import Policy
        from heat_io.database import driver_url

        if not settings.database.connection:
            raise ConfigurationProblem("[database] connection is not set")
        try:
            return cls(
                settings,
                openstack_settings(settings),
                messaging_settings(settings, process="heat-engine"),
                driver_url(settings.database.connection),
                Policy.from_settings(settings),
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
    from heat_io.database import Database
    from heat_io.drivers.liveness import FleetLiveness
    from heat_io.messaging.amqp import AmqpBus
    from heat_io.openstack import OpenStack

    settings = start.settings
    engine_id = EngineId(str(uuid.uuid4()))
    async with (
        open_asyncio_loop() as loop,
        OpenStack.open(start.openstack) as openstack,
        Database.open(
            start.database_url, surroundings=database_ambient(settings), loop=loop
        ) as database,
        AmqpBus.open(start.broker, loop=loop) as bus,
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
        with trio.move_on_after(DRAIN_SECONDS):
            await drained.wait()
            while engine.busy:  # noqa: ASYNC110 - its visits end one by one
                await trio.sleep(LOOK_SECONDS)
        log.info("the engine has stopped", extra={"fields": fields | {"left": engine.busy}})


if __name__ == "__main__":
    sys.exit(main())
