"""Servers that fail in the middle of a create of 200 resources, on two engines.

    python -m tests.crash.faults [NAME ...] [--data DIR]

Heat's database is in a MariaDB of the tests' own, RabbitMQ and Keystone are their own too; Heat's
API is before two `heat-engine`. For
each fault a tree of stacks (see tests.crash.tree) is created; when a third of its projects is
there, the fault happens. Then all comes back, and the stack has to complete: every resource there
once, each as the template wants it, nothing locked, nothing left over. A line a fault; exits 1 when
one was too much.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.crash.bed import Bed, Engine, NotRun, Servers, bed
from tests.crash.cloud import Access, Cloud
from tests.crash.left import Ask, Left, ask_mariadb, left
from tests.crash.servers import MariaDb, RabbitMq
from tests.crash.subject import STACK, Subject
from tests.crash.tree import Tree

NAME = "trio_faults"
FIRST_PORT = 22000
TREE = Tree(size=84, members=4, edition=0)
SHARE = 3
"""the fault comes when one project in so many is there"""
AWAY_SECONDS = 20.0
END_SECONDS = 420.0


@dataclass(slots=True)
class Scene:
    """The bed and its servers."""

    bed: Bed
    database: MariaDb
    broker: RabbitMq
    engines: list[Engine] = field(default_factory=list)

    @property
    def ask(self) -> Ask:
        """Queries that wait for the database to come back."""
        ask = self.bed.ask

        def patient(query: str, parameters: Any = ()) -> Any:
            until = time.monotonic() + 60
            while True:
                try:
                    return ask(query, parameters)
                except Exception:
                    if time.monotonic() > until:
                        raise
                    time.sleep(0.3)

        return patient


# --- the faults: each returns when all is well again, or when the stack has ended ----------------


def database_killed(scene: Scene, ended: threading.Event) -> str:
    """mariadbd is killed, and comes back after a while."""
    scene.database.kill()
    time.sleep(3)
    scene.database.start()
    return "mariadbd killed -9, back after 3 s"


def broker_stopped(scene: Scene, ended: threading.Event) -> str:
    """The broker's application is stopped and started."""
    scene.broker.control("stop_app")
    time.sleep(5)
    scene.broker.control("start_app")
    return "rabbitmqctl stop_app, start_app after 5 s"


def broker_cuts(scene: Scene, ended: threading.Event) -> str:
    """The broker closes all connections, again and again."""
    cuts = 0
    for _ in range(5):
        scene.broker.control("close_all_connections", "--vhost", NAME, "cut by a test")
        cuts += 1
        if ended.wait(3):
            break
    return f"{cuts} times all connections closed by rabbitmqctl"


def database_cuts(scene: Scene, ended: threading.Event) -> str:
    """The database kills the connections of Heat's database every second, to the end."""
    ask = ask_mariadb(host="127.0.0.1", port=scene.database.port, user="root")
    victims = 0
    while not ended.wait(1):
        found = ask("SELECT id FROM information_schema.processlist WHERE db = ?", (f"{NAME}_heat",))
        for (number,) in found:
            with contextlib.suppress(Exception):  # it has gone by itself
                ask(f"KILL CONNECTION {int(number)}", ())
                victims += 1
    return f"{victims} connections to the database killed"


def keystone_away(scene: Scene, ended: threading.Event) -> str:
    """Keystone is killed, refuses connections for a while, and is started again."""
    os.killpg(os.getpgid(scene.bed.pid("keystone")), signal.SIGKILL)
    time.sleep(AWAY_SECONDS)
    scene.bed.start_keystone()
    return f"Keystone away for {AWAY_SECONDS:.0f} s"


def keystone_hangs(scene: Scene, ended: threading.Event) -> str:
    """Keystone takes connections and says nothing for a while."""
    group = os.getpgid(scene.bed.pid("keystone"))
    os.killpg(group, signal.SIGSTOP)
    try:
        time.sleep(AWAY_SECONDS)
    finally:
        os.killpg(group, signal.SIGCONT)
    return f"Keystone silent for {AWAY_SECONDS:.0f} s"


FAULTS: tuple[Callable[[Scene, threading.Event], str], ...] = (
    database_killed,
    broker_stopped,
    broker_cuts,
    database_cuts,
    keystone_away,
    keystone_hangs,
)

