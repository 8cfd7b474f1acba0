"""Worker processes under a supervisor: forked, watched, followed up, told to end.

The supervisor itself does nothing else: no event loop, no threads, no connections, so that a fork
of it is a clean start which shares the memory of what is imported. What it decides is decided in
heat_app.processes.supervision.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import assert_never

from heat_app.processes.notify import Notifier
from heat_app.processes.supervision import (
    Effect,
    End,
    Fork,
    Kill,
    SayReady,
    SayReloading,
    SayStopping,
    Supervision,
    TellToEnd,
    TellToHurry,
)
from heat_app.processes.worker import READY, Post

__all__ = ["Plan", "supervise"]

log = logging.getLogger(__name__)

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is supervised.

    `work` is run in each worker and returns its exit code. `reload` is called when the operator
    wants a new configuration; it returns what an orderly end may take from then on, None when the
    configuration can't be used and all stays as it is. `stopping` is called when the end begins,
    before the workers are told.
    """

    count: int
    grace_seconds: float
    work: Callable[[Post], int]
    reload: Callable[[], float | None]
    stopping: Callable[[], None] = lambda: None


def supervise(plan: Plan, notifier: Notifier) -> int:
    """Run until a signal has ended it all; the exit code."""
    with _Shell.open(plan, notifier) as shell:
        return shell.run()


