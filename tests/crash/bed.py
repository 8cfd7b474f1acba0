"""Heat's own API and a Keystone on MariaDB and RabbitMQ, and engines of ours that can be killed.

The facts' reference brings up everything but the engines, under names and ports of its own: several
such beds, and the reference itself, can run side by side.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.broker import NoBroker, rabbitmqctl
from tests.crash.cloud import Access
from tests.crash.left import Ask, ask_mariadb

HEAT_ENGINE = Path(sys.executable).with_name("heat-engine")
SERVES = "the engine serves"
PATIENCE_SECONDS = 120.0
CHILD_SECONDS = 5.0
BACK_SECONDS = (1.0, 12.0)
"""a killed engine comes back after so many seconds"""
PASSWORD = "secret"
ENGINE_OPTIONS = """\
[DEFAULT]
host = {host}
log_file = {log}
[heat_trio]
heartbeat_interval = 1
lease_ttl = 5
"""


class NotRun(Exception):
    """What is missing, in a sentence."""


@dataclass(frozen=True, slots=True)
class Servers:
    """Where Heat's database and the broker of a bed are; Keystone's database stays elsewhere.

    `environment` is what rabbitmqctl needs to find the broker.
    """

    database_port: int = 3306
    broker_port: int = 5672
    environment: Mapping[str, str] = field(default_factory=dict)

    def settings(self, name: str) -> dict[str, str]:
        """What the reference's scripts read."""
        return {
            "REFERENCE_DB_PREFIX": f"{name}_",
            "REFERENCE_AMQP": f"guest:guest@127.0.0.1:{self.broker_port}",
            "REFERENCE_VHOST": name,
            **self.environment,
        }

    def options(self, name: str) -> str:
        """For heat.conf: the database, where it isn't the one of the reference."""
        if self.database_port == Servers().database_port:
            return ""
        url = f"mysql+pymysql://root@127.0.0.1:{self.database_port}/{name}_heat?charset=utf8"
        return f"[database]\nconnection = {url}\n"


