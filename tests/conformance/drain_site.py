"""Two API processes and two engine processes of ours, their broker, database and Keystone.

Between them and Keystone stands a proxy that takes its time and writes down each request that makes
or removes a project: what a plugin has done, and whether it did it twice.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx2
import trio
from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from heat_app.standalone.command import start_keystone
from heat_app.standalone.data_folder import DataFolder
from heat_app.standalone.identity_names import STACK_DOMAIN, STACK_DOMAIN_ADMIN
from heat_app.standalone.keystone import REGION
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.database import Ambient, Cipher, Database
from tests.broker import amqp_url, virtual_host

PATIENCE_SECONDS = 300.0
GRACE_SECONDS = 3
DELAYS = (0.02, 0.3)
DEFAULT = {"id": "default"}


class NotRun(Exception):
    """What is missing, in a sentence."""


# --- Keystone, and who asks it ---------------------------------------------------------------


@dataclass(slots=True)
class PluginCalls:
    """What was asked of Keystone that makes or removes a project, with its status."""

    done: list[tuple[str, str, int]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, what: str, which: str, status: int) -> None:
        with self.lock:
            self.done.append((what, which, status))

    def repeated(self) -> list[str]:
        """The calls that came twice for the same thing, whatever the answer."""
        seen: set[tuple[str, str]] = set()
        twice = []
        for what, which, status in self.done:
            if (what, which) in seen:
                twice.append(f"{what} {which} again: {status}")
            seen.add((what, which))
        return twice


class _Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    target: ClassVar[int] = 0
    calls: ClassVar[PluginCalls]

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        changes = self.path.startswith("/v3/projects") and self.command in ("POST", "DELETE")
        if changes:
            time.sleep(random.uniform(*DELAYS))
        keystone = HTTPConnection("127.0.0.1", self.target, timeout=60)
        headers = {name: value for name, value in self.headers.items() if name != "Host"}
        keystone.request(self.command, self.path, body, headers | {"Connection": "close"})
        answer = keystone.getresponse()
        content = answer.read()
        keystone.close()
        if changes:
            posted = self.command == "POST"
            which = json.loads(body)["project"]["name"] if posted else self.path
            self.calls.note(self.command, which, answer.status)
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_HEAD = do_POST = do_PATCH = do_PUT = do_DELETE = _pass_on


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is killed cuts its connections."""


@contextmanager
def _identity(folder: Path) -> Iterator[tuple[DataFolder, str, PluginCalls]]:
    """The data folder with the passwords, the proxy's address, and what passes it."""
    calls = PluginCalls()
    handler = type("Proxy", (_Proxy,), {"calls": calls})
    proxy = _Server(("127.0.0.1", 0), handler)
    url = f"http://127.0.0.1:{proxy.server_port}/v3"
    sock = socket.create_server(("127.0.0.1", 0))
    handler.target = sock.getsockname()[1]
    data = DataFolder.open(folder)
    keystone = start_keystone(data, sock, url, "http://127.0.0.1:1/v1")
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        trio.run(keystone.wait_ready)
        yield data, url, calls
    finally:
        keystone.stop()
        data.close()
        proxy.shutdown()
        proxy.server_close()


# --- the database ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tables:
    """A database of this run's own."""

    server: str
    name: str

    @property
    def url(self) -> str:
        parts = make_url(self.server).set(drivername="mysql+pymysql", database=self.name)
        return parts.render_as_string(hide_password=False)

    def rows(self, statement: str, *, database: str | None = None) -> list[tuple[Any, ...]]:
        """What a statement gives, outside of any transaction of others."""

        async def work() -> list[tuple[Any, ...]]:
            name = self.name if database is None else database
            url = make_url(self.server).set(drivername="mysql+asyncmy", database=name)
            engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
            try:
                async with engine.connect() as connection:
                    result = await connection.execute(text(statement))
                    return [tuple(row) for row in result] if result.returns_rows else []
            finally:
                await engine.dispose()

        return asyncio.run(work())


@contextmanager
def _database(server: str, key: str) -> Iterator[Tables]:
    """Brought to its schema; dropped in the end."""
    tables = Tables(server, f"heat_trio_drain_{uuid.uuid4().hex[:12]}")

    async def migrate() -> None:
        around = Ambient(cipher=Cipher(key))
        async with (
            open_asyncio_loop() as loop,
            Database.open(tables.url, surroundings=around, loop=loop) as database,
        ):
            await database.migrate()

    try:
        tables.rows(f"CREATE DATABASE {tables.name} CHARACTER SET utf8mb4", database="")
    except Exception as error:
        raise NotRun(f"no MariaDB: {error}") from error
    try:
        trio.run(migrate)
        yield tables
    finally:
        tables.rows(f"DROP DATABASE {tables.name}", database="")


# --- the processes ---------------------------------------------------------------------------