@dataclass(slots=True)
class _Shell:
    """The hands of a Supervision."""

    plan: Plan
    notifier: Notifier
    supervision: Supervision
    selector: selectors.BaseSelector
    wakeups: tuple[socket.socket, socket.socket]
    lifeline: tuple[int, int]
    """a pipe that nobody writes to: workers read its end when this process is gone"""
    reports: dict[int, int] = field(default_factory=dict)
    """the pipes that workers write to: descriptor -> pid"""
    code: int | None = None
    alive_at: float = -math.inf

    @classmethod
    @contextlib.contextmanager
    def open(cls, plan: Plan, notifier: Notifier) -> Iterator[_Shell]:
        """The shell with its signal handlers; afterwards those of before are back."""
        wakeups = socket.socketpair()
        for end in wakeups:
            end.setblocking(False)
        shell = cls(
            plan,
            notifier,
            Supervision(plan.count, plan.grace_seconds),
            selectors.DefaultSelector(),
            wakeups,
            os.pipe(),
        )
        before = {number: signal.signal(number, _noted) for number in SIGNALS}
        old_wakeup = signal.set_wakeup_fd(wakeups[1].fileno(), warn_on_full_buffer=False)
        shell.selector.register(wakeups[0], selectors.EVENT_READ)
        try:
            yield shell
        finally:
            signal.set_wakeup_fd(old_wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)
            shell.close()

    def close(self) -> None:
        """Close what this process has open for supervising."""
        self.selector.close()
        for end in self.wakeups:
            end.close()
        for pipe in (*self.reports, *self.lifeline):
            os.close(pipe)
        self.reports.clear()

    def run(self) -> int:
        """Supervise to the end."""
        self._do(self.supervision.begin(time.monotonic()))
        while self.code is None:
            for key, _ in self.selector.select(self._patience()):
                if key.fileobj is self.wakeups[0]:
                    self._signals()
                else:
                    self._report(key.fd)
            self._do(self.supervision.handle_deadline(time.monotonic()))
            self._show_life()
        return self.code

    def _patience(self) -> float | None:
        moment = min(self.supervision.next_deadline(), self._next_sign())
        return None if moment == math.inf else max(moment - time.monotonic(), 0.0)

    # --- what happens ----------------------------------------------------------------------

    def _signals(self) -> None:
        with contextlib.suppress(BlockingIOError):
            for number in dict.fromkeys(self.wakeups[0].recv(4096)):
                self._signal(number)

    def _signal(self, number: int) -> None:
        match number:
            case signal.SIGCHLD:
                self._reap()
            case signal.SIGHUP:
                grace_seconds = self.plan.reload()
                if grace_seconds is not None:
                    self.supervision.grace_seconds = grace_seconds
                    self._do(self.supervision.reload(time.monotonic()))
            case signal.SIGTERM | signal.SIGINT:
                self._do(self.supervision.stop(time.monotonic()))

    def _reap(self) -> None:
        for pid in self.supervision.pids:
            with contextlib.suppress(ChildProcessError):
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    self._ended(pid, os.waitstatus_to_exitcode(status))

    def _ended(self, pid: int, code: int) -> None:
        for pipe, whose in list(self.reports.items()):
            if whose == pid:
                self._report(pipe)
                self._forget(pipe)
        level = logging.INFO if code == 0 else logging.ERROR
        log.log(level, "a worker has ended", extra={"fields": {"pid": pid, "code": code}})
        self._do(self.supervision.ended(pid, code, time.monotonic()))

    def _report(self, pipe: int) -> None:
        if pipe not in self.reports:
            return  # its worker was reaped since
        try:
            said = os.read(pipe, 4096)
        except BlockingIOError:
            return
        if not said:
            self._forget(pipe)
            return
        pid, now = self.reports[pipe], time.monotonic()
        self.supervision.signed(pid, now)
        if READY in said:
            log.info("a worker serves", extra={"fields": {"pid": pid}})
            self._do(self.supervision.ready(pid, now))

    def _forget(self, pipe: int) -> None:
        if self.reports.pop(pipe, None) is not None:
            self.selector.unregister(pipe)
            os.close(pipe)

    # --- what is done ----------------------------------------------------------------------

    def _do(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            match effect:
                case Fork(place):
                    self._fork(place)
                case TellToEnd(pid):
                    _send(pid, signal.SIGTERM)
                case TellToHurry(pid):
                    _send(pid, signal.SIGQUIT)
                case Kill(pid):
                    log.error("a worker is killed", extra={"fields": {"pid": pid}})
                    _send(pid, signal.SIGKILL)
                case SayReady():
                    log.info("all workers serve", extra={"fields": {"workers": self.plan.count}})
                    self.notifier.ready(f"{self.plan.count} workers serve")
                case SayReloading():
                    self.notifier.reloading()
                case SayStopping():
                    log.info("the workers are told to end")
                    self.plan.stopping()
                    self.notifier.stopping("what is under way ends")
                case End(code):
                    self.code = code
                case _:
                    assert_never(effect)

    def _fork(self, place: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        theirs, reports = os.pipe()
        for pipe in (theirs, reports):
            os.set_blocking(pipe, False)
        # A signal to the child must not be noted in the parent's pipe: none until it is its own.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            try:
                pid = os.fork()
            except OSError:
                log.exception("a worker can't be started")
                os.close(theirs)
                os.close(reports)
                self._do(self.supervision.not_forked(place, time.monotonic()))
                return
            if pid == 0:
                self._become_worker(theirs, reports, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(reports)
        self.reports[theirs] = pid
        self.selector.register(theirs, selectors.EVENT_READ)
        log.info("a worker is started", extra={"fields": {"pid": pid, "place": place}})
        self._do(self.supervision.forked(place, pid, time.monotonic()))

    def _become_worker(self, theirs: int, reports: int, mask: set[int | signal.Signals]) -> None:
        """The rest of the child's life; does not return."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGTERM, signal.SIGQUIT):
                signal.signal(number, _leave)
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._close_in_child(theirs)
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            post = Post(reports, supervisor=self.lifeline[0])
            post.die_with_supervisor()
            code = self.plan.work(post)
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 0
        except BaseException:
            log.exception("a worker ended in an unexpected error")
        finally:
            with contextlib.suppress(Exception):
                logging.shutdown()
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _close_in_child(self, theirs: int) -> None:
        """Let go of the parent's ends: above all of that whose closing tells of the parent's."""
        self.selector.close()
        for end in self.wakeups:
            end.close()
        for pipe in (self.lifeline[1], theirs, *self.reports):
            os.close(pipe)

    # --- the service manager ---------------------------------------------------------------

    def _next_sign(self) -> float:
        interval = self.notifier.watchdog_seconds
        return math.inf if interval is None else self.alive_at + interval / 2

    def _show_life(self) -> None:
        if time.monotonic() >= self._next_sign():
            self.alive_at = time.monotonic()
            self.notifier.alive()


def _send(pid: int, number: signal.Signals) -> None:
    # A child that has ended is a child until it is reaped: the id is nobody else's.
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _noted(number: int, frame: object) -> None:
    """The wake-up descriptor tells; a handler is needed for that."""


def _leave(number: int, frame: object) -> None:
    """Nothing is under way yet."""
    raise SystemExit(0)