@dataclass(slots=True)
class Engine:
    """One `heat-engine` of ours, started again as often as needed."""

    name: str
    folder: Path
    conf: str
    options: str = ""
    process: subprocess.Popen[bytes] | None = None
    children: list[int] = field(default_factory=list)

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    @property
    def runs(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start it and return once it serves; SystemExit when it doesn't ever."""
        own = self.folder / f"{self.name}.conf"
        own.write_text(ENGINE_OPTIONS.format(host=self.name, log=self.log) + self.options)
        past = self.log.stat().st_size if self.log.exists() else 0
        self.process = subprocess.Popen(
            [HEAT_ENGINE, "--config-file", self.conf, "--config-file", own]
        )
        until = time.monotonic() + PATIENCE_SECONDS
        while SERVES not in self._said_since(past):
            if self.process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"{self.name} does not serve, see {self.log}")
            time.sleep(0.1)
        pid = self.process.pid
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        self.children = [int(child) for child in listed.split()]

    def _said_since(self, offset: int) -> str:
        if not self.log.exists():
            return ""
        with self.log.open() as log:
            log.seek(offset)
            return log.read()

    def kill(self) -> None:
        """SIGKILL; returns when it is gone. SystemExit when a child of it stays."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        until = time.monotonic() + CHILD_SECONDS
        while any(_runs(child) for child in self.children):
            if time.monotonic() > until:
                raise SystemExit(f"children outlive {self.name}")
            time.sleep(0.02)

    def stop(self) -> None:
        """End it, if it runs at all."""
        if self.process is not None and self.runs:
            self.process.kill()
            self.process.wait()


@dataclass(slots=True)
class Bed:
    """A running Keystone and Heat's API, and a folder for the engines."""

    name: str
    reference: Path
    folder: Path
    home: Path
    first_port: int
    servers: Servers

    @property
    def access(self) -> Access:
        """As the administrator."""
        return Access(
            f"http://127.0.0.1:{self.first_port + 4}/v1",
            f"http://127.0.0.1:{self.first_port}/v3",
            PASSWORD,
        )

    @property
    def ask(self) -> Ask:
        """Queries of Heat's database."""
        return ask_mariadb(
            host="127.0.0.1",
            port=self.servers.database_port,
            user="root",
            database=f"{self.name}_heat",
        )

    @property
    def environment(self) -> dict[str, str]:
        cache = Path.home() / ".cache" / "heat-reference" / "venv"
        return {
            "REFERENCE_VENV": str(cache),
            **os.environ,
            "REFERENCE_HOME": str(self.home),
            "REFERENCE_KEYSTONE_PORT": str(self.first_port),
            "REFERENCE_CFN_PORT": str(self.first_port + 1),
            "REFERENCE_HEAT_PORT": str(self.first_port + 4),
            **self.servers.settings(self.name),
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

    def engine(self, number: int) -> Engine:
        """One that is not started yet."""
        options = self.servers.options(self.name)
        return Engine(f"{self.name}-{number}", self.folder, self.run("env", "conf"), options)

    def start_keystone(self) -> None:
        """Start it once more after it was killed."""
        settings = {
            **self.environment,
            "OS_KEYSTONE_CONFIG_FILES": str(self.home / "run" / "etc" / "keystone.conf"),
        }
        python = Path(settings["REFERENCE_VENV"]) / "bin" / "python"
        serve = self.reference / "serve.py"
        with (self.home / "run" / "log" / "keystone.log").open("ab") as log:
            process = subprocess.Popen(
                [python, serve, "keystone.wsgi.api", str(self.first_port), "8"],
                env=settings,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        stat = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        # As the reference's scripts record it: pid and start.
        (self.home / "run" / "keystone.pid").write_text(f"{process.pid} {stat[19]}\n")

    def pid(self, process: str) -> int:
        """Of a process of the reference's, such as keystone."""
        recorded = (self.home / "run" / f"{process}.pid").read_text()
        return int(recorded.split()[0])


@contextmanager
def bed(name: str, first_port: int, folder: Path, servers: Servers | None = None) -> Iterator[Bed]:
    """Up while the block runs, with a database and a vhost of its own; NotRun without the parts."""
    reference = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")).absolute() / "reference"
    if not (reference / "up").exists():
        raise NotRun(f"there is no {reference / 'up'}")
    version = subprocess.run([HEAT_ENGINE, "--version"], capture_output=True, text=True).stdout
    if not version.startswith("heat-trio"):
        raise AssertionError(f"{HEAT_ENGINE} is not ours: {version!r}")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / f"heat-trio-{name}"
    home.mkdir(parents=True, exist_ok=True)
    made = Bed(name, reference, folder, home, first_port, servers or Servers())
    with ExitStack() as at_the_end:
        if servers is None:
            at_the_end.callback(_forget_vhost, name)
        at_the_end.callback(made.run, "down")
        more = made.home / "heat.conf.d" / "servers.conf"
        more.parent.mkdir(exist_ok=True)
        more.write_text(made.servers.options(name))
        # A snapshot would be of the other database.
        fresh = ["--no-snapshot"] if more.read_text() else []
        made.run("up", "--engines", "0", "--fresh", *fresh)
        yield made


class Fleet:
    """Two engines, of which one at a time is killed (see tests.crash.kills)."""

    def __init__(self, bed: Bed, moments: random.Random) -> None:
        self._bed = bed
        self._moments = moments
        self.engines = [bed.engine(number) for number in (1, 2)]
        self._victim: Engine | None = None
        self._returns: list[threading.Timer] = []
        for engine in self.engines:
            engine.start()

    @property
    def access(self) -> Access:
        return self._bed.access

    @property
    def ask(self) -> Ask:
        return self._bed.ask

    def ready(self) -> None:
        for timer in self._returns:
            timer.join()
        self._returns.clear()
        for engine in self.engines:
            if not engine.runs:
                raise SystemExit(f"{engine.name} has ended by itself, see {engine.log}")

    def kill(self) -> None:
        self._victim = self._moments.choice(self.engines)
        self._victim.kill()

    def killed(self) -> str:
        victim = self._victim
        assert victim is not None
        seconds = self._moments.uniform(*BACK_SECONDS)
        timer = threading.Timer(seconds, victim.start)
        timer.start()
        self._returns.append(timer)
        return f", {victim.name} (back {seconds:.1f} s later)"

    def stop(self) -> None:
        for timer in self._returns:
            timer.cancel()
            timer.join()
        for engine in self.engines:
            engine.stop()


def _forget_vhost(name: str) -> None:
    with suppress(NoBroker):
        rabbitmqctl("delete_vhost", name)


def _runs(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
