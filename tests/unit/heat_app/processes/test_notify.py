from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from heat_app.processes.notify import Notifier


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.settimeout(5)
        yield sock


def test_what_is_said_arrives(manager: socket.socket) -> None:
    notifier = Notifier(manager.getsockname())
    notifier.ready("2 workers serve")
    assert manager.recv(1000) == b"READY=1\nSTATUS=2 workers serve"
    notifier.stopping("ending")
    assert manager.recv(1000) == b"STOPPING=1\nSTATUS=ending"
    notifier.alive()
    assert manager.recv(1000) == b"WATCHDOG=1"
    notifier.reloading()
    first, second = manager.recv(1000).decode().split("\n")
    assert first == "RELOADING=1"
    name, _, microseconds = second.partition("=")
    assert name == "MONOTONIC_USEC"
    assert int(microseconds) > 0


def test_an_abstract_address(tmp_path: Path) -> None:
    name = f"heat-trio-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind("\0" + name)
        sock.settimeout(5)
        Notifier("@" + name).alive()
        assert sock.recv(1000) == b"WATCHDOG=1"


def test_nobody_to_tell_is_no_error(tmp_path: Path) -> None:
    Notifier().ready("")
    Notifier(str(tmp_path / "nothing")).ready("")
    assert not (tmp_path / "nothing").exists()


def test_it_is_taken_from_the_environment() -> None:
    environment = {
        "NOTIFY_SOCKET": "/run/x",
        "WATCHDOG_USEC": "30000000",
        "WATCHDOG_PID": str(os.getpid()),
        "PATH": "/bin",
    }
    assert Notifier.taken_from(environment) == Notifier("/run/x", 30.0)
    assert environment == {"PATH": "/bin"}
    assert Notifier.taken_from(environment) == Notifier()


@pytest.mark.parametrize(
    "given",
    [
        {"WATCHDOG_USEC": "0"},
        {"WATCHDOG_USEC": "soon"},
        {"WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1"},
    ],
)
def test_a_watchdog_that_is_not_ours(given: dict[str, str]) -> None:
    assert Notifier.taken_from(given).watchdog_seconds is None
