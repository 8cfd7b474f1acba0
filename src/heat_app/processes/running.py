"""The life of a server's process: configuration, log, supervisor; a worker's Trio run."""

from __future__ import annotations

import logging
import math
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, Self

import trio

from heat_app.processes.notify import Notifier
from heat_app.processes.supervision import CONFIGURATION
from heat_app.processes.supervisor import Plan, supervise
from heat_app.processes.worker import Orders, Post

if TYPE_CHECKING:
    from heat_app.config import Configuration, ConfigurationProblem, Settings

__all__ = ["Job", "Mutable", "run_server", "run_worker"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Mutable:
    """The options that may change while a process runs, as they are when a worker starts.

    `grace_seconds` is what an orderly end may take, infinite for a graceful_shutdown_timeout of 0.
    What else may change is about the log alone.
    """

    debug: bool
    grace_seconds: float

    @classmethod
    def read(cls, configuration: Configuration) -> Self:
        """From oslo.config's object: the settings stay as they were at the start."""
        conf = configuration.conf
        seconds = conf.graceful_shutdown_timeout
        return cls(conf.debug, seconds if seconds > 0 else math.inf)


@dataclass(frozen=True, slots=True)
class Job:
    """What a server's workers do: `work`, in each of `count`, for its exit code.

    In the supervisor `begin` is called once there is a log, and `stopping` when the end begins.
    """

    count: int
    work: Callable[[Post, Mutable], int]
    begin: Callable[[], None] = lambda: None
    stopping: Callable[[], None] = lambda: None


def run_server(program: str, argv: Sequence[str], prepare: Callable[[Settings], Job]) -> int:
    """Run a server until a signal ends it; the exit code.

    `prepare` checks the settings and takes what the workers share: ConfigurationProblem when it
    can't. Exit code 0 after a signal, 2 for a problem, of which a sentence on standard error tells.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)  # nothing is under way yet
    from heat_app.config import ConfigurationProblem, read_command_line
    from heat_app.process_logging import logging_as_configured

    notifier = Notifier.taken_from(os.environ)
    try:
        configuration = read_command_line(argv, program)
        job = prepare(configuration.settings)
        with logging_as_configured(configuration):
            job.begin()
            return supervise(plan_of(configuration, job), notifier)
    except ConfigurationProblem as problem:
        print(f"{program}: {problem}", file=sys.stderr)
        return CONFIGURATION


def _leave(number: int, frame: object) -> NoReturn:
    raise SystemExit(0)


def plan_of(configuration: Configuration, job: Job) -> Plan:
    """How the workers of `job` are supervised, and what a reload does."""

    def reload() -> float | None:
        from heat_app import process_logging
        from heat_app.config import ConfigurationProblem

        try:
            process_logging.reload(configuration)
        # The option parser of oslo.config would leave the process for a wrong value.
        except (ConfigurationProblem, SystemExit) as problem:
            log.error(
                "the configuration is not reloaded", extra={"fields": {"reason": str(problem)}}
            )
            return None
        _open_log_files_anew()
        log.info("the configuration is reloaded, the workers are replaced")
        return Mutable.read(configuration).grace_seconds

    return Plan(
        count=job.count,
        grace_seconds=Mutable.read(configuration).grace_seconds,
        work=lambda post: job.work(post, Mutable.read(configuration)),
        reload=reload,
        stopping=job.stopping,
    )


def _open_log_files_anew() -> None:
    """Somebody may have moved them: a file that is closed is opened by the next record."""
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.FileHandler):
            handler.close()


def run_worker(post: Post, main: Callable[[Orders], Awaitable[None]]) -> int:
    """Run `main` in Trio, with a sandbox beside it, until it ends or orders end it; the exit code.

    `main` sets `orders.serves` and says ready once it serves, and returns soon after
    `orders.ending` is set. A ConfigurationProblem from there is told, and the exit code is 2.
    """
    from heat_io.sandbox import Sandbox

    with Sandbox().installed():
        try:
            trio.run(_main, post, main)
        except BaseExceptionGroup as group:
            problem = _problem(group)
            if problem is None:
                raise
            print(problem, file=sys.stderr)
            log.error("a worker can't start", extra={"fields": {"reason": str(problem)}})
            return CONFIGURATION
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


async def _main(post: Post, main: Callable[[Orders], Awaitable[None]]) -> None:
    orders = Orders(trio.CancelScope())
    with orders.everything:
        async with trio.open_nursery() as nursery:
            await nursery.start(orders.obey)
            nursery.start_soon(post.show_life)
            await main(orders)
            nursery.cancel_scope.cancel()
