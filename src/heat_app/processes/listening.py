"""The listening socket of an API, shared by its workers."""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping
from typing import TYPE_CHECKING

from heat_app.config import ConfigurationProblem

if TYPE_CHECKING:
    from heat_app.config import ListenSettings

__all__ = ["listening_socket"]

FIRST_PASSED_ON = 3
"""the descriptor of the first socket that systemd has opened (sd_listen_fds(3))"""


def listening_socket(
    section: str,
    settings: ListenSettings,
    *,
    client_timeout_seconds: float,
    environment: MutableMapping[str, str],
) -> socket.socket:
    """A socket that listens where `settings` want it, or the one that systemd has passed on.

    Connections accepted from it inherit its options: a client that answers no probe for
    tcp_keepidle is given up, and one that leaves an answer unread for `client_timeout_seconds`.
    Raises ConfigurationProblem when it can't be had; `section` is named there.
    """
    sock = _passed_on(environment)
    if sock is None:
        sock = _opened(section, settings)
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sock.family != socket.AF_UNIX:
        options = {
            "TCP_NODELAY": 1,
            "TCP_KEEPIDLE": settings.tcp_keepidle,
            "TCP_USER_TIMEOUT": int(client_timeout_seconds * 1000),
        }
        for name, value in options.items():
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return sock


def _opened(section: str, settings: ListenSettings) -> socket.socket:
    host, port = settings.bind_host, settings.bind_port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigurationProblem(
            f"[{section}] bind_host: {host} is no address ({error})"
        ) from error
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind(address)
        sock.listen(settings.backlog)
    except OSError as error:
        sock.close()
        reason = f"[{section}] can't listen at {host}, port {port}: {error.strerror}"
        raise ConfigurationProblem(reason) from error
    return sock


def _passed_on(environment: MutableMapping[str, str]) -> socket.socket | None:
    count, whose = environment.pop("LISTEN_FDS", ""), environment.pop("LISTEN_PID", "")
    environment.pop("LISTEN_FDNAMES", None)
    if whose != str(os.getpid()) or not count.isdecimal() or int(count) == 0:
        return None
    if int(count) != 1:
        raise ConfigurationProblem(f"systemd has passed {count} sockets on: there must be one")
    os.set_inheritable(FIRST_PASSED_ON, False)
    return socket.socket(fileno=FIRST_PASSED_ON)
