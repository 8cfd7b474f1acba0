"""Going on with what Heat has begun: `python -m tests.conformance.takeover [heat] [ours] [states]`.

- heat: three engines of Heat create, update with replacements, delete and roll back, and each is
  stopped (SIGTERM) or killed at a random moment of its own; an engine of ours goes on, which was
  there all the time or comes after the last of these moments. Each stack must end as it should, and
  each project of Keystone's be the one object of one resource.
- ours: an engine of ours is stopped in the same operations; one of Heat's goes on with what is in
  the queues.
- states: what Heat's database held in the midst of its recorded runs is put into a database of our
  own, on SQLite and on MariaDB, and our engine ends it (tests.conformance.takeover_states).

Prints the seed of the moments, a line a round and the counts. Exit code 0: all passed or not run;
1: something failed, or CI=true and something was not run.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conformance.fleet_bed import (
    Api,
    Bed,
    Keystone,
    Network,
    NotRun,
    Rows,
    bed_of_our_own,
    end,
)
from tests.conformance.fleet_shapes import MARK, Body, body, project, test
from tests.conformance.runs_stage import NoServer, TemporaryDatabase
from tests.conformance.takeover_states import Outcome, ended_on_mariadb, ended_on_sqlite
from tests.recorded_states import scenarios

WAYS = ("heat", "ours", "states")
OPERATIONS = ("create", "update", "delete", "rollback")
MOMENT_SECONDS = 14.0
"""the latest moment: by then the slowest of the operations is about to end"""
WANTED = {
    "create": "CREATE_COMPLETE",
    "update": "UPDATE_COMPLETE",
    "delete": None,
    "rollback": "ROLLBACK_COMPLETE",
}
HEATS = 3
"""engines of Heat at once"""
PATIENCE_SECONDS = 240.0
# As most clouds have it: then what Heat began as a delete is one.
SETTINGS = "[DEFAULT]\nenable_stack_abandon = false\n"
OUR_OPTIONS = {"lease_ttl": 5, "heartbeat_interval": 1}
WAITS = {"create": 1, "update": 1, "delete": 1}
PROJECT = "OS::Keystone::Project"


# --- the stacks ------------------------------------------------------------------------------


def stack_body(name: str, version: str, *, nested: bool) -> Body:
    """A stack of projects and of resources that take a while.

    Version "two" replaces some of "one", since their types change; "bad" is "two" and fails at the
    end.
    """
    one = version == "one"

    def made(what: str, *needs: str) -> dict[str, Any]:
        return project(f"{name} {what}", *needs)

    def slow(value: str, *needs: str, **properties: Any) -> dict[str, Any]:
        return test(value, *needs, action_wait_secs=WAITS, **properties)

    resources: dict[str, Any] = {
        "first": made("first"),
        "slow": slow("x", "first", update_replace=not one) | {"metadata": {"version": version}},
        "second": made(f"second {version}", "slow"),
        "swapped": made("swapped", "slow") if one else slow("swapped", "slow"),
        "other": slow("other", "first") if one else made("other", "first"),
        f"only_{'one' if one else 'two'}": made("only", "slow"),
    }
    resources["slow"]["properties"]["value"] = version if one else "two"
    if nested:
        resources["group"] = {
            "type": "OS::Heat::ResourceGroup",
            "depends_on": ["first"],
            "properties": {"count": 2 if one else 3, "resource_def": made("member")},
        }
    resources["last"] = slow("z", *resources, fail=version == "bad")
    return body(resources) | {"disable_rollback": version != "bad"}


@dataclass(frozen=True, slots=True)
class Moment:
    """When an engine ends, after the operations have begun, and how: "stop" or "kill"."""

    seconds: float
    how: str

    def __str__(self) -> str:
        return f"{self.how} {self.seconds:.1f} s"


@dataclass(frozen=True, slots=True)
class Round:
    """Four operations and the moments in them; `beside`: the other one is there already."""

    number: int
    moments: tuple[Moment, ...]
    beside: bool

    def name(self, operation: str) -> str:
        return f"{operation}-{self.number}"

    def __str__(self) -> str:
        moments = ", ".join(map(str, self.moments))
        there = "the other one is there" if self.beside else "the other one comes then"
        return f"round {self.number} ({moments}; {there})"


def rounds(count: int, seed: int, hows: Sequence[str], each: int) -> Iterator[Round]:
    """`count` moments, `each` a round; every second round has the other one beside it."""
    dice = random.Random(seed)
    for number in range(-(-count // each)):
        moments = tuple(
            Moment(dice.uniform(0.0, MOMENT_SECONDS), hows[(number + n) % len(hows)])
            for n in range(min(each, count - number * each))
        )
        yield Round(number, moments, number % 2 == 1)


@dataclass(slots=True)
class Counts:
    """What came of the rounds."""

    passed: int = 0
    again: int = 0
    """deletes that had to be asked for once more"""
    failed: list[str] = field(default_factory=list)

    def check(self, is_right: bool, text: str) -> None:
        if is_right:
            self.passed += 1
        else:
            self.failed.append(text)


class Ground:
    """The bed with what is asked of it."""

    def __init__(self, bed: Bed, *, nested: bool) -> None:
        self.bed = bed
        self.rows = Rows(bed)
        self.keystone = Keystone(bed, "admin")
        self.api = Api(self.keystone)
        self.nested = nested
        self.counts = Counts()

    def body(self, name: str, version: str) -> Body:
        return stack_body(name, version, nested=self.nested)

    def make_ready(self, one: Round) -> None:
        """The stacks that are to be changed; an engine is there to make them."""
        for operation in ("update", "delete", "rollback"):
            name = one.name(operation)
            self.api.create(name, self.body(name, "one"))
        if busy := self.rows.rest():
            raise AssertionError(f"{one}: not ready: {busy}")

    def begin(self, one: Round) -> None:
        """All four operations."""
        name = one.name("create")
        self.api.create(name, self.body(name, "one"))
        name = one.name("update")
        self.api.update(name, self.body(name, "two"))
        self.api.delete(one.name("delete"))
        name = one.name("rollback")
        self.api.update(name, self.body(name, "bad"))

    def judge(self, one: Round, *, patience_seconds: float) -> None:
        """Wait for the end of all that goes on, and say what is not as it should be."""
        busy = self.rows.rest(patience_seconds)
        statuses = self.api.statuses()
        left = one.name("delete")
        if statuses.get(left) == "DELETE_IN_PROGRESS":
            self.counts.again += 1
            self.api.delete(left)
            busy = self.rows.rest(patience_seconds)
            statuses = self.api.statuses()
        self.counts.check(not busy, f"{one}: not at rest: {'; '.join(busy[:8])}")
        for operation, wanted in WANTED.items():
            found = statuses.get(one.name(operation))
            self.counts.check(found == wanted, f"{one}: {operation}: {found}, wanted {wanted}")
        for text in self._objects(one):
            self.counts.failed.append(f"{one}: {text}")

    def _objects(self, one: Round) -> Iterator[str]:
        """What is wrong with Keystone's projects: each is to be the object of one row."""
        names = [one.name(operation) for operation in OPERATIONS]
        rows = self.rows.query(
            "SELECT r.id, r.name, r.nova_instance, r.action, r.status, t.name AS root, r.stack_id,"
            " t.id AS root_id FROM resource r JOIN stack t ON t.id = r.root_stack_id"
            " WHERE t.name IN :names AND t.deleted_at IS NULL",
            names=names,
        )
        held = {row["nova_instance"] for row in rows}
        projects = self.keystone.projects(MARK)
        for lost in [each for each in projects if each["id"] not in held]:
            yield f"nobody has the project {lost['name']} ({lost['description']})"
        ids = {each["id"] for each in projects}
        version = {"create": "one", "update": "two", "rollback": "one"}
        for operation, what in version.items():
            name = one.name(operation)
            mine = [row for row in rows if row["root"] == name]
            top = {row["name"]: row for row in mine if row["stack_id"] == row["root_id"]}
            wanted = self.body(name, what)["template"]["resources"]
            if sorted(top) != sorted(wanted):
                yield f"{operation}: the rows are {sorted(top)}, not {sorted(wanted)}"
                continue
            expected = sum(resource["type"] == PROJECT for resource in wanted.values())
            if self.nested:
                expected += wanted["group"]["properties"]["count"]
            there = [row for row in mine if row["nova_instance"] in ids]
            if len(there) != expected:
                yield f"{operation}: {len(there)} projects, not {expected}"

    def clear(self, one: Round) -> None:
        """Delete what is there; nothing may be left."""
        for name in self.api.statuses():
            self.api.delete(name)
        if busy := self.rows.rest(PATIENCE_SECONDS):
            self.counts.failed.append(f"{one}: not deleted: {busy[:8]}")
        if left := self.keystone.projects(MARK):
            self.counts.failed.append(f"{one}: {len(left)} projects are left")

    def nothing_left(self, told: Callable[[str], None]) -> None:
        """No trust, no project of a stack's own and no stored credentials after all."""
        failed = len(self.counts.failed)
        trusts = self.keystone.send("GET", "/OS-TRUST/trusts")["trusts"]
        self.counts.check(not trusts, f"{len(trusts)} trusts are left")
        projects = self.keystone.stack_domain_projects()
        self.counts.check(not projects, f"{len(projects)} projects of stacks are left")
        creds = self.rows.query("SELECT id FROM user_creds")
        self.counts.check(not creds, f"{len(creds)} stored credentials are left")
        for text in self.counts.failed[failed:]:
            told(f"    {text}")


