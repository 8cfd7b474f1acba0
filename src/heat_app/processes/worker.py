"""A worker's side of the supervision: how it shows that it lives, and what it is told.

A worker ends in order when it gets SIGTERM and at once when it gets SIGQUIT. SIGINT and SIGHUP
reach it only because a terminal sends them to everybody: they are the supervisor's business. When
the supervisor is gone, however that came, the worker is gone too: its stacks are in the database,
and nobody would follow it up.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from dataclasses import dataclass, field

import trio

__all__ = ["BEAT", "READY", "Orders", "Post"]

READY = b"r"
BEAT = b"."
BEAT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Post:
    """The worker's end of two pipes: what it writes to, and what closes with the supervisor."""

    reports: int
    supervisor: int

    def die_with_supervisor(self) -> None:
        """From now on this process ends with its supervisor, as suddenly."""

        def watch() -> None:
            while os.read(self.supervisor, 1024):
                pass
            os.kill(os.getpid(), signal.SIGKILL)

        threading.Thread(target=watch, daemon=True, name="supervisor-watch").start()

    def say_ready(self) -> None:
        """The worker serves."""
        _write(self.reports, READY)

    async def show_life(self) -> None:
        """Give signs of life until cancelled; a loop that does not get here is frozen."""
        while True:
            _write(self.reports, BEAT)
            await trio.sleep(BEAT_SECONDS)


def _write(pipe: int, byte: bytes) -> None:
    # Nobody reads: the supervisor is frozen or gone.
    with suppress(BlockingIOError, BrokenPipeError):
        os.write(pipe, byte)


@dataclass(slots=True)
class Orders:
    """What signals have asked for: to end in order once the worker serves, at once before.

    `everything` is the scope of all that the worker does.
    """

    everything: trio.CancelScope
    ending: trio.Event = field(default_factory=trio.Event)
    serves: bool = False

    async def obey(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Take signals until cancelled."""
        # What is not taken any more at the end of the receiver goes to nobody.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGQUIT, signal.SIG_IGN)
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGQUIT) as signals:
            task_status.started()
            async for number in signals:
                if number == signal.SIGQUIT or not self.serves:
                    self.everything.cancel()
                self.ending.set()
