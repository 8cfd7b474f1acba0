"""Ctrl-C and SIGTERM, from the first moment of the process to its last."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

__all__ = ["Stopping"]

STOP_SECONDS = 4.5
"""When an orderly end takes longer, the process ends as it is: the database allows for that."""


class Stopping:
    """Turns the first signal into a request to stop, at whatever point the process is.

    Before `attach` it leaves the process at once: a start under way has nothing to finish.
    """

    def __init__(self, seconds: float = STOP_SECONDS) -> None:
        self.requested = False
        self._seconds = seconds
        self._wake: Callable[[], object] | None = None

    def install(self) -> None:
        """Take over SIGINT, SIGTERM and SIGHUP of the main thread."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._arrived)

    def attach(self, wake: Callable[[], object]) -> None:
        """From now on a signal calls `wake`, from within the signal handler."""
        self._wake = wake
        if self.requested:
            wake()

    def begin(self) -> None:
        """Start the clock of the orderly end; also for an end that nobody asked for by signal."""
        timer = threading.Timer(self._seconds, self._give_up)
        timer.daemon = True
        timer.start()

    def _arrived(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            return
        self.requested = True
        if self._wake is None:
            raise SystemExit(0)
        self.begin()
        self._wake()

    def _give_up(self) -> None:
        sys.stderr.write("heat-trio: not everything ended in time; the next start carries on.\n")
        sys.stderr.flush()
        os._exit(0)
