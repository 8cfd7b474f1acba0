"""A MariaDB and a RabbitMQ of the tests' own, to be killed, stopped and started again."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.bed import NotRun

RABBITMQ = Path("/usr/lib/rabbitmq/bin")
"""the scripts themselves: those in PATH may switch to a user of RabbitMQ's"""
START_SECONDS = 120.0


@dataclass(slots=True)
class MariaDb:
    """A mariadbd with a data folder of its own; root without a password on 127.0.0.1."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        return self.folder / "mariadb.sock"

    def make(self) -> None:
        """Make the data folder; NotRun without the programs."""
        for program in ("mariadbd", "mariadb-install-db", "mariadb"):
            if shutil.which(program) is None:
                raise NotRun(f"no {program}")
        self.folder.mkdir(parents=True)
        _run(
            "mariadb-install-db",
            "--no-defaults",
            f"--datadir={self.folder / 'data'}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            *_as_this_user(),
        )

    def create(self, name: str) -> None:
        """An empty database."""
        query = f"CREATE DATABASE {name} CHARACTER SET utf8mb3"
        _run("mariadb", "--no-defaults", f"--socket={self.socket}", "--user=root", "-e", query)

    def start(self) -> None:
        """Start it and return once it takes connections."""
        self.process = subprocess.Popen(
            [
                "mariadbd",
                "--no-defaults",
                f"--datadir={self.folder / 'data'}",
                f"--socket={self.socket}",
                f"--pid-file={self.folder / 'pid'}",
                f"--log-error={self.folder / 'log'}",
                f"--port={self.port}",
                "--bind-address=127.0.0.1",
                *_as_this_user(),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _await_port(self.port, self.process, self.folder / "log")

    def kill(self) -> None:
        """SIGKILL; returns when it is gone."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End it, if it runs at all."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()


@dataclass(slots=True)
class RabbitMq:
    """A broker with a node name, a cookie and a folder of its own."""

    folder: Path
    port: int
    name: str
    process: subprocess.Popen[bytes] | None = None
    _cookie: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)

    @property
    def environment(self) -> Mapping[str, str]:
        """With which its rabbitmqctl is the one in PATH."""
        return {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "RABBITMQ_NODENAME": f"{self.name}@localhost",
        }

    def make(self) -> None:
        """Make the folder; NotRun without the programs."""
        if not (RABBITMQ / "rabbitmq-server").exists():
            raise NotRun(f"no {RABBITMQ / 'rabbitmq-server'}")
        (self.folder / "bin").mkdir(parents=True)
        cookie = self.folder / ".erlang.cookie"
        cookie.write_text(self._cookie)
        cookie.chmod(0o400)
        control = self.folder / "bin" / "rabbitmqctl"
        home, program = self.folder, RABBITMQ / "rabbitmqctl"
        control.write_text(f'#!/bin/sh\nexport HOME={home}\nexec {program} "$@"\n')
        control.chmod(0o755)
        (self.folder / "plugins").write_text("[].\n")
        (self.folder / "rabbitmq.conf").write_text(f"listeners.tcp.local = 127.0.0.1:{self.port}\n")
        (self.folder / "environment").write_text("")

    def start(self) -> None:
        """Start it and return once it takes connections."""
        own = {
            "HOME": str(self.folder),
            "RABBITMQ_NODENAME": f"{self.name}@localhost",
            "RABBITMQ_DIST_PORT": str(self.port + 1),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "environment"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        }
        with (self.folder / "said").open("ab") as said:
            self.process = subprocess.Popen(
                [RABBITMQ / "rabbitmq-server"],
                env={**os.environ, **own},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        _await_port(self.port, self.process, self.folder / "said")
        self.control("await_startup")

    def control(self, *arguments: str) -> None:
        """Its rabbitmqctl."""
        _run(
            str(self.folder / "bin" / "rabbitmqctl"),
            "-q",
            *arguments,
            environment={**os.environ, **self.environment},
        )

    def stop(self) -> None:
        """End it, if it runs at all."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait()


def _as_this_user() -> Sequence[str]:
    return ("--user=root",) if os.geteuid() == 0 else ()


def _run(program: str, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
    done = subprocess.run(
        [program, *arguments], capture_output=True, text=True, env=environment, timeout=180
    )
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip())[-300:]
        raise NotRun(f"{program} {arguments[-1]}: {said}")


def _await_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=2).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > until:
                raise NotRun(f"nothing came up at port {port}, see {log}") from None
            time.sleep(0.1)
