"""A bed of our own from the facts' reference: Keystone, Heat's APIs, engines of Heat and of ours.

Beside other beds that may be running: its ports, databases and virtual host have names of their
own. What a script needs of Heat's API, of Keystone and of the database is here too.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import httpx2
from sqlalchemy import Connection, bindparam, make_url, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from tests.broker import NoBroker, rabbitmqctl

HEAT_ENGINE = Path(sys.executable).with_name("heat-engine")
HEAT_API = Path(sys.executable).with_name("heat-api")
PATIENCE_SECONDS = 900.0
PORTS = {"fleet": 13500, "before": 13600, "takeover": 13700, "rolling": 13800}
"""the first port of each bed, below those that outgoing connections are given"""
DEFAULT = {"id": "default"}


class NotRun(Exception):
    """What is missing, in a sentence."""


@dataclass(slots=True)
class Bed:
    """Heat's APIs and whatever engines are started, a bed beside others that may be running."""

    reference: Path
    home: Path
    name: str
    ours: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def virtual_host(self) -> str:
        return f"trio_{self.name}"

    @property
    def folder(self) -> Path:
        """Configuration and logs of our engines, kept until the next bed of this name."""
        return self.home / "trio"

    @property
    def heat_port(self) -> int:
        """Where Heat's API, or ours, is."""
        return PORTS[self.name] + 4

    @property
    def environment(self) -> dict[str, str]:
        first = PORTS[self.name]
        own = {
            "REFERENCE_KEYSTONE_PORT": str(first),
            "REFERENCE_CFN_PORT": str(first + 1),
            "REFERENCE_HEAT_PORT": str(self.heat_port),
        }
        venv = os.environ.get("REFERENCE_VENV") or str(
            Path.home() / ".cache" / "heat-reference" / "venv"
        )
        return {
            **os.environ,
            **own,
            "REFERENCE_HOME": str(self.home),
            "REFERENCE_VENV": venv,
            "REFERENCE_DB_PREFIX": f"trio_{self.name}_",
            "REFERENCE_VHOST": self.virtual_host,
        }

    def run(self, script: str, *arguments: str) -> str:
        """What a script of the reference prints."""
        done = subprocess.run(
            [self.reference / script, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise NotRun(f"reference/{script}: {done.stderr.strip()[-300:]}")
        return done.stdout.strip()

    # --- engines ---------------------------------------------------------------------------

    def start_engine(self, **options: Any) -> subprocess.Popen[bytes]:
        """Another `heat-engine` of ours, which serves when this returns.

        `options` go into [heat_trio].
        """
        name = f"trio-{len(self.ours) + 1}"
        log = self.folder / f"{name}.log"
        own = self.folder / f"{name}.conf"
        lines = "".join(f"{key} = {value}\n" for key, value in options.items())
        own.write_text(f"[DEFAULT]\nhost = {name}\nlog_file = {log}\n[heat_trio]\n{lines}")
        given = shlex.split(self.run("env", "conf-args"))
        command: list[str | Path] = [HEAT_ENGINE, *given, "--config-file", own]
        engine = subprocess.Popen(command)
        self.ours[name] = engine
        until = time.monotonic() + PATIENCE_SECONDS
        while "the engine serves" not in (log.read_text() if log.exists() else ""):
            if engine.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"{name} does not serve, see {log}")
            time.sleep(0.1)
        return engine

    @property
    def other_port(self) -> int:
        """Where our API is while Heat's has the bed's port."""
        return PORTS[self.name] + 5

    def start_api(self, port: int | None = None) -> subprocess.Popen[bytes]:
        """Our `heat-api` on the bed's port or another one, which answers when this returns."""
        if not HEAT_API.exists():
            raise NotRun(f"there is no {HEAT_API}")
        _check_ours(HEAT_API)
        own = self.folder / "api.conf"
        port = port or self.heat_port
        lines = f"[DEFAULT]\nlog_file = {self.folder / 'api.log'}\n[heat_api]\nbind_port = {port}\n"
        own.write_text(lines)
        given = shlex.split(self.run("env", "conf-args"))
        api = subprocess.Popen([HEAT_API, *given, "--config-file", own])
        self.ours["api"] = api
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                httpx2.get(f"http://127.0.0.1:{port}/", trust_env=False)
            except httpx2.TransportError:
                if api.poll() is not None or time.monotonic() > until:
                    raise AssertionError(f"heat-api does not answer, see {self.folder}") from None
                time.sleep(0.2)
            else:
                return api

    def start_heats(self, *numbers: int) -> None:
        """Engines of Heat, which serve when this returns."""
        self.run("engine", "start", *map(str, numbers))

    def end_heats(self, how: str, *numbers: int) -> None:
        """`stop` (SIGTERM, waits for what is under way) or `kill` engines of Heat."""
        self.run("engine", how, *map(str, numbers))


def end(engine: subprocess.Popen[bytes], number: int = signal.SIGKILL) -> int:
    """Send a signal and wait; the exit code."""
    engine.send_signal(number)
    return engine.wait(timeout=120)


def _check_ours(command: Path) -> None:
    version = subprocess.run([command, "--version"], capture_output=True, text=True).stdout
    if not version.startswith("heat-trio"):
        raise AssertionError(f"{command} is not ours: {version!r}")


@contextmanager
def bed_of_our_own(
    shared: Path, *up: str, name: str = "fleet", settings: str = ""
) -> Iterator[Bed]:
    """Up while the block runs, without engines unless `up` says so; NotRun when it can't be had.

    `settings` are for everybody's heat.conf.
    """
    reference = shared / "reference"
    if not (reference / "up").exists():
        raise NotRun(f"there is no {reference / 'up'}")
    _check_ours(HEAT_ENGINE)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / f"heat-trio-{name}"
    bed = Bed(reference, home, name)
    shutil.rmtree(bed.folder, ignore_errors=True)
    bed.folder.mkdir(parents=True)
    more = home / "heat.conf.d" / "fleet.conf"
    more.parent.mkdir(exist_ok=True)
    more.unlink(missing_ok=True)
    if settings:
        more.write_text(settings)
    with ExitStack() as at_the_end:
        at_the_end.enter_context(suppress(NoBroker))
        at_the_end.callback(rabbitmqctl, "delete_vhost", bed.virtual_host)
        at_the_end.callback(bed.run, "down")
        bed.run("up", *(up or ("--engines", "0")), "--fresh")
        try:
            yield bed
        finally:
            for engine in bed.ours.values():
                engine.kill()
                engine.wait()


# --- the cloud -------------------------------------------------------------------------------


class Keystone:
    """A user's token, and what an administrator can see with it."""

    def __init__(self, bed: Bed, user: str = "demo", project: str = "demo") -> None:
        exports = dict(
            shlex.split(line)[1].split("=", 1)
            for line in bed.run("env", "--no-path", "demo").splitlines()
            if line.startswith("export OS_")
        )
        named = {"name": user, "password": exports["OS_PASSWORD"], "domain": DEFAULT}
        identity = {"methods": ["password"], "password": {"user": named}}
        scope = {"project": {"name": project, "domain": DEFAULT}}
        self.url = exports["OS_AUTH_URL"]
        self.heat_port = bed.heat_port
        self.region = exports["OS_REGION_NAME"]
        body = {"auth": {"identity": identity, "scope": scope}}
        answer = httpx2.post(f"{self.url}/auth/tokens", json=body, trust_env=False)
        answer.raise_for_status()
        self.token: str = answer.headers["X-Subject-Token"]
        self.project_id: str = answer.json()["token"]["project"]["id"]
        self._http = httpx2.Client(
            headers={"X-Auth-Token": self.token}, timeout=60, trust_env=False
        )

    def send(self, method: str, path: str, **body: Any) -> Any:
        """The answer's map."""
        answer = self._http.request(method, f"{self.url}{path}", json=body or None)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def projects(self, mark: str) -> list[dict[str, Any]]:
        """The projects in whose description `mark` stands."""
        found = self.send("GET", "/projects")["projects"]
        return [one for one in found if mark in (one["description"] or "")]

    def stack_domain_projects(self) -> list[dict[str, Any]]:
        """The projects that Heat keeps for stacks' own users."""
        found = self.send("GET", "/projects")["projects"]
        return [one for one in found if one["domain_id"] not in ("default", None)]


class Network:
    """A network service that has no security groups: Heat asks for those of a deleted project."""

    def __init__(self) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps({"security_groups": []}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def register(self, keystone: Keystone) -> None:
        """Put it into the catalog."""
        service = keystone.send(
            "POST", "/services", service={"name": "neutron", "type": "network"}
        )["service"]
        for interface in ("public", "internal", "admin"):
            endpoint = {
                "service_id": service["id"],
                "interface": interface,
                "region_id": keystone.region,
                "url": f"http://127.0.0.1:{self._server.server_port}",
            }
            keystone.send("POST", "/endpoints", endpoint=endpoint)


class Api:
    """Heat's API as a user sees it."""

    def __init__(self, keystone: Keystone, port: int | None = None) -> None:
        port = port or keystone.heat_port
        self._http = httpx2.Client(
            base_url=f"http://127.0.0.1:{port}/v1/{keystone.project_id}",
            headers={"X-Auth-Token": keystone.token},
            follow_redirects=True,
            timeout=120,
            trust_env=False,
        )

    def send(self, method: str, path: str, **body: Any) -> Any:
        """The answer's map, None for another; AssertionError for an error."""
        answer = self._http.request(method, path, json=body or None)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.json() if is_json and answer.content else None

    def id(self, name: str) -> str:
        identity: str = self.send("GET", f"/stacks/{name}")["stack"]["id"]
        return identity

    def create(self, name: str, body: Mapping[str, Any]) -> str:
        """The new stack's id."""
        made = self.send("POST", "/stacks", stack_name=name, **body)
        return str(made["stack"]["id"])

    def update(self, name: str, body: Mapping[str, Any]) -> None:
        self.send("PUT", f"/stacks/{name}/{self.id(name)}", **body)

    def delete(self, name: str) -> None:
        self.send("DELETE", f"/stacks/{name}/{self.id(name)}")

    def statuses(self) -> dict[str, str]:
        """By name, without what is deleted."""
        stacks = self.send("GET", "/stacks")["stacks"]
        return {stack["stack_name"]: stack["stack_status"] for stack in stacks}

    def settled(self) -> dict[str, str]:
        """The statuses once nothing is in progress, nor deleted and still there."""
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            statuses = self.statuses()
            if time.monotonic() > until or not any(
                status.endswith("IN_PROGRESS") or status == "DELETE_COMPLETE"
                for status in statuses.values()
            ):
                return statuses
            time.sleep(0.3)


# --- the database ----------------------------------------------------------------------------


class Rows:
    """The database of the bed, for looking and for what only a test may do."""

    def __init__(self, bed: Bed) -> None:
        conf = Path(bed.run("env", "conf")).read_text()
        (url,) = [
            line.split("=", 1)[1].strip()
            for line in conf.splitlines()
            if line.startswith("connection")
        ]
        self.url = make_url(url).set(drivername="mysql+asyncmy", query={"charset": "utf8mb4"})

    def read[T](self, unit: Callable[[Connection], T]) -> T:
        """What a unit of work finds, in one transaction."""

        async def work(engine: AsyncEngine) -> T:
            async with engine.begin() as connection:
                return await connection.run_sync(unit)

        async def alone() -> T:
            engine = create_async_engine(self.url)
            try:
                return await work(engine)
            finally:
                await engine.dispose()

        return asyncio.run(alone())

    def query(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        """The rows of a SELECT, which may be about many ids: `IN :ids`."""
        statement = text(sql)
        for key, value in values.items():
            if isinstance(value, Sequence) and not isinstance(value, str):
                statement = statement.bindparams(bindparam(key, expanding=True))
        return self.read(
            lambda connection: [
                dict(row) for row in connection.execute(statement, values).mappings()
            ]
        )

    def execute(self, *statements: str) -> None:
        def unit(connection: Connection) -> None:
            for statement in statements:
                connection.exec_driver_sql(statement)

        self.read(unit)

    def busy(self) -> list[str]:
        """What is not at rest: stacks in progress, sync points of their traversals, locks."""
        found = self.query(
            "SELECT CONCAT(name, ' ', action, ' ', status) AS what FROM stack"
            " WHERE deleted_at IS NULL AND status = 'IN_PROGRESS'"
            " UNION SELECT CONCAT('sync points of ', t.name) FROM sync_point p"
            " JOIN stack t ON t.id = p.stack_id AND t.current_traversal = p.traversal_id"
            " UNION SELECT CONCAT('lock of ', name, ' ', id) FROM resource"
            " WHERE engine_id IS NOT NULL"
            " UNION SELECT CONCAT('not purged: ', name) FROM stack"
            " WHERE deleted_at IS NULL AND action = 'DELETE' AND status = 'COMPLETE'"
        )
        return [str(row["what"]) for row in found]

    def rest(self, patience_seconds: float = PATIENCE_SECONDS) -> list[str]:
        """Wait until all is at rest; what is not when patience ends."""
        until = time.monotonic() + patience_seconds
        while (busy := self.busy()) and time.monotonic() < until:
            time.sleep(0.3)
        return busy
