"""A `heat-trio up` that is killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.crash.cloud import Access
from tests.crash.left import Ask, ask_sqlite

CHILD_SECONDS = 5.0


class Up:
    """`heat-trio up` in a folder, started again as often as needed, on the ports of the first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = ["--port", "0", "--keystone-port", "0"]
        self.said: dict[str, str] = {}
        self.process: subprocess.Popen[str] | None = None
        self.children: list[int] = []

    def start(self) -> None:
        """Start the process and wait until it is ready; SystemExit when it isn't ever."""
        command = [sys.executable, "-m", "heat_app.cli", "up", "--data", str(self.folder)]
        self.process = subprocess.Popen([*command, *self.ports], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            name, _, value = line.strip().partition(" ")
            if name in ("Heat", "Keystone"):
                self.said[name] = value.strip()
            if line.startswith("Ctrl-C"):
                break
        else:
            raise SystemExit(f"heat-trio up ended with {self.process.wait()}")
        self.ports = ["--port", _port(self.said["Heat"])]
        self.ports += ["--keystone-port", _port(self.said["Keystone"])]
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        self.children = [int(child) for child in children.split()]

    def kill(self) -> None:
        """SIGKILL; returns when the process is gone."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def assert_alone(self) -> None:
        """The Keystone beside it has to end with it; SystemExit when it doesn't."""
        deadline = time.monotonic() + CHILD_SECONDS
        while alive := [child for child in self.children if _runs(child)]:
            if time.monotonic() > deadline:
                raise SystemExit(f"children outlive heat-trio up: {alive}")
            time.sleep(0.02)

    def stop(self) -> None:
        """SIGTERM, if it runs at all."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.communicate()

    @property
    def access(self) -> Access:
        """How its services are reached."""
        passwords = json.loads((self.folder / "secrets.json").read_text())["passwords"]
        return Access(self.said["Heat"], self.said["Keystone"], passwords["admin"])

    @property
    def ask(self) -> Ask:
        """Queries of its database, which may be asked while it is dead."""
        return ask_sqlite(self.folder / "heat.sqlite")


def _port(url: str) -> str:
    return url.split(":")[2].split("/")[0]


def _runs(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return os.path.exists(f"/proc/{pid}") and status.rpartition(")")[2].split()[0] != "Z"
