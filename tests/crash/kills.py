"""kill -9 of `heat-trio up` at random moments, and what is left of it all after the next start.

    python -m tests.crash.kills [--kills 20] [--seed N] [--size 50]

Each kill hits a create, an update or a delete of a stack of OS::Keystone::Projects and
RandomStrings. A kill counts only when the stack was IN_PROGRESS in the database that it left. After
a restart the stack must end by itself as if nothing had happened, and Keystone must hold exactly
the projects that the stack names: no doubles, no orphans. Exits 1 when one kill was too much.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

MARK = "crash test"
END_SECONDS = 180.0
OPERATIONS = ("create", "update", "delete")


class Up:
    """`heat-trio up` in a folder, started again as often as needed, on the ports of the first."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = ["--port", "0", "--keystone-port", "0"]
        self.said: dict[str, str] = {}
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
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

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.communicate()

    def left(self, stack_id: str) -> tuple[str, str]:
        """What the killed process left in the database: the stack's state and its last row."""
        with sqlite3.connect(self.folder / "heat.sqlite") as database:
            row = database.execute(
                "SELECT action || '_' || status FROM stack WHERE id = ?", (stack_id,)
            ).fetchone()
            last = database.execute(
                "SELECT name, action || '_' || status, engine_id IS NOT NULL FROM resource"
                " WHERE stack_id = ? ORDER BY coalesce(updated_at, created_at) DESC, id DESC",
                (stack_id,),
            ).fetchone()
        shown = f"{last[0]} {last[1]}{', locked' if last[2] else ''}" if last else "no rows"
        return (row[0] if row else "gone"), shown


def _port(url: str) -> str:
    return url.split(":")[2].split("/")[0]


class Cloud:
    """The administrator's view of Heat and Keystone."""

    def __init__(self, up: Up) -> None:
        self.up = up
        self.http = httpx2.Client(timeout=60, trust_env=False)
        password = json.loads((up.folder / "secrets.json").read_text())["passwords"]["admin"]
        default = {"id": "default"}
        answer = self.http.post(
            f"{up.said['Keystone']}/auth/tokens",
            json={
                "auth": {
                    "identity": {
                        "methods": ["password"],
                        "password": {
                            "user": {"name": "admin", "domain": default, "password": password}
                        },
                    },
                    "scope": {"project": {"name": "admin", "domain": default}},
                }
            },
        )
        answer.raise_for_status()
        self.http.headers["X-Auth-Token"] = answer.headers["X-Subject-Token"]
        project = answer.json()["token"]["project"]["id"]
        self.stacks = f"{up.said['Heat']}/{project}/stacks"

    def create(self, name: str, template: dict[str, Any]) -> str:
        answer = self.http.post(
            self.stacks,
            json={"stack_name": name, "template": template, "disable_rollback": True},
        )
        answer.raise_for_status()
        return str(answer.json()["stack"]["id"])

    def update(self, name: str, stack_id: str, template: dict[str, Any]) -> None:
        answer = self.http.put(f"{self.stacks}/{name}/{stack_id}", json={"template": template})
        answer.raise_for_status()

    def delete(self, name: str, stack_id: str) -> None:
        self.http.delete(f"{self.stacks}/{name}/{stack_id}").raise_for_status()

    def end(self, name: str, stack_id: str) -> str:
        """The state that the stack comes to rest in; its reason too when it failed."""
        deadline = time.monotonic() + END_SECONDS
        state = "?"
        while time.monotonic() < deadline:
            answer = self.http.get(f"{self.stacks}/{name}/{stack_id}")
            if answer.status_code == 404:
                return "DELETE_COMPLETE"
            stack = answer.json()["stack"]
            state = stack["stack_status"]
            if state.endswith("_COMPLETE"):
                return str(state)
            if state.endswith("_FAILED"):
                return f"{state}: {stack['stack_status_reason']}"
            time.sleep(0.1)
        return f"{state} after {END_SECONDS:.0f} s"

    def physical_ids(self, name: str, stack_id: str) -> set[str]:
        """Ids of the projects that the stack names."""
        answer = self.http.get(
            f"{self.stacks}/{name}/{stack_id}/resources", params={"type": "OS::Keystone::Project"}
        )
        if answer.status_code == 404:
            return set()
        return {one["physical_resource_id"] for one in answer.json()["resources"]}

    def projects(self) -> list[dict[str, Any]]:
        """The projects in Keystone that a stack of ours has made."""
        answer = self.http.get(f"{self.up.said['Keystone']}/projects")
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()["projects"]
        return [one for one in found if (one["description"] or "").startswith(MARK)]


def template(size: int, first: int, length: int) -> dict[str, Any]:
    """Projects `first` to `first` + `size`, and as many random texts of that length."""
    resources: dict[str, Any] = {}
    for number in range(first, first + size):
        resources[f"project_{number}"] = {
            "type": "OS::Keystone::Project",
            "properties": {"description": f"{MARK} {number}", "enabled": length != 8},
        }
    for number in range(size):
        resources[f"text_{number}"] = {
            "type": "OS::Heat::RandomString",
            "properties": {"length": length},
        }
    return {"heat_template_version": "2021-04-16", "resources": resources}


