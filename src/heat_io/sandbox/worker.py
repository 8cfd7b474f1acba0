"""The process that does hostile work: `python -m heat_io.sandbox.worker BYTES`, its socket as
stdin.

It reads jobs and answers them, one at a time, until the socket closes. Memory is bounded by
RLIMIT_AS: a job that passes it gets a MemoryError and the worker ends after saying so. The
processor's time of each job is bounded by a timer of the kernel whose signal ends the process, also
in the middle of a match, and when the parent is gone. There are no other threads and no secrets in
here, and nothing but the socket is open.
"""

from __future__ import annotations

import resource
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any

from heat_core.documents import read_yaml
from heat_core.isolation import Job
from heat_core.isolation.expressions import evaluate_expression, parse_expression
from heat_core.isolation.regexes import check_compiles, match_ends
from heat_io.sandbox.wire import decode, encode

JOBS: Mapping[Job, Callable[..., Any]] = {
    Job.COMPILE: check_compiles,
    Job.MATCH: match_ends,
    Job.YAQL_PARSE: parse_expression,
    Job.YAQL: evaluate_expression,
    Job.YAML: read_yaml,
}

HEADER_BYTES = 8
MAX_BYTES = 256 * 1024 * 1024
OUT_OF_MEMORY = b'{"spent":"memory"}'


def send(sock: socket.socket, message: bytes) -> None:
    """One message: its length, then itself."""
    sock.sendall(len(message).to_bytes(HEADER_BYTES, "big") + message)


def receive(sock: socket.socket) -> bytes | None:
    """The next message, None when the other side has closed. ValueError for one too long."""
    header = _exactly(sock, HEADER_BYTES)
    if header is None:
        return None
    length = int.from_bytes(header, "big")
    if length > MAX_BYTES:
        raise ValueError(f"a message of {length} bytes")
    return _exactly(sock, length)


def _exactly(sock: socket.socket, count: int) -> bytes | None:
    chunks = bytearray()
    while len(chunks) < count:
        chunk = sock.recv(min(count - len(chunks), 1 << 20))
        if not chunk:
            return None
        chunks += chunk
    return bytes(chunks)


def answer(job: Job, cpu_seconds: float, arguments: list[Any]) -> bytes:
    """What to tell the parent: a value, an error, or OUT_OF_MEMORY, after which to end."""
    _prepare(job)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    try:
        return encode({"value": JOBS[job](*arguments)})
    except MemoryError:
        return OUT_OF_MEMORY
    except Exception as error:
        return encode(failure(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def failure(error: Exception) -> dict[str, Any]:
    """An error as data: its class by name, its arguments if they are plain, its text."""
    args = list(error.args)
    if not all(isinstance(one, str | int | float | None) for one in args):
        args = []
    return {"error": type(error).__name__, "args": args, "text": str(error)}


def _prepare(job: Job) -> None:
    """Import what the job needs before its time is counted."""
    if job in (Job.YAQL, Job.YAQL_PARSE):
        parse_expression("$", 200, 10000)


def _limit_process(memory_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
        resource.setrlimit(kind, (0, 0))
    # The default action of SIGPROF ends the process: no handler of Python's would get to run.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def main(memory_bytes: int) -> int:
    """Serve until the socket closes; 1 when memory has run out."""
    _limit_process(memory_bytes)
    sock = socket.socket(fileno=0)
    while (message := receive(sock)) is not None:
        job, cpu_seconds, arguments = decode(message)
        reply = answer(Job(job), cpu_seconds, arguments)
        send(sock, reply)
        if reply is OUT_OF_MEMORY:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
