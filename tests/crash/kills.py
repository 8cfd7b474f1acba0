"""kill -9 at random moments, and what is left of it all after the next start.

    python -m tests.crash.kills [--kills 50] [--seed N] [--resources 20] [--members 4] [--data DIR]
    python -m tests.crash.kills --fleet ...

A tree of stacks (see tests.crash.tree) is created, updated and deleted over and over. Each kill
comes at a random moment of one of these operations, counted from the moment at which the request is
sent, and counts only when the database that it leaves says that the stack was IN_PROGRESS; others
are tried again. Then the stack has to end by itself as if nothing had happened, parents and
children alike, and Keystone has to hold exactly the projects that the tree names, each as the
template wants it: no doubles, no orphans; the database must hold the tree's rows and no more.

Without --fleet `heat-trio up` is killed, and started again. With --fleet there are two engines
(`heat-engine`) behind Heat's own API, on MariaDB and RabbitMQ: one of them is killed, the
other one goes on at once, and the killed one comes back some seconds later.

Exits 1 when one kill was too much.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import httpx2

from tests.crash.bed import Fleet, NotRun, bed
from tests.crash.cloud import Access, Cloud
from tests.crash.left import Ask, Left, left
from tests.crash.subject import OPERATIONS, STACK, Fault, Subject
from tests.crash.tree import Tree
from tests.crash.up import Up


class Victims(Protocol):
    """What is killed, and comes back."""

    @property
    def access(self) -> Access: ...
    @property
    def ask(self) -> Ask: ...
    def ready(self) -> None:
        """Return when all of it runs."""

    def kill(self) -> None:
        """SIGKILL; returns when the process is gone."""

    def killed(self) -> str:
        """See to it that what was killed comes back; called once the database was looked at.

        What was killed, for the line of this kill.
        """


class UpAlone:
    """`heat-trio up`, which is all there is."""

    def __init__(self, up: Up) -> None:
        self._up = up

    @property
    def access(self) -> Access:
        return self._up.access

    @property
    def ask(self) -> Ask:
        return self._up.ask

    def ready(self) -> None:
        """It runs since it was started."""

    def kill(self) -> None:
        self._up.kill()
        self._up.assert_alone()

    def killed(self) -> str:
        self._up.start()
        return ""


def killed(
    victims: Victims, subject: Subject, operation: str, delay: float
) -> tuple[Left, str, Fault]:
    """Kill `delay` seconds after the request is sent, and look at what comes of it."""
    with ThreadPoolExecutor() as beside:

        def kill() -> tuple[Left, str]:
            time.sleep(delay)
            victims.kill()
            return left(victims.ask, STACK), victims.killed()

        killer = beside.submit(kill)
        # A request that is cut has done something or not: the database knows.
        with contextlib.suppress(httpx2.TransportError, httpx2.HTTPStatusError):
            subject.request(operation)
        found, who = killer.result()
    subject.cloud = Cloud(victims.access)
    if found.in_progress(operation):
        return found, who, subject.faults(operation)
    subject.look()
    return found, who, Fault()


def kill_all(
    victims: Victims,
    subject: Subject,
    kills: int,
    moments: random.Random,
    taken: dict[str, float],
) -> int:
    """Print a line a kill and the verdict; the exit code."""
    survived = doubles = orphans = counted = rejected = 0
    while counted < kills:
        operation = OPERATIONS[counted % len(OPERATIONS)]
        victims.ready()
        subject.ready_for(operation)
        delay = moments.uniform(0, taken[operation])
        began = time.monotonic()
        found, who, fault = killed(victims, subject, operation, delay)
        if not found.in_progress(operation):
            rejected += 1
            if found.ended(operation):
                # The machine is faster than when it was measured: the next one comes earlier.
                taken[operation] = max(delay, taken[operation] / 2)
            print(f"    rejected: {operation} after {delay:.2f} s: {found}", flush=True)
            continue
        counted += 1
        survived += not fault
        doubles += fault.doubles
        orphans += fault.orphans
        verdict = str(fault) or f"ended as it should after {time.monotonic() - began:.1f} s"
        print(f"{counted:3} {operation} after {delay:.2f} s{who}: {found}: {verdict}", flush=True)
        if fault:
            # What is wrong would be wrong in all that follows too.
            break
    print(f"({rejected} kills outside of IN_PROGRESS rejected, {Cloud.busy_answers} answers 503)")
    print(f"{survived} of {kills}, {doubles} doubles, {orphans} orphans", flush=True)
    return 0 if survived == kills else 1


@contextmanager
def up_alone(folder: Path) -> Iterator[Victims]:
    """`heat-trio up` in `folder`, running while the block does."""
    up = Up(folder)
    up.start()
    try:
        yield UpAlone(up)
    finally:
        up.stop()


@contextmanager
def fleet(folder: Path, moments: random.Random) -> Iterator[Victims]:
    """Two engines, whose configuration and logs are in `folder`; NotRun without the parts."""
    folder.mkdir(parents=True, exist_ok=True)
    with bed("trio_kills", 21000, folder) as around:
        engines = Fleet(around, moments)
        try:
            yield engines
        finally:
            engines.stop()


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash.kills")
    parser.add_argument("--kills", type=int, default=50, metavar="N")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--resources", type=int, default=20, metavar="N", help="of each type")
    parser.add_argument("--members", type=int, default=4, metavar="N", help="of groups; 0: flat")
    parser.add_argument("--data", type=Path, metavar="DIR", help="a new folder, which stays")
    parser.add_argument("--fleet", action="store_true", help="two engines on MariaDB and RabbitMQ")
    options = parser.parse_args(arguments)
    # Whatever ends us, what was started ends too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    moments = random.Random(options.seed)
    tree = Tree(options.resources, options.members, 0)
    print(
        f"seed {options.seed}: {options.kills} kills, {tree.stacks} stacks with {tree.rows}"
        f" resources, {len(tree.projects)} of them OS::Keystone::Project",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="heat-trio-kills-") as temporary:
        folder = options.data or Path(temporary) / "data"
        opened = fleet(folder, moments) if options.fleet else up_alone(folder)
        try:
            with opened as victims:
                subject = Subject(Cloud(victims.access), victims.ask, tree)
                taken = {operation: subject.do(operation) for operation in OPERATIONS}
                shown = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in taken.items())
                print(f"undisturbed: {shown}", flush=True)
                return kill_all(victims, subject, options.kills, moments, taken)
        except NotRun as missing:
            print(f"not run: {missing}")
            return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