# --- the ways --------------------------------------------------------------------------------


def from_heat(bed: Bed, count: int, seed: int, told: Callable[[str], None]) -> Counts:
    """Heat's engines end, ours goes on."""
    ground = Ground(bed, nested=True)
    engine = bed.start_engine(**OUR_OPTIONS)
    for one in rounds(count, seed, ("stop", "kill"), HEATS):
        failed = len(ground.counts.failed)
        ground.make_ready(one)
        if not one.beside:
            end(engine, signal.SIGTERM)
        bed.start_heats(*range(1, len(one.moments) + 1))
        ground.begin(one)
        ending = [
            threading.Thread(target=_end_at, args=(bed, number, moment))
            for number, moment in enumerate(one.moments, start=1)
        ]
        for thread in ending:
            thread.start()
        time.sleep(max(moment.seconds for moment in one.moments))
        if not one.beside:
            engine = bed.start_engine(**OUR_OPTIONS)
        for thread in ending:
            thread.join()
        _judged(ground, one, failed, told)
    ground.nothing_left(told)
    return ground.counts


def _end_at(bed: Bed, number: int, moment: Moment) -> None:
    time.sleep(moment.seconds)
    bed.end_heats(moment.how, number)


def to_heat(bed: Bed, count: int, seed: int, told: Callable[[str], None]) -> Counts:
    """Ours is stopped, Heat's goes on with what is in the queues."""
    ground = Ground(bed, nested=False)
    for one in rounds(count, seed, ("stop",), 1):
        failed = len(ground.counts.failed)
        engine = bed.start_engine(**OUR_OPTIONS)
        ground.make_ready(one)
        ground.begin(one)
        # Ours is quicker, and nothing of Heat's may be there before it has ended.
        time.sleep(one.moments[0].seconds / 3)
        code = end(engine, signal.SIGTERM)
        ground.counts.check(code == 0, f"{one}: our engine ended with {code}")
        bed.start_heats(1)
        _judged(ground, one, failed, told)
        bed.end_heats("stop", 1)
    ground.nothing_left(told)
    return ground.counts


