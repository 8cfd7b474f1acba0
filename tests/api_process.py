"""Runs the command of an API with a configuration that names nobody who is there."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONF = """\
[DEFAULT]
transport_url = rabbit://guest:guest@127.0.0.1:1/v
log_file = {folder}/api.log
[keystone_authtoken]
auth_url = http://127.0.0.1:1/v3
username = heat
password = p
[{section}]
bind_host = 127.0.0.1
bind_port = {port}
workers = 2
"""
PATIENCE_SECONDS = 60.0


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def conf(
    folder: Path, port: int = 0, *, section: str = "heat_api", instead: tuple[str, str] = ("", "")
) -> str:
    """The path of a heat.conf for an API that listens by `section`."""
    path = folder / "heat.conf"
    path.write_text(CONF.format(folder=folder, port=port, section=section).replace(*instead))
    return str(path)


@contextmanager
def running(
    folder: Path, *, module: str = "heat_app.native.process", section: str = "heat_api"
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command of `module`, which takes connections, and its port."""
    port = free_port()
    command = [sys.executable, "-m", module]
    process = subprocess.Popen([*command, "--config-file", conf(folder, port, section=section)])
    try:
        until = time.monotonic() + PATIENCE_SECONDS
        log = folder / "api.log"
        while "all workers serve" not in (log.read_text() if log.exists() else ""):
            assert process.poll() is None
            assert time.monotonic() < until
        yield process, port
    finally:
        process.kill()
        process.wait()
