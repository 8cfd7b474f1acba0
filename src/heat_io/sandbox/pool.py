"""Worker processes that do hostile jobs, killed and replaced when they pass a limit.

A `Sandbox` is the Isolation of a process: `with sandbox.installed(): ...`. It is called from
threads, and waits there: for a free worker, then for the worker's answer, holding no lock of the
interpreter meanwhile. Workers are started when they are first needed, as new programs (a fork of a
process with threads and a running Trio would inherit both in pieces), with an empty environment.

A worker that dies does so by its limits (heat_io.sandbox.worker) or by our kill; either way the
job is refused as the user's mistake, TooCostly, and the next job gets another worker. A job that
finds no worker free in time is nobody's mistake: SandboxBusy.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from heat_core.errors import Error
from heat_core.isolation import Job, TooCostly, using
from heat_io.sandbox.budget import remaining_seconds, spend
from heat_io.sandbox.limits import LIMITS, MEMORY_BYTES, Limit
from heat_io.sandbox.remote_errors import rebuilt
from heat_io.sandbox.wire import decode, encode
from heat_io.sandbox.worker import OUT_OF_MEMORY, receive, send

WORKERS = 2
QUEUE_SECONDS = 60.0
JOBS_OF_ONE_WORKER = 2000
"""then it is replaced, with all that its jobs have left in its memory"""
CLOSE_SECONDS = 1.0

_WHAT: Mapping[Job, str] = {
    Job.COMPILE: "Compiling the pattern",
    Job.MATCH: "Matching the pattern",
    Job.YAQL_PARSE: "Parsing the yaql expression",
    Job.YAQL: "Evaluating the yaql expression",
    Job.YAML: "Reading the YAML text",
}
_SHOWN_CHARACTERS = 100


class SandboxBusy(Error):
    """No worker became free in time."""


class _Died(Exception):
    """A worker's socket closed in the middle of a job."""


class _Worker:
    """One process and the socket to it; used by one thread at a time."""

    def __init__(self, memory_bytes: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                [sys.executable, "-m", "heat_io.sandbox.worker", str(memory_bytes)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=_environment(),
                # A Ctrl-C in the terminal is for the parent.
                start_new_session=True,
            )
        self._socket = ours
        self.jobs = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, message: bytes, seconds: float) -> bytes:
        """The answer to a message. TimeoutError, or _Died when the worker ends instead."""
        self.jobs += 1
        self._socket.settimeout(seconds)
        try:
            send(self._socket, message)
            answer = receive(self._socket)
        except (BrokenPipeError, ConnectionResetError):
            answer = None
        except ValueError:
            answer = None  # no worker of ours says that
        if answer is None:
            raise _Died
        return answer

    def kill(self) -> int:
        """End the process at once; what it ended with."""
        self._socket.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        return self._process.wait()

    def ended(self) -> int:
        """What a process that closes its socket ends with."""
        try:
            code = self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            return self.kill()
        self._socket.close()
        return code

    def close(self) -> None:
        """Let an idle process end."""
        self._socket.close()
        self.ended()


def _environment() -> dict[str, str]:
    """Where the program is, and nothing else of ours."""
    return {
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "random"),
        "PATH": os.defpath,
    }


class Sandbox:
    """Does jobs in worker processes; an Isolation. Threads may share it."""

    def __init__(
        self,
        *,
        workers: int = WORKERS,
        limits: Mapping[Job, Limit] = LIMITS,
        memory_bytes: int = MEMORY_BYTES,
        queue_seconds: float = QUEUE_SECONDS,
    ) -> None:
        self._limits = limits
        self._memory_bytes = memory_bytes
        self._queue_seconds = queue_seconds
        self._free = threading.Semaphore(workers)
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._closed = False
        self.started = 0
        """workers started so far"""
        self.killed = 0
        """workers that passed a limit so far"""

    @contextlib.contextmanager
    def installed(self) -> Iterator[Sandbox]:
        """Do the core's hostile jobs of this block, and what begins in it; close at its end."""
        try:
            with using(self):
                yield self
        finally:
            self.close()

    def close(self) -> None:
        """End the workers that wait; one at work ends with its job."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.close()

    def __call__(self, job: Job, arguments: tuple[Any, ...]) -> Any:
        """The job's value. Raises what the job raises, TooCostly, SandboxBusy.

        Blocks the calling thread. TypeError for arguments that are no plain data.
        """
        message = encode([job, self._limits[job].cpu_seconds, list(arguments)])
        if remaining_seconds() <= 0:
            raise TooCostly(f"{_shown(job, arguments)} comes after too much other work.")
        with self._worker() as worker:
            began = time.monotonic()
            try:
                answer = self._answer(worker, job, arguments, message)
            finally:
                spend(time.monotonic() - began)
        # A value is big at most; to read it is the parent's own work.
        read = decode(answer)
        if "value" in read:
            return read["value"]
        if "spent" in read:
            raise TooCostly(f"{_shown(job, arguments)} takes too much memory.")
        raise rebuilt(read["error"], read["args"], read["text"])

    def _answer(
        self, worker: _Worker, job: Job, arguments: tuple[Any, ...], message: bytes
    ) -> bytes:
        what = _shown(job, arguments)
        try:
            answer = worker.ask(message, self._limits[job].wall_seconds)
        except TimeoutError:
            worker.kill()
            self._count_killed()
            raise TooCostly(f"{what} takes too long.") from None
        except _Died:
            code = worker.ended()
            self._count_killed()
            if code == -signal.SIGPROF:
                raise TooCostly(f"{what} takes too long.") from None
            raise TooCostly(f"{what} takes more than it may.") from None
        except BaseException:
            worker.kill()
            raise
        if answer == OUT_OF_MEMORY:
            worker.ended()
            self._count_killed()
        else:
            self._put_back(worker)
        return answer

    # --- the pool ----------------------------------------------------------------------------

    @contextlib.contextmanager
    def _worker(self) -> Iterator[_Worker]:
        """A worker for the time of one job; whoever has it puts it back or ends it."""
        if not self._free.acquire(timeout=self._queue_seconds):
            raise SandboxBusy("The sandbox has no worker free.")
        try:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
                if worker is None:
                    self.started += 1
            yield worker or _Worker(self._memory_bytes)
        finally:
            self._free.release()

    def _put_back(self, worker: _Worker) -> None:
        with self._lock:
            keep = not self._closed and worker.jobs < JOBS_OF_ONE_WORKER
            if keep:
                self._idle.append(worker)
        if not keep:
            worker.close()

    def _count_killed(self) -> None:
        with self._lock:
            self.killed += 1


def _shown(job: Job, arguments: tuple[Any, ...]) -> str:
    """The job for the user's text, with the pattern or expression that is to blame."""
    if job is Job.YAML:
        return _WHAT[job]
    text = str(arguments[0])
    if len(text) > _SHOWN_CHARACTERS:
        text = f"{text[:_SHOWN_CHARACTERS]}..."
    return f'{_WHAT[job]} "{text}"'