def _judged(ground: Ground, one: Round, failed: int, told: Callable[[str], None]) -> None:
    began = time.monotonic()
    ground.judge(one, patience_seconds=PATIENCE_SECONDS)
    seconds = time.monotonic() - began
    ground.clear(one)
    wrong = len(ground.counts.failed) - failed
    told(f"  {one}: at rest {seconds:.0f} s later, {wrong} failed")
    for text in ground.counts.failed[failed:]:
        told(f"    {text}")


def say(text: str) -> None:
    print(text, flush=True)


def report(name: str, counts: Counts) -> int:
    again = f", {counts.again} deletes asked for once more" if counts.again else ""
    say(f"takeover: {name}: {counts.passed} passed, {len(counts.failed)} failed{again}")
    return 1 if counts.failed else 0


def live(shared: Path, ways: list[str], arguments: argparse.Namespace) -> int:
    """The ways that need a bed."""
    code = 0
    with (
        bed_of_our_own(shared, "--engines", "0", name="takeover", settings=SETTINGS) as bed,
        Network() as network,
    ):
        network.register(Keystone(bed, "admin"))
        say(f"takeover: seed {arguments.seed}")
        if "heat" in ways:
            counts = from_heat(bed, arguments.moments, arguments.seed, say)
            code = max(code, report("of what Heat's engines left", counts))
        if "ours" in ways:
            for engine in bed.ours.values():
                end(engine)
            counts = to_heat(bed, max(arguments.moments // 5, 1), arguments.seed, say)
            code = max(code, report("by Heat's engines of what ours left in the queues", counts))
    return code


def states(shared: Path, every: int) -> int:
    """The recorded states, on SQLite and on MariaDB."""
    if not (shared / "facts" / "convergence-state.json").is_file():
        raise NotRun(f"there are no recorded states at {shared}")
    recorded = {one.name: one for one in scenarios(shared)}

    def told(name: str, outcome: Outcome) -> int:
        count, total = len(outcome.by_scenario), outcome.by_scenario.total()
        say(
            f"takeover: {name}: {outcome.passed} of {total} states of {count} scenarios passed,"
            f" {outcome.meant.total()} end otherwise and are meant to,"
            f" {len(outcome.failed)} failed"
        )
        for why, number in outcome.meant.items():
            say(f"  {number}: {why}")
        for text in outcome.failed[:40]:
            say(f"  {text}")
        return 1 if outcome.failed else 0

    code = told("Heat's recorded states on SQLite", ended_on_sqlite(recorded))
    server = os.environ.get("HEAT_TRIO_TEST_MYSQL") or "mysql://root@127.0.0.1:3306/"
    try:
        with TemporaryDatabase(server) as url:
            found = ended_on_mariadb(recorded, url, every)
    except NoServer as missing:
        raise NotRun(str(missing)) from missing
    return max(code, told("Heat's recorded states on MariaDB", found))


def main() -> int:
    """Run and print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.takeover")
    names = ", ".join(WAYS)
    parser.add_argument("ways", nargs="*", metavar="way", help=f"of {names}", default=WAYS)
    parser.add_argument("--moments", type=int, default=30, help="how many moments Heat ends at")
    parser.add_argument(
        "--every", type=int, default=4, help="one in so many recorded states on MariaDB"
    )
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    arguments = parser.parse_args()
    shared = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")).absolute()
    code = 0
    try:
        if "states" in arguments.ways:
            code = states(shared, arguments.every)
        if ways := [way for way in arguments.ways if way != "states"]:
            code = max(code, live(shared, ways, arguments))
    except NotRun as missing:
        say(f"takeover: not run: {missing}")
        return 1 if os.environ.get("CI", "").lower() == "true" else 0
    return code


if __name__ == "__main__":
    sys.exit(main())
