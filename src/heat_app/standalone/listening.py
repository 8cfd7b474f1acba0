"""The sockets of `heat-trio up`, opened before anything slow: a taken port is said at once."""

from __future__ import annotations

import errno
import socket
import time

from heat_app.standalone.problem import StartProblem

__all__ = ["advertised_host", "listen", "url_of"]

RELEASE_SECONDS = 1.0
"""How long the Keystone of a process that was just killed may take to let its port go."""


def listen(host: str, port: int, option: str) -> socket.socket:
    """A socket that listens at (host, port), port 0 for any; StartProblem when it can't be had."""
    deadline = time.monotonic() + RELEASE_SECONDS
    while True:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            sock = socket.socket(family, kind, protocol)
        except (OSError, OverflowError) as error:
            raise StartProblem(f"{host} is no address to listen at ({error}).") from None
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
            sock.listen(1024)
        except OSError as error:
            sock.close()
            if error.errno == errno.EADDRINUSE:
                if time.monotonic() < deadline:
                    time.sleep(0.05)
                    continue
                raise StartProblem(
                    f"port {port} of {host} is in use: choose another with {option}."
                ) from None
            raise StartProblem(
                f"can't listen at port {port} of {host} ({error.strerror})."
            ) from None
        return sock


def advertised_host(host: str) -> str:
    """The host that goes into the catalog: `host`, or this machine's address for a wildcard."""
    if host not in ("0.0.0.0", "::", ""):
        return host
    family = socket.AF_INET6 if host == "::" else socket.AF_INET
    # Connecting a datagram socket sends nothing; it only picks the outgoing address.
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("2001:db8::1" if host == "::" else "192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "::1" if host == "::" else "127.0.0.1"


def url_of(host: str, sock: socket.socket) -> str:
    """http://host:port, with brackets for IPv6."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{sock.getsockname()[1]}"
