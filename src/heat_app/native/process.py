"""The command `heat-api`: Heat's native API, on RabbitMQ.

    heat-api --config-file /etc/heat/heat.conf

[heat_api] workers processes under a supervisor (heat_app.processes), which share one listening
socket. SIGTERM and SIGINT end it when the requests under way are answered, or after
graceful_shutdown_timeout; a second signal at once. SIGHUP reads the configuration again and
replaces the workers, of which new ones serve before the old ones end. Exit codes: 0 after a signal,
2 for a configuration that can't be used.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import trio

from heat_app.processes import Job, Mutable, Orders, Post, run_server, run_worker

if TYPE_CHECKING:
    from socket import socket

    from heat_app.config import Settings
    from heat_app.native.assembly import Start
    from heat_app.processes.http_server import HttpSettings

__all__ = ["main"]

log = logging.getLogger(__name__)

PROGRAM = "heat-api"
SECTION = "heat_api"
LINES_OF_A_HEAD = 16
"""request line and headers may have so many times max_header_line together: lists may be asked for
by hundreds of ids"""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve the API until a signal; the exit code."""
    return run_server(PROGRAM, sys.argv[1:] if argv is None else argv, _job)


def _job(settings: Settings) -> Job:
    # Imported before the workers are forked, so that they share its memory.
    from heat_app.config import ConfigurationProblem
    from heat_app.native.assembly import Start
    from heat_app.processes.http_server import ssl_problem
    from heat_app.processes.listening import listening_socket

    start = Start.checked(settings, PROGRAM)
    problem = ssl_problem(_http(settings))
    if problem is not None:
        raise ConfigurationProblem(f"[{SECTION}] {problem}")
    sock = listening_socket(
        SECTION,
        settings.heat_api,
        client_timeout_seconds=settings.heat_trio.client_timeout,
        environment=os.environ,
    )

    def work(post: Post, mutable: Mutable) -> int:
        now = replace(start, settings=replace(start.settings, debug=mutable.debug))

        async def serve(orders: Orders) -> None:
            await _serve(now, sock, post, orders, mutable.grace_seconds)

        return run_worker(post, serve)

    # At the end nobody may hold the socket who takes no connections: they would wait for nothing.
    return Job(
        settings.heat_api.workers or os.cpu_count() or 1,
        work,
        begin=start.pipeline.announce,
        stopping=sock.close,
    )


def _http(settings: Settings) -> HttpSettings:
    from heat_app.processes.http_server import HttpSettings

    listen, own = settings.heat_api, settings.heat_trio
    return HttpSettings(
        keep_alive_seconds=own.keep_alive_timeout,
        client_seconds=own.client_timeout,
        max_head_bytes=LINES_OF_A_HEAD * listen.max_header_line,
        cert_file=listen.cert_file,
        key_file=listen.key_file,
    )


async def _serve(
    start: Start, sock: socket, post: Post, orders: Orders, grace_seconds: float
) -> None:
    from heat_app.native.assembly import native_api
    from heat_app.processes.http_server import serve_http

    async with native_api(start) as app, trio.open_nursery() as nursery:

        async def serve(*, task_status: trio.TaskStatus[Any]) -> None:
            await serve_http(
                app,
                sock,
                _http(start.settings),
                ending=orders.ending,
                grace_seconds=grace_seconds,
                task_status=task_status,
            )

        await nursery.start(serve)
        orders.serves = True
        post.say_ready()
        log.info("the API serves")
    log.info("the API has stopped")


if __name__ == "__main__":
    sys.exit(main())
