"""A `heat-trio up` that is killed and started again, and what its database says in between."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

CHILD_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Left:
    """What a kill left in the database."""

    state: str | None
    last_row: str
    rows: str

    def in_progress(self, operation: str) -> bool:
        return self.state == f"{operation.upper()}_IN_PROGRESS"

    def ended(self, operation: str) -> bool:
        """Whether the operation was over already."""
        return self.state == (None if operation == "delete" else f"{operation.upper()}_COMPLETE")

    def __str__(self) -> str:
        return f"{self.state or 'no stack'}, {self.rows}, last row {self.last_row}"


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

    def left(self, name: str) -> Left:
        """The state of the stack and of its rows, as the killed process left them."""
        with closing(self._database()) as database:
            stack = database.execute(
                "SELECT id, action || '_' || status FROM stack"
                " WHERE name = ? AND deleted_at IS NULL",
                (name,),
            ).fetchone()
            if stack is None:
                return Left(None, "none", "no rows")
            last = database.execute(
                "SELECT name, action || '_' || status, engine_id IS NOT NULL FROM resource"
                " WHERE stack_id = ? ORDER BY coalesce(updated_at, created_at) DESC, id DESC",
                (stack[0],),
            ).fetchone()
            rows = database.execute(
                "SELECT count(*), coalesce(sum(engine_id IS NOT NULL), 0),"
                " coalesce(sum(status = 'COMPLETE' AND action != 'INIT'), 0)"
                " FROM resource WHERE stack_id = ?",
                (stack[0],),
            ).fetchone()
        shown = f"{last[0]} {last[1]}{', locked' if last[2] else ''}" if last else "none"
        return Left(stack[1], shown, f"{rows[0]} rows ({rows[2]} COMPLETE, {rows[1]} locked)")

    def leftovers(self, name: str, expected_rows: int) -> list[str]:
        """What an operation that has ended should have cleaned up in the database, but hasn't."""
        deadline = time.monotonic() + CHILD_SECONDS
        while True:
            # The purge follows the final state.
            wrong = self._leftovers(name, expected_rows)
            if not wrong or time.monotonic() > deadline:
                return wrong
            time.sleep(0.05)

    def _leftovers(self, name: str, expected_rows: int) -> list[str]:
        with closing(self._database()) as database:
            [rows] = database.execute(
                "SELECT count(*) FROM resource JOIN stack ON stack.id = stack_id"
                " WHERE stack.name = ? AND deleted_at IS NULL",
                (name,),
            ).fetchone()
            [locked] = database.execute(
                "SELECT count(*) FROM resource WHERE engine_id IS NOT NULL"
            ).fetchone()
            [points] = database.execute("SELECT count(*) FROM sync_point").fetchone()
        wrong = []
        if rows != expected_rows:
            wrong.append(f"{rows} rows of resources instead of {expected_rows}")
        wrong += [f"{locked} rows are locked"] * bool(locked)
        wrong += [f"{points} sync points are left"] * bool(points)
        return wrong

    def _database(self) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.folder / 'heat.sqlite'}?mode=ro", uri=True)


def _port(url: str) -> str:
    return url.split(":")[2].split("/")[0]


def _runs(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return os.path.exists(f"/proc/{pid}") and status.rpartition(")")[2].split()[0] != "Z"
