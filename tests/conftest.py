"""What every test has: a watch on blocked event loops; servers and facts that may be missing.

A server or folder that is not there makes its tests "not run": skipped with that word, counted
at the end, an error when CI=true.
"""

from __future__ import annotations

import gc
import inspect
import logging
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import trio

BLOCKED_SECONDS = 0.1
ROOT = Path(__file__).parent.parent
CI = os.environ.get("CI", "").lower() == "true"


@pytest.fixture(autouse=True)
def handlers_as_they_were() -> Iterator[None]:
    """Undo what a configured process does to the handlers that pytest keeps for all tests."""
    root = logging.getLogger()
    level, formatters = root.level, [(one, one.formatter) for one in root.handlers]
    yield
    root.setLevel(level)
    for handler, formatter in formatters:
        handler.setFormatter(formatter)


class LoopWatch(trio.abc.Instrument):
    """Remembers the longest step of a task.

    Without the time in which it waited for a processor, and without garbage collections: with
    everything that a whole session of tests keeps they take longer than they do in a service.
    """

    def __init__(self) -> None:
        self.longest_seconds = 0.0
        self.longest_task = ""
        self._began = 0.0
        self._collected_seconds = 0.0
        self._collection_began = 0.0
        self._queued_before = _queued_seconds()
        self._read_at = time.perf_counter()

    def collecting(self, phase: str, info: dict[str, int]) -> None:
        """For gc.callbacks."""
        if phase == "start":
            self._collection_began = time.perf_counter()
        else:
            self._collected_seconds += time.perf_counter() - self._collection_began

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        self._began = time.perf_counter()
        self._collected_seconds = 0.0
        # Reading the kernel's counter at every step would cost more than the steps.
        if self._began - self._read_at > BLOCKED_SECONDS / 4:
            self._queued_before = _queued_seconds()
            self._read_at = self._began

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        took = time.perf_counter() - self._began - self._collected_seconds
        if took > BLOCKED_SECONDS:
            took -= _queued_seconds() - self._queued_before
            if took > self.longest_seconds:
                self.longest_seconds = took
                self.longest_task = task.name


def _queued_seconds() -> float:
    """How long this thread was runnable without a processor; 0 where the kernel does not say."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def run_watched(
    main: Callable[[], Any],
    *,
    clock: trio.abc.Clock | None = None,
    instruments: Sequence[trio.abc.Instrument] = (),
) -> Any:
    """trio.run that fails when a step blocked the loop for longer than BLOCKED_SECONDS."""
    watch = LoopWatch()
    gc.callbacks.append(watch.collecting)
    try:
        result = trio.run(main, clock=clock, instruments=[*instruments, watch])
    finally:
        gc.callbacks.remove(watch.collecting)
    if watch.longest_seconds > BLOCKED_SECONDS:
        raise AssertionError(
            f"a step of {watch.longest_task} blocked the event loop for "
            f"{watch.longest_seconds * 1000:.0f} ms (limit {BLOCKED_SECONDS * 1000:.0f} ms); "
            "if that is the test's own doing, mark it with blocks_the_loop(reason)"
        )
    return result


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not inspect.iscoroutinefunction(getattr(item, "obj", None)):
            continue
        marker = item.get_closest_marker("blocks_the_loop")
        if marker is None:
            item.add_marker(pytest.mark.trio(run=run_watched))
        elif not (marker.args or marker.kwargs.get("reason")):
            raise pytest.UsageError(f"{item.nodeid}: blocks_the_loop needs a reason")


def not_run(reason: str) -> None:
    """Leave a test out for something that this machine lacks; under CI=true that fails it."""
    if CI:
        pytest.fail(f"not run: {reason}", pytrace=False)
    pytest.skip(f"not run: {reason}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reasons: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", ()):
        text = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        _, found, reason = text.partition("not run: ")
        if found:
            reasons[reason] = reasons.get(reason, 0) + 1
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"{count} not run: {reason}")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the recorded behaviour of Heat: facts/, vectors/, examples/."""
    folder = Path(os.environ.get("HEAT_TRIO_SHARED") or ROOT.parent / "shared")
    if not (folder / "facts").is_dir():
        not_run(f"no recorded behaviour of Heat at {folder} (HEAT_TRIO_SHARED)")
    return folder


@pytest.fixture(scope="session")
def mysql_url() -> str:
    """A MariaDB where the tests may make databases: mysql://user:password@host:port."""
    return _server("HEAT_TRIO_TEST_MYSQL", "mysql://root@127.0.0.1:3306", 3306, "MariaDB")


@pytest.fixture(scope="session")
def amqp_url() -> str:
    """A RabbitMQ where the tests may use a virtual host of their own."""
    return _server("HEAT_TRIO_TEST_AMQP", "amqp://guest:guest@127.0.0.1:5672", 5672, "RabbitMQ")


def _server(variable: str, default: str, port: int, what: str) -> str:
    url = os.environ.get(variable) or default
    address = urlsplit(url)
    place = (address.hostname or "127.0.0.1", address.port or port)
    try:
        socket.create_connection(place, timeout=2).close()
    except OSError:
        not_run(f"no {what} at {place[0]}:{place[1]} ({variable})")
    return url