# --- one fault -----------------------------------------------------------------------------------


def connected(access: Access) -> Cloud:
    """A token, when Keystone is back."""
    until = time.monotonic() + 120
    while True:
        try:
            return Cloud(access, END_SECONDS)
        except Exception:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


def projects_there(ask: Ask) -> int:
    """How many rows of the tree have made something."""
    [(found,)] = ask(
        "SELECT count(*) FROM resource WHERE nova_instance IS NOT NULL AND status = 'COMPLETE'", ()
    )
    return int(found)


def until_its_hour(ask: Ask, wanted: int) -> int:
    """Return when so many rows are done."""
    until = time.monotonic() + END_SECONDS
    while (found := projects_there(ask)) < wanted:
        if time.monotonic() > until:
            raise SystemExit(f"after {END_SECONDS:.0f} s {found} rows are done")
        time.sleep(0.1)
    return found


def final(ask: Ask, fault: Future[str] | None) -> Left:
    """How the create has ended, looked at once the fault is over, if it has an end."""
    if fault is not None:
        fault.result()
    until = time.monotonic() + END_SECONDS
    while (found := left(ask, STACK)).in_progress("create") and time.monotonic() < until:
        time.sleep(0.3)
    return found


def suffered(scene: Scene, fault: Callable[[Scene, threading.Event], str]) -> list[str]:
    """Create the tree with a fault in the middle, print a line; what was wrong."""
    subject = Subject(connected(scene.bed.access), scene.ask, TREE)
    began = time.monotonic()
    subject.request("create")
    there = until_its_hour(scene.ask, TREE.rows // SHARE)
    at_fault = left(scene.ask, STACK)
    ended = threading.Event()
    with ThreadPoolExecutor() as beside:
        suffering = beside.submit(fault, scene, ended)
        found = final(scene.ask, suffering if fault is not database_cuts else None)
        ended.set()
        said = suffering.result()
    seconds = time.monotonic() - began
    subject.cloud = connected(scene.bed.access)
    wrong = subject.faults("create")
    verdict = str(wrong) or "all there once"
    print(
        f"{fault.__name__}: {there} of {TREE.rows} rows done ({at_fault}); {said};"
        f" {found.state} after {seconds:.1f} s: {verdict}",
        flush=True,
    )
    if wrong:
        return [str(wrong)]
    subject.do("delete")
    return []


@contextmanager
def scene_in(folder: Path) -> Iterator[Scene]:
    """All that is needed, up while the block runs; NotRun without the parts."""
    database = MariaDb(folder / "mariadb", FIRST_PORT + 306)
    broker = RabbitMq(folder / "rabbitmq", FIRST_PORT + 672, NAME)
    with ExitStack() as at_the_end:
        at_the_end.callback(database.stop)
        at_the_end.callback(broker.stop)
        for server in (database, broker):
            server.make()
            server.start()
        database.create(f"{NAME}_heat")
        servers = Servers(database.port, broker.port, broker.environment)
        made = at_the_end.enter_context(bed(NAME, FIRST_PORT, folder, servers))
        scene = Scene(made, database, broker)
        for number in (1, 2):
            engine = made.engine(number)
            scene.engines.append(engine)
            at_the_end.callback(engine.stop)
            engine.start()
        yield scene


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash.faults")
    names = {fault.__name__: fault for fault in FAULTS}
    parser.add_argument("names", nargs="*", metavar="NAME", help=shlex.join(names))
    parser.add_argument("--data", type=Path, metavar="DIR", help="a new folder, which stays")
    options = parser.parse_args(arguments)
    # Whatever ends us, what was started ends too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    wanted = [names[name] for name in options.names] or list(FAULTS)
    print(f"{len(wanted)} faults, each in a create of {TREE.rows} resources", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="heat-trio-faults-") as temporary:
        folder = options.data or Path(temporary) / "data"
        folder.mkdir(parents=True)
        try:
            with scene_in(folder) as scene:
                for fault in wanted:
                    wrong = suffered(scene, fault)
                    failed += bool(wrong)
                    if wrong:
                        # What is wrong would be wrong in all that follows too.
                        break
        except NotRun as missing:
            print(f"not run: {missing}")
            return 1
    print(f"{len(wanted) - failed} of {len(wanted)} faults survived", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
