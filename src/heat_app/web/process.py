"""The process of an API: workers under a supervisor, which share one listening socket.

SIGTERM and SIGINT end it when the requests under way are answered, or after
graceful_shutdown_timeout; a second signal at once. SIGHUP reads the configuration again and
replaces the workers, of which new ones serve before the old ones end. Exit codes: 0 after a signal,
2 for a configuration that can't be used.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import trio

from heat_app.processes import Job, Mutable, Orders, Post, run_server, run_worker

if TYPE_CHECKING:
    from socket import socket

    from heat_app.config import ListenSettings, Settings
    from heat_app.processes.http_server import HttpSettings
    from heat_app.web.asgi import Opening

__all__ = ["ApiProgram"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ApiProgram:
    """The command of an API: its name, the section it listens by, and what opens its application.

    `opening` imports that: a command says `--version` without it.
    """

    name: str
    section: str
    listen: Callable[[Settings], ListenSettings]
    opening: Callable[[], Opening]

    def main(self, argv: Sequence[str] | None = None) -> int:
        """Serve the API until a signal; the exit code."""
        return run_server(self.name, sys.argv[1:] if argv is None else argv, self._job)

    def _job(self, settings: Settings) -> Job:
        # Imported before the workers are forked, so that they share its memory.
        from heat_app.config import ConfigurationProblem
        from heat_app.processes.http_server import ssl_problem
        from heat_app.processes.listening import listening_socket
        from heat_app.web.head_limit import HeadLimit
        from heat_app.web.start import Start

        opening, listen = self.opening(), self.listen(settings)
        start = Start.checked(settings, self.name)
        problem = ssl_problem(_http(settings, listen))
        if problem is not None:
            raise ConfigurationProblem(f"[{self.section}] {problem}")
        sock = listening_socket(
            self.section,
            listen,
            client_timeout_seconds=settings.heat_trio.client_timeout,
            environment=os.environ,
        )

        def work(post: Post, mutable: Mutable) -> int:
            now = replace(start, settings=replace(start.settings, debug=mutable.debug))
            http = _http(now.settings, listen)

            async def serve(orders: Orders) -> None:
                async with opening(now) as app:
                    app = HeadLimit(app, listen.max_header_line)
                    await _serve(app, sock, http, post, orders, mutable.grace_seconds)
                log.info("the API has stopped")

            return run_worker(post, serve)

        # At the end nobody may hold the socket who takes no connections: they would wait for
        # nothing.
        return Job(
            listen.workers or os.cpu_count() or 1,
            work,
            begin=start.pipeline.announce,
            stopping=sock.close,
        )


def _http(settings: Settings, listen: ListenSettings) -> HttpSettings:
    from heat_app.processes.http_server import HttpSettings
    from heat_app.web.head_limit import whole_head_bytes

    own = settings.heat_trio
    return HttpSettings(
        keep_alive_seconds=own.keep_alive_timeout,
        client_seconds=own.client_timeout,
        max_head_bytes=whole_head_bytes(listen.max_header_line),
        cert_file=listen.cert_file,
        key_file=listen.key_file,
    )


async def _serve(
    app: Any,
    sock: socket,
    http: HttpSettings,
    post: Post,
    orders: Orders,
    grace_seconds: float,
) -> None:
    from heat_app.processes.http_server import serve_http

    async with trio.open_nursery() as nursery:

        async def serve(*, task_status: trio.TaskStatus[Any]) -> None:
            await serve_http(
                app,
                sock,
                http,
                ending=orders.ending,
                grace_seconds=grace_seconds,
                task_status=task_status,
            )

        await nursery.start(serve)
        orders.serves = True
        post.say_ready()
        log.info("the API serves")
