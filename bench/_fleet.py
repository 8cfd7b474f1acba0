"""An API and two engines, Heat's or ours, with Keystone, database and broker of their own.

From the facts' reference, beside other beds that may be running: ports, database names and the
virtual host are its own. Heat's engines run without their pause of a second after each leaf.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import httpx2
from sqlalchemy import URL, make_url

from tests.broker import NoBroker, rabbitmqctl

type Whose = Literal["Heat", "heat-trio"]

HEAT_ENGINE = Path(sys.executable).with_name("heat-engine")
HEAT_API = Path(sys.executable).with_name("heat-api")
ENGINES = 2
START_SECONDS = 120.0
VIRTUAL_HOST = "trio_bench"
PORTS = {"KEYSTONE": 13900, "HEAT": 13904, "CFN": 13901}
"""below those that outgoing connections are given"""


class NotRun(Exception):
    """What is missing, in a sentence."""


def find_reference() -> Path:
    """The folder of its scripts; NotRun when there is none, or our command is not ours."""
    shared = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")).absolute()
    reference = shared / "reference"
    if not (reference / "up").exists():
        raise NotRun(f"there is no {reference / 'up'}")
    version = subprocess.run([HEAT_ENGINE, "--version"], capture_output=True, text=True).stdout
    if not version.startswith("heat-trio"):
        raise NotRun(f"{HEAT_ENGINE} is not ours: {version!r}")
    return reference


@dataclass(slots=True)
class Fleet:
    """The bed, and which processes are its engines (each the leader of a session)."""

    reference: Path
    folder: Path
    home: Path
    engines: list[int] = field(default_factory=list)

    def run(self, script: str, *arguments: str) -> str:
        """What a script of the reference prints; NotRun when it fails."""
        done = subprocess.run(
            [self.reference / script, *arguments],
            env=self._environment(),
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise NotRun(f"reference/{script}: {done.stderr.strip()[-300:]}")
        return done.stdout.strip()

    def _environment(self) -> dict[str, str]:
        cache = Path.home() / ".cache" / "heat-reference"
        return {
            **os.environ,
            **{f"REFERENCE_{name}_PORT": str(port) for name, port in PORTS.items()},
            "REFERENCE_HOME": str(self.home),
            "REFERENCE_VENV": os.environ.get("REFERENCE_VENV") or str(cache / "venv"),
            "REFERENCE_DB_PREFIX": "trio_bench_",
            "REFERENCE_VHOST": VIRTUAL_HOST,
        }

    def database_url(self) -> URL:
        """That of the engines, for asyncmy."""
        for line in Path(self.run("env", "conf")).read_text().splitlines():
            name, _, value = line.partition(" = ")
            if name == "connection":
                return (
                    make_url(value)
                    .set(drivername="mysql+asyncmy")
                    .difference_update_query(["charset"])
                )
        raise NotRun("the reference's heat.conf names no database")

    def processor_seconds(self) -> float:
        """What the engines have used up to now, with their children."""
        ticks = 0
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with suppress(OSError):
                # After the name, which may hold blanks: state, parent, group, session, ...
                words = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(words[3]) in self.engines:
                    ticks += sum(int(word) for word in words[11:15])
        return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def fleet_of(whose: Whose, reference: Path, folder: Path) -> Iterator[Fleet]:
    """A fresh one, up while the block runs; logs of our engines go to `folder`."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "heat-trio-bench"
    home.mkdir(parents=True, exist_ok=True)
    fleet = Fleet(reference, folder, home)
    with ExitStack() as at_the_end:
        at_the_end.enter_context(suppress(NoBroker))
        at_the_end.callback(rabbitmqctl, "delete_vhost", VIRTUAL_HOST)
        at_the_end.callback(fleet.run, "down")
        if whose == "Heat":
            fleet.run("up", "--fresh", "--no-leaf-sleep", "--engines", str(ENGINES))
            listed = (line.split() for line in fleet.run("engine", "list").splitlines())
            fleet.engines = [int(pid) for _, state, pid, _ in listed if state == "up"]
            # One that hangs would be waited for.
            at_the_end.callback(_kill_theirs, fleet)
        else:
            fleet.run("up", "--fresh", "--engines", "0", "--no-api")
            for number in range(1, ENGINES + 1):
                engine = _start_ours(fleet, HEAT_ENGINE, f"trio-{number}", "the engine serves")
                fleet.engines.append(engine.pid)
                at_the_end.callback(_kill, engine)
            at_the_end.callback(_kill, _start_ours(fleet, HEAT_API, "trio-api", "the API serves"))
        yield fleet


def _start_ours(fleet: Fleet, program: Path, name: str, serves: str) -> subprocess.Popen[bytes]:
    log, own = fleet.folder / f"{name}.log", fleet.folder / f"{name}.conf"
    log.unlink(missing_ok=True)
    own.write_text(f"[DEFAULT]\nhost = {name}\nlog_file = {log}\n")
    command = [program, "--config-file", fleet.run("env", "conf"), "--config-file", own]
    process = subprocess.Popen(command, start_new_session=True)
    until = time.monotonic() + START_SECONDS
    while serves not in (log.read_text() if log.exists() else ""):
        if process.poll() is not None or time.monotonic() > until:
            raise NotRun(f"{name} does not serve, see {log}")
        time.sleep(0.1)
    return process


def _kill(engine: subprocess.Popen[bytes]) -> None:
    engine.kill()
    engine.wait()


def _kill_theirs(fleet: Fleet) -> None:
    with suppress(NotRun):
        fleet.run("engine", "kill", *(str(number) for number in range(1, ENGINES + 1)))


class Api:
    """The fleet's API as a user of the demo project."""

    def __init__(self, fleet: Fleet) -> None:
        exports = dict(
            shlex.split(line)[1].split("=", 1)
            for line in fleet.run("env", "--no-path", "demo").splitlines()
            if line.startswith("export OS_")
        )
        user = {
            "name": exports["OS_USERNAME"],
            "password": exports["OS_PASSWORD"],
            "domain": {"id": "default"},
        }
        scope = {"project": {"name": exports["OS_PROJECT_NAME"], "domain": {"id": "default"}}}
        identity = {"methods": ["password"], "password": {"user": user}}
        answer = httpx2.post(
            f"{exports['OS_AUTH_URL']}/auth/tokens",
            json={"auth": {"identity": identity, "scope": scope}},
        )
        answer.raise_for_status()
        project = answer.json()["token"]["project"]["id"]
        self._http = httpx2.Client(
            base_url=f"http://127.0.0.1:{PORTS['HEAT']}/v1/{project}",
            headers={"X-Auth-Token": answer.headers["X-Subject-Token"]},
            timeout=120,
        )

    def create(self, name: str, template: dict[str, Any]) -> str:
        """The new stack's id."""
        answer = self._send("POST", "/stacks", {"stack_name": name, "template": template})
        identity: str = answer.json()["stack"]["id"]
        return identity

    def update(self, name: str, stack_id: str, template: dict[str, Any]) -> None:
        self._send("PUT", f"/stacks/{name}/{stack_id}", {"template": template})

    def delete(self, name: str, stack_id: str) -> None:
        self._send("DELETE", f"/stacks/{name}/{stack_id}", None)

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> httpx2.Response:
        answer = self._http.request(method, path, json=body)
        answer.raise_for_status()
        return answer
