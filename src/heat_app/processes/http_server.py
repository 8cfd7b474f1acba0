"""Serves an ASGI application with hypercorn, and ends without losing a request.

hypercorn.trio.serve closes every idle connection the moment it is told to stop, one that a client
has just opened too, and its last answers don't say that the connection ends: what such clients have
sent is lost. So the order of the end is our own; hypercorn's connections are used as they are. The
names imported from its modules are no public interface: this module is the only place.

HTTP/2 is spoken without TLS, with those who begin with it or upgrade. hypercorn would tell them of
the end with the last answer, which it may cut short by that, and reset what they begin after the
time for idle connections. So each is told at once, by a frame of ours: h2 takes its own GOAWAY for
the end of all that may be sent. They go on until they are idle.
"""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import trio
from hypercorn.config import Config
from hypercorn.events import RawData
from hypercorn.protocol.h2 import H2Protocol
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from hypercorn.utils import wrap_app

__all__ = ["HttpSettings", "serve_http", "ssl_problem"]

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.05
GOAWAY = bytes.fromhex("000008 07 00 00000000 7fffffff 00000000")
"""length, type, flags, stream; the last stream that may be served (any), no error: the connection
ends, what is under way is answered (RFC 9113, 6.8)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """How connections are kept.

    One that is idle, or whose client takes so long for a request's head, is closed after
    `keep_alive_seconds`. What has come of a head that has no end yet may be `max_head_bytes`; a
    head that comes in one piece is not bounded here. With `cert_file` and `key_file` it is TLS.
    """

    keep_alive_seconds: float
    client_seconds: float
    max_head_bytes: int
    cert_file: str | None = None
    key_file: str | None = None


class _Config(Config):
    """hypercorn's configuration; once `ending`, answers say that their connection is closed."""

    ending = False

    def response_headers(self, protocol: str) -> list[tuple[bytes, bytes]]:
        headers = super().response_headers(protocol)
        if self.ending and protocol == "h11":
            headers.append((b"connection", b"close"))
        return headers


class _Connection(TCPServer):
    """hypercorn's connection; one that the client has closed does not wait for its idle time."""

    async def _read_data(self) -> None:
        await super()._read_data()
        await self.idle_task.stop()


async def serve_http(
    app: Any,
    sock: socket.socket,
    settings: HttpSettings,
    *,
    ending: trio.Event,
    grace_seconds: float,
    task_status: trio.TaskStatus[Any] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve `app` on the listening socket until `ending` is set and the requests are answered.

    At the end the connections that are there already are taken, then the socket is closed. Every
    answer is the last one of its connection; on HTTP/2 those that are under way are, and the
    client is told to begin no more. An idle connection lasts as long as any: what its
    client has just sent is answered. After `grace_seconds` what is still open is closed.
    """
    config = _config(settings)
    serving = partial(
        _Connection, wrap_app(app, 0, "asgi"), config, WorkerContext(None), ConnectionState({})
    )
    not_told: set[TCPServer] = set()

    async def handle(stream: Any) -> None:
        served = serving(stream)
        not_told.add(served)
        try:
            await served
        except Exception:
            # A client that the library does not understand is no reason to end for all others.
            log.exception("a connection has ended in an unexpected error")
        finally:
            not_told.discard(served)
            await trio.aclose_forcefully(stream)

    wrapped = _wrapping(config)
    async with trio.open_nursery() as connections:
        async with trio.open_nursery() as accepting:
            accepting.start_soon(
                partial(
                    trio.serve_listeners,
                    handle,
                    [_Listener(sock.dup(), wrapped)],
                    handler_nursery=connections,
                    task_status=task_status,
                )
            )
            await ending.wait()
            config.ending = True
            connections.cancel_scope.deadline = trio.current_time() + grace_seconds
            accepting.cancel_scope.cancel()
        for connection in _waiting(sock):
            connections.start_soon(handle, wrapped(connection))
        sock.close()
        # Without an end of its own: hypercorn's would cut answers on HTTP/2 short.
        while connections.child_tasks:
            for served in [one for one in not_told if _speaks_http2(one)]:
                not_told.discard(served)
                connections.start_soon(served.protocol_send, RawData(GOAWAY))
            await trio.sleep(LOOK_SECONDS)


def _speaks_http2(served: TCPServer) -> bool:
    # There is no protocol before a TLS handshake has ended.
    protocol = getattr(served, "protocol", None)
    return protocol is not None and isinstance(protocol.protocol, H2Protocol)


def ssl_problem(settings: HttpSettings) -> str | None:
    """Why the certificate can't be used, in a sentence; None when it can, or none is wanted."""
    if (settings.cert_file is None) != (settings.key_file is None):
        return "cert_file and key_file belong together"
    try:
        _config(settings).create_ssl_context()
    except (OSError, ValueError) as error:
        return f"cert_file and key_file can't be used: {error}"
    return None


def _config(settings: HttpSettings) -> _Config:
    config = _Config()
    config.accesslog = None
    config.errorlog = logging.getLogger("hypercorn.error")
    config.include_server_header = False
    config.alpn_protocols = ["http/1.1"]
    config.keep_alive_timeout = settings.keep_alive_seconds
    config.ssl_handshake_timeout = settings.client_seconds
    config.h11_max_incomplete_size = settings.max_head_bytes
    config.certfile, config.keyfile = settings.cert_file, settings.key_file
    return config


type _Wrapping = Callable[[trio.SocketStream], trio.abc.Stream]


def _wrapping(config: Config) -> _Wrapping:
    """What is put around a connection: TLS, or nothing."""
    context = config.create_ssl_context()
    if context is None:
        return lambda stream: stream
    return partial(_with_tls, context)


def _with_tls(context: ssl.SSLContext, stream: trio.SocketStream) -> trio.abc.Stream:
    return trio.SSLStream(stream, context, server_side=True, https_compatible=True)


class _Listener(trio.abc.Listener[trio.abc.Stream]):
    """A listening socket whose connections come wrapped."""

    def __init__(self, sock: socket.socket, wrapped: _Wrapping) -> None:
        self._listener = trio.SocketListener(trio.socket.from_stdlib_socket(sock))
        self._wrapped = wrapped

    async def accept(self) -> trio.abc.Stream:
        return self._wrapped(await self._listener.accept())

    async def aclose(self) -> None:
        await self._listener.aclose()


def _waiting(sock: socket.socket) -> Iterator[trio.SocketStream]:
    """The connections that nobody has taken yet."""
    with suppress(OSError):
        while True:
            connection, _ = sock.accept()
            connection.setblocking(False)
            yield trio.SocketStream(trio.socket.from_stdlib_socket(connection))
