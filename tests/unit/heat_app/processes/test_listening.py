from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from heat_app.config import ConfigurationProblem, ListenSettings
from heat_app.processes import listening
from heat_app.processes.listening import listening_socket

HERE = ListenSettings(bind_host="127.0.0.1", bind_port=0, tcp_keepidle=77)


def listen(settings: ListenSettings = HERE, environment: Any = None) -> socket.socket:
    return listening_socket(
        "heat_api",
        settings,
        client_timeout_seconds=12.5,
        environment={} if environment is None else environment,
    )


def test_connections_inherit_what_the_socket_is_set_to() -> None:
    with listen() as sock, socket.create_connection(sock.getsockname()):
        assert not sock.getblocking()
        sock.setblocking(True)
        connection, _ = sock.accept()
        with connection:
            assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            tcp = socket.IPPROTO_TCP
            assert connection.getsockopt(tcp, socket.TCP_KEEPIDLE) == 77
            assert connection.getsockopt(tcp, socket.TCP_USER_TIMEOUT) == 12500
            assert connection.getsockopt(tcp, socket.TCP_NODELAY)


def test_a_taken_port_and_a_strange_address_are_said_in_a_sentence() -> None:
    with listen() as sock:
        port = sock.getsockname()[1]
        with pytest.raises(ConfigurationProblem) as raised:
            listen(replace(HERE, bind_port=port))
    assert str(raised.value) == (
        f"[heat_api] can't listen at 127.0.0.1, port {port}: Address already in use"
    )
    with pytest.raises(ConfigurationProblem, match=r"\[heat_api\] bind_host: 1.2.3.4.5 is no addr"):
        listen(replace(HERE, bind_host="1.2.3.4.5"))


@pytest.fixture
def passed_on(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A listening socket at the descriptor at which systemd's would be."""
    sock = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setattr(listening, "FIRST_PASSED_ON", sock.detach())
    descriptor = listening.FIRST_PASSED_ON
    with socket.socket(fileno=os.dup(descriptor)) as copy:
        yield copy
    with suppress(OSError):
        os.close(descriptor)


def _environment(**other: str) -> dict[str, str]:
    return {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "x", **other}


def test_the_socket_of_systemd_is_used(passed_on: socket.socket) -> None:
    environment = _environment(PATH="/bin")
    with listen(environment=environment) as sock:
        assert sock.getsockname() == passed_on.getsockname()
        assert not sock.get_inheritable()
    assert environment == {"PATH": "/bin"}


@pytest.mark.parametrize("other", [{"LISTEN_PID": "1"}, {"LISTEN_FDS": "0"}, {"LISTEN_FDS": ""}])
def test_one_for_somebody_else_is_not(passed_on: socket.socket, other: dict[str, str]) -> None:
    with listen(environment=_environment(**other)) as sock:
        assert sock.getsockname() != passed_on.getsockname()


def test_two_are_one_too_many() -> None:
    with pytest.raises(ConfigurationProblem, match="systemd has passed 2 sockets on"):
        listen(environment=_environment(LISTEN_FDS="2"))


def test_a_unix_socket_has_no_options_of_tcp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    unix.bind(str(tmp_path / "s"))
    unix.listen()
    monkeypatch.setattr(listening, "FIRST_PASSED_ON", unix.detach())
    with listen(environment=_environment()) as sock:
        assert sock.family == socket.AF_UNIX