@dataclass
class Trial:
    """One operation to be killed, with all that it needs before and after."""

    cloud: Cloud
    size: int
    operation: str
    name: str
    stack_id: str = ""

    def prepare(self) -> None:
        if self.operation != "create":
            self.stack_id = self.cloud.create(self.name, template(self.size, 0, 8))
            self._expect("CREATE_COMPLETE")

    def begin(self) -> None:
        if self.operation == "create":
            self.stack_id = self.cloud.create(self.name, template(self.size, 0, 8))
        elif self.operation == "update":
            # Half of the projects go, as many come, the others are changed in place; each text
            # is replaced.
            wanted = template(self.size, self.size // 2, 9)
            self.cloud.update(self.name, self.stack_id, wanted)
        else:
            self.cloud.delete(self.name, self.stack_id)

    def verdict(self) -> list[str]:
        """What is wrong once the stack has ended; nothing when all is well."""
        wrong = []
        state = self.cloud.end(self.name, self.stack_id)
        if state != f"{self.operation.upper()}_COMPLETE":
            wrong.append(f"the stack ended as {state}")
        named = self.cloud.physical_ids(self.name, self.stack_id)
        projects = self.cloud.projects()
        wanted = 0 if self.operation == "delete" else self.size
        if len(named) != wanted:
            wrong.append(f"the stack names {len(named)} projects instead of {wanted}")
        orphans = [one["description"] for one in projects if one["id"] not in named]
        if orphans:
            wrong.append(f"{len(orphans)} orphans: {sorted(orphans)[:5]}")
        counts = Counter(one["description"] for one in projects)
        doubles = [description for description, count in counts.items() if count > 1]
        if doubles:
            wrong.append(f"{len(doubles)} doubles: {sorted(doubles)[:5]}")
        missing = named - {one["id"] for one in projects}
        if missing:
            wrong.append(f"{len(missing)} projects are gone")
        return wrong

    def clean_up(self) -> None:
        if self.operation != "delete":
            self.cloud.delete(self.name, self.stack_id)
            self._expect("DELETE_COMPLETE")

    def _expect(self, state: str) -> None:
        found = self.cloud.end(self.name, self.stack_id)
        if found != state:
            raise SystemExit(f"{self.name}: {found} instead of {state}")


def durations(up: Up, size: int) -> dict[str, float]:
    """How long each operation takes after the API's answer when nobody disturbs it."""
    taken = {}
    for operation in OPERATIONS:
        trial = Trial(Cloud(up), size, operation, f"calm-{operation}")
        trial.prepare()
        trial.begin()
        began = time.monotonic()
        wrong = trial.verdict()
        taken[operation] = time.monotonic() - began
        if wrong:
            raise SystemExit(f"{operation} without a kill: {'; '.join(wrong)}")
        trial.clean_up()
    return taken


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash.kills")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--size", type=int, default=50)
    options = parser.parse_args(arguments)
    moments = random.Random(options.seed)
    print(f"seed {options.seed}, {options.kills} kills, {options.size} projects and texts each")
    with tempfile.TemporaryDirectory(prefix="heat-trio-kills-") as folder:
        up = Up(Path(folder))
        up.start()
        try:
            taken = durations(up, options.size)
            shown = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in taken.items())
            print(f"undisturbed: {shown}", flush=True)
            good, rejected = _kill_all(up, options.kills, options.size, moments, taken)
        finally:
            up.stop()
    print(f"{good} of {options.kills} kills survived, {rejected} rejected (not IN_PROGRESS)")
    return 0 if good == options.kills else 1


def _kill_all(
    up: Up, kills: int, size: int, moments: random.Random, taken: dict[str, float]
) -> tuple[int, int]:
    good = rejected = counted = 0
    while counted < kills:
        operation = OPERATIONS[counted % len(OPERATIONS)]
        trial = Trial(Cloud(up), size, operation, f"{operation}-{counted}-{rejected}")
        trial.prepare()
        trial.begin()
        time.sleep(moments.uniform(0, taken[operation]))
        up.kill()
        state, last = up.left(trial.stack_id)
        up.start()
        trial.cloud = Cloud(up)
        wrong = trial.verdict()
        if not state.endswith("IN_PROGRESS"):
            rejected += 1
            print(f"  rejected: {operation} was {state}", flush=True)
        else:
            counted += 1
            good += not wrong
            outcome = "; ".join(wrong) or "as it should be"
            print(f"{counted:3} {state} (last row: {last}): {outcome}", flush=True)
        if wrong:
            # What went wrong stays for nobody else to stumble over.
            return good, rejected
        trial.clean_up()
    return good, rejected


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