@dataclass(slots=True)
class Program:
    """One of our commands, which says over sd_notify(3) when it serves."""

    name: str
    command: list[str]
    folder: Path
    process: subprocess.Popen[bytes] | None = None
    exits: list[tuple[int, float]] = field(default_factory=list)
    """exit code and seconds of each end"""

    def start(self) -> None:
        """Start it; it serves when this returns."""
        address = str(self.folder / f"{self.name}.notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            Path(address).unlink(missing_ok=True)
            sock.bind(address)
            sock.settimeout(0.2)
            environment = os.environ | {"NOTIFY_SOCKET": address}
            with open(self.folder / f"{self.name}.out", "ab") as out:
                self.process = subprocess.Popen(
                    self.command, stdout=out, stderr=out, env=environment
                )
            until = time.monotonic() + PATIENCE_SECONDS
            said = b""
            while b"READY=1" not in said:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise AssertionError(f"{self.name} does not serve, see {self.folder}")
                try:
                    said = sock.recv(4096)
                except TimeoutError:
                    continue

    def stop(self) -> None:
        """SIGTERM; returns when it has ended."""
        if self.process is None or self.process.poll() is not None:
            return
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE_SECONDS)
        self.exits.append((code, time.monotonic() - began))

    def kill(self) -> None:
        """Whatever is left of it."""
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@dataclass(slots=True)
class Site:
    """All of it, running."""

    folder: Path
    tables: Tables
    calls: PluginCalls
    apis: list[Program]
    engines: list[Program]
    api_urls: list[str]
    identity_url: str
    password: str

    def logged(self, sentence: str) -> list[str]:
        """The lines of all logs that hold the sentence."""
        return [
            line
            for log in sorted(self.folder.glob("*.log"))
            for line in log.read_text(errors="replace").splitlines()
            if sentence in line
        ]

    def token(self) -> tuple[str, str]:
        """An administrator's token, and the id of the project."""
        user = {"name": "admin", "domain": DEFAULT, "password": self.password}
        identity = {"methods": ["password"], "password": {"user": user}}
        scope = {"project": {"name": "admin", "domain": DEFAULT}}
        answer = httpx2.post(
            f"{self.identity_url}/auth/tokens",
            json={"auth": {"identity": identity, "scope": scope}},
            timeout=60,
        )
        answer.raise_for_status()
        return answer.headers["X-Subject-Token"], answer.json()["token"]["project"]["id"]


CONFIGURATION = """\
[DEFAULT]
transport_url = {transport_url}
auth_encryption_key = {key}
region_name_for_services = {region}
stack_user_domain_name = {domain}
stack_domain_admin = {domain_admin}
stack_domain_admin_password = {domain_password}
[database]
connection = {database}
[keystone_authtoken]
auth_type = password
auth_url = {identity}
www_authenticate_uri = {identity}
username = heat
password = {password}
project_name = service
user_domain_id = default
project_domain_id = default
region_name = {region}
[trustee]
auth_type = password
auth_url = {identity}
username = heat
password = {password}
user_domain_id = default
[clients_keystone]
auth_uri = {identity}
"""


def _program(folder: Path, name: str, command: str, own: str) -> Program:
    program = Path(sys.executable).with_name(command)
    said = subprocess.run([program, "--version"], capture_output=True, text=True)
    if not (said.stdout + said.stderr).startswith("heat-trio"):
        raise AssertionError(f"{program} is not ours: {said.stdout}")
    conf = folder / f"{name}.conf"
    conf.write_text(f"[DEFAULT]\nhost = {name}\nlog_file = {folder / name}.log\n{own}")
    files = [f"--config-file={folder / 'heat.conf'}", f"--config-file={conf}"]
    return Program(name, [str(program), *files], folder)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


@contextmanager
def site(server: str) -> Iterator[Site]:
    """Up while the block runs; NotRun when something isn't there."""
    if shutil.which("rabbitmqctl") is None:
        raise NotRun("there is no rabbitmqctl")
    with ExitStack() as at_the_end:
        folder = Path(at_the_end.enter_context(tempfile.TemporaryDirectory()))
        host = at_the_end.enter_context(virtual_host(amqp_url()))
        data, identity, calls = at_the_end.enter_context(_identity(folder / "identity"))
        made = data.secrets()
        tables = at_the_end.enter_context(_database(server, made.encryption_key))
        (folder / "heat.conf").write_text(
            CONFIGURATION.format(
                transport_url=host.transport_url,
                key=made.encryption_key,
                region=REGION,
                domain=STACK_DOMAIN,
                domain_admin=STACK_DOMAIN_ADMIN,
                domain_password=made.passwords[STACK_DOMAIN_ADMIN],
                database=tables.url.replace("$", "$$"),
                identity=identity,
                password=made.passwords["heat"],
            )
        )
        ports = [_free_port(), _free_port()]
        apis = [
            _program(
                folder,
                f"api-{port}",
                "heat-api",
                f"[heat_api]\nbind_host = 127.0.0.1\nbind_port = {port}\nworkers = 2\n",
            )
            for port in ports
        ]
        engines = [
            _program(
                folder,
                f"engine-{n}",
                "heat-engine",
                f"num_engine_workers = 2\ngraceful_shutdown_timeout = {GRACE_SECONDS}\n",
            )
            for n in range(2)
        ]
        for program in (*apis, *engines):
            at_the_end.callback(program.kill)
            program.start()
        urls = [f"http://127.0.0.1:{port}/v1" for port in ports]
        yield Site(folder, tables, calls, apis, engines, urls, identity, made.passwords["admin"])
