"""kill -9 of `heat-trio up` at random moments, and what is left of it all after the next start.

    python -m tests.crash.kills [--kills 20] [--seed N] [--resources 50] [--data DIR]

A stack of OS::Keystone::Projects and as many RandomStrings is created, updated and deleted over and
over; an update leaves some projects alone, changes some in place, replaces some, removes some and
adds some. Each kill comes at a random moment of one of these operations, counted from the moment
at which the request is sent, and counts only when the database that it leaves says that the stack
was IN_PROGRESS; others are tried again. After a restart the stack has to end by itself as if
nothing had happened, and Keystone has to hold exactly the projects that the stack names, each as
the template wants it: no doubles, no orphans. Exits 1 when one kill was too much.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.crash.cloud import Cloud
from tests.crash.up import Left, Up

MARK = "kill test"
STACK = "killed"
OPERATIONS = ("create", "update", "delete")


def template(size: int, edition: int) -> dict[str, Any]:
    """`size` projects and as many random texts.

    Of each five projects, from one edition to the next, one stays, one is changed in place, one is
    replaced, one gets another tag, and one goes while another comes. Every tenth lives below the
    first, which makes it wait for that. Half of the texts are replaced.
    """
    resources: dict[str, Any] = {}
    properties: dict[str, Any]
    for number in range(size):
        odd = edition % 2
        name, properties = f"project_{number}", {"description": f"{MARK} {number}"}
        match number % 5:
            case 1:
                properties["enabled"] = not odd
            case 2 if odd:
                properties["parent"] = "admin"
            case 3:
                properties["tags"] = [f"edition-{edition}"]
            case 4:
                name, properties = (
                    f"{name}_{edition}",
                    {"description": f"{MARK} {number}/{edition}"},
                )
        if number % 10 == 5:
            properties["parent"] = {"get_resource": "project_0"}
        resources[name] = {"type": "OS::Keystone::Project", "properties": properties}
    for number in range(size):
        length = 8 + edition % 2 if number % 2 else 8
        resources[f"text_{number}"] = {
            "type": "OS::Heat::RandomString",
            "properties": {"length": length},
        }
    return {"heat_template_version": "2021-04-16", "resources": resources}


@dataclass(slots=True)
class Fault:
    """What is wrong after an operation."""

    doubles: int = 0
    orphans: int = 0
    others: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        counted = [f"{self.doubles} doubles"] * bool(self.doubles)
        counted += [f"{self.orphans} orphans"] * bool(self.orphans)
        return "; ".join([*counted, *self.others])

    def __bool__(self) -> bool:
        return bool(str(self))


@dataclass(slots=True)
class Subject:
    """The stack that all is done to: what it is, and what it should be when it has ended."""

    up: Up
    size: int
    cloud: Cloud
    stack_id: str = ""
    edition: int = 0
    exists: bool = False

    def ready_for(self, operation: str) -> None:
        """Bring the stack, undisturbed, into a state in which the operation can begin."""
        if operation == "create" and self.exists:
            self.do("delete")
        elif operation != "create" and not self.exists:
            self.do("create")

    def do(self, operation: str) -> float:
        """The whole operation; how many seconds it took. SystemExit when that goes wrong."""
        began = time.monotonic()
        self.request(operation)
        self.cloud.end(STACK, operation)
        taken = time.monotonic() - began
        fault = self.faults(operation)
        if fault:
            raise SystemExit(f"{operation}, undisturbed: {fault}")
        return taken

    def request(self, operation: str) -> None:
        """Send the request; may be cut by a kill, whatever it has done then."""
        if operation != "delete":
            self.edition += 1
        wanted = template(self.size, self.edition)
        match operation:
            case "create":
                self.cloud.create(STACK, wanted)
            case "update":
                self.cloud.update(STACK, wanted)
            case "delete":
                self.cloud.delete(STACK)

    def look(self) -> None:
        """Find out where the stack is: a kill came before an operation, or after it."""
        self.cloud.end(STACK, "delete")
        current = self.cloud.template(STACK)
        self.exists = current is not None
        if current is not None:
            tag = current["resources"]["project_3"]["properties"]["tags"][0]
            self.edition = int(tag.removeprefix("edition-"))

    def faults(self, operation: str) -> Fault:
        """Wait for the end of the operation and compare Keystone, stack and template."""
        fault = Fault()
        state = self.cloud.end(STACK, operation)
        self.exists = state != "DELETE_COMPLETE"
        if state != f"{operation.upper()}_COMPLETE":
            fault.others.append(f"the stack ended as {state}")
        named = self.cloud.projects_of(STACK)
        found = {one["id"]: one for one in self.cloud.marked(MARK)}
        fault.orphans = len(found.keys() - set(named.values()))
        fault.doubles = sum(Counter(one["description"] for one in found.values()).values())
        fault.doubles -= len({one["description"] for one in found.values()})
        expected = template(self.size, self.edition)["resources"] if self.exists else {}
        fault.others += self._differences(expected, named, found)
        fault.others += self.up.leftovers(STACK, len(expected))
        in_domain = len(self.cloud.stack_domain_projects())
        if in_domain != self.exists:
            fault.others.append(f"{in_domain} projects in the stack domain")
        return fault

    def _differences(
        self, expected: dict[str, Any], named: dict[str, str], found: dict[str, Any]
    ) -> list[str]:
        wanted = {
            name: one["properties"]
            for name, one in expected.items()
            if one["type"] == "OS::Keystone::Project"
        }
        wrong = [f"the stack lacks {name}" for name in wanted.keys() - named.keys()]
        wrong += [f"the stack still has {name}" for name in named.keys() - wanted.keys()]
        for name in wanted.keys() & named.keys():
            project = found.get(named[name])
            if project is None:
                wrong.append(f"the project of {name} is gone")
                continue
            for key, value in self._wanted(wanted[name], named).items():
                if project[key] != value:
                    wrong.append(f"{name}: {key} is {project[key]!r} and not {value!r}")
        return sorted(wrong)[:8]

    def _wanted(self, properties: dict[str, Any], named: dict[str, str]) -> dict[str, Any]:
        parent = properties.get("parent")
        if parent is None:
            parent_id = "default"
        elif parent == "admin":
            parent_id = self.cloud.project_id
        else:
            parent_id = named.get(parent["get_resource"], "the project that is not there")
        return {
            "description": properties["description"],
            "enabled": properties.get("enabled", True),
            "tags": properties.get("tags", []),
            "parent_id": parent_id,
        }


def killed(subject: Subject, operation: str, delay: float) -> tuple[Left, Fault]:
    """Kill the process `delay` seconds after the request is sent, start it again, and look."""
    killer = threading.Timer(delay, subject.up.kill)
    killer.start()
    # A request that is cut has done something or not: the database knows.
    with contextlib.suppress(httpx2.TransportError):
        subject.request(operation)
    killer.join()
    subject.up.assert_alone()
    left = subject.up.left(STACK)
    subject.up.start()
    subject.cloud = Cloud(subject.up)
    if left.in_progress(operation):
        return left, subject.faults(operation)
    subject.look()
    return left, Fault()


def kill_all(subject: Subject, kills: int, moments: random.Random, taken: dict[str, float]) -> int:
    """Print a line a kill and the verdict; the exit code."""
    survived = doubles = orphans = counted = rejected = 0
    while counted < kills:
        operation = OPERATIONS[counted % len(OPERATIONS)]
        subject.ready_for(operation)
        delay = moments.uniform(0, taken[operation])
        left, fault = killed(subject, operation, delay)
        if not left.in_progress(operation):
            rejected += 1
            if left.ended(operation):
                # The machine is faster than when it was measured: the next one comes earlier.
                taken[operation] = max(delay, taken[operation] / 2)
            print(f"    rejected: {operation} after {delay:.2f} s: {left}", flush=True)
            continue
        counted += 1
        survived += not fault
        doubles += fault.doubles
        orphans += fault.orphans
        verdict = str(fault) or "ended as it should"
        print(f"{counted:3} {operation} after {delay:.2f} s: {left}: {verdict}", flush=True)
        if fault:
            # What is wrong would be wrong in all that follows too.
            break
    print(f"({rejected} kills outside of IN_PROGRESS were rejected)")
    print(f"{survived} of {kills}, {doubles} doubles, {orphans} orphans", flush=True)
    return 0 if survived == kills else 1


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash.kills")
    parser.add_argument("--kills", type=int, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--resources", type=int, default=50, metavar="N", help="of each type")
    parser.add_argument("--data", type=Path, metavar="DIR", help="a new folder, which stays")
    options = parser.parse_args(arguments)
    moments = random.Random(options.seed)
    print(
        f"seed {options.seed}: {options.kills} kills of a stack of {options.resources}"
        f" OS::Keystone::Project and {options.resources} OS::Heat::RandomString",
        flush=True,
    )
    with tempfile.TemporaryDirectory(prefix="heat-trio-kills-") as temporary:
        up = Up(options.data or Path(temporary) / "data")
        up.start()
        try:
            subject = Subject(up, options.resources, Cloud(up))
            taken = {operation: subject.do(operation) for operation in OPERATIONS}
            shown = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in taken.items())
            print(f"undisturbed: {shown}", flush=True)
            return kill_all(subject, options.kills, moments, taken)
        finally:
            up.stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
