"""Real processes: what is decided about them is tested in test_supervision."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

SERVER = Path(__file__).with_name("supervised.py")
PATIENCE_SECONDS = 60.0


@dataclass
class Server:
    """The process, what it says, and what it tells systemd."""

    process: subprocess.Popen[bytes]
    manager: socket.socket
    lines: list[str] = field(default_factory=list)
    _rest: bytes = b""

    def hear(self, word: str, times: int = 1) -> list[str]:
        """The next lines that begin with the word, once there are so many."""
        assert self.process.stdout is not None
        heard: list[str] = []
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            *whole, self._rest = self._rest.split(b"\n")
            for index, raw in enumerate(whole):
                line = raw.decode()
                self.lines.append(line)
                if line.split()[0] == word:
                    heard.append(line)
                if len(heard) == times:
                    self._rest = b"\n".join([*whole[index + 1 :], self._rest])
                    return heard
            ready, _, _ = select.select([self.process.stdout], [], [], until - time.monotonic())
            assert ready, f"no {word!r} was heard, only {self.lines}"
            piece = os.read(self.process.stdout.fileno(), 4096)
            assert piece, f"it ended after {self.lines}"
            self._rest += piece

    def pids(self, times: int) -> set[int]:
        """The workers that serve from now on."""
        return {int(line.split()[1]) for line in self.hear("serves", times)}

    def told(self) -> str:
        """What the service manager is told next."""
        return self.manager.recv(4096).decode()

    def ends(self) -> int:
        return self.process.wait(PATIENCE_SECONDS)


@contextmanager
def server(folder: Path, count: int, how: str = "orderly") -> Iterator[Server]:
    address = str(folder / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(PATIENCE_SECONDS)
        process = subprocess.Popen(
            [sys.executable, str(SERVER), str(count), str(folder), how],
            stdout=subprocess.PIPE,
            env=os.environ | {"NOTIFY_SOCKET": address},
        )
        try:
            yield Server(process, manager)
        finally:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def gone(pid: int) -> bool:
    """Whether the process has gone, within a moment."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_workers_serve_and_end_in_order(tmp_path: Path, number: signal.Signals) -> None:
    with server(tmp_path, 2) as running:
        pids = running.pids(2)
        assert len(pids) == 2
        assert running.told() == "READY=1\nSTATUS=2 workers serve"
        running.process.send_signal(number)
        running.hear("stopping")
        assert {int(line.split()[1]) for line in running.hear("ends", 2)} == pids
        assert running.told().startswith("STOPPING=1")
        assert running.ends() == 0


def test_a_worker_that_is_killed_is_followed(tmp_path: Path) -> None:
    with server(tmp_path, 1) as running:
        (first,) = running.pids(1)
        os.kill(first, signal.SIGKILL)
        (second,) = running.pids(1)
        assert second != first
        running.process.terminate()
        assert running.ends() == 0


def test_a_worker_that_somebody_ends_is_followed_too(tmp_path: Path) -> None:
    with server(tmp_path, 1) as running:
        (first,) = running.pids(1)
        os.kill(first, signal.SIGTERM)
        running.hear("ends")
        assert running.pids(1) != {first}


def test_signals_of_the_terminal_are_not_for_workers(tmp_path: Path) -> None:
    with server(tmp_path, 1) as running:
        (pid,) = running.pids(1)
        os.kill(pid, signal.SIGINT)
        os.kill(pid, signal.SIGHUP)
        os.kill(pid, signal.SIGTERM)
        assert running.hear("ends") == [f"ends {pid}"]


def test_a_reload_replaces_the_workers(tmp_path: Path) -> None:
    with server(tmp_path, 2) as running:
        before = running.pids(2)
        running.told()
        running.process.send_signal(signal.SIGHUP)
        after = running.pids(2)
        assert not before & after
        assert running.lines.index("reloads") < running.lines.index(f"serves {min(after)}")
        assert running.told().startswith("RELOADING=1\nMONOTONIC_USEC=")
        assert running.told().startswith("READY=1")
        running.process.terminate()
        assert running.ends() == 0


def test_a_reload_that_cannot_be_had_changes_nothing(tmp_path: Path) -> None:
    with server(tmp_path, 1, "refused") as running:
        (pid,) = running.pids(1)
        running.process.send_signal(signal.SIGHUP)
        running.hear("reloads")
        running.process.terminate()
        assert running.hear("ends") == [f"ends {pid}"]
        assert running.ends() == 0


def test_workers_die_with_their_supervisor(tmp_path: Path) -> None:
    with server(tmp_path, 2) as running:
        pids = running.pids(2)
        running.process.kill()
        running.process.wait()
        assert [gone(pid) for pid in pids] == [True, True]


def test_a_second_signal_makes_stubborn_workers_end(tmp_path: Path) -> None:
    with server(tmp_path, 1, "stubborn") as running:
        running.pids(1)
        running.process.terminate()
        running.hear("stopping")
        running.process.terminate()
        running.hear("ends")
        assert running.ends() == 0


def test_workers_that_cannot_use_their_configuration_end_it_all(tmp_path: Path) -> None:
    with server(tmp_path, 2, "broken") as running:
        assert running.ends() == 2
