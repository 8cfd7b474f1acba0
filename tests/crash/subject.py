"""The stack that all is done to: what it is, and what it should be when it has ended."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.crash.cloud import Cloud
from tests.crash.left import Ask, leftovers
from tests.crash.tree import MARK, Tree, edition_of

STACK = "killed"
OPERATIONS = ("create", "update", "delete")


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
    """One stack, operated on and looked at through `cloud`, its database through `ask`."""

    cloud: Cloud
    ask: Ask
    tree: Tree
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
            self.tree = replace(self.tree, edition=self.tree.edition + 1)
        match operation:
            case "create":
                self.cloud.create(STACK, self.tree)
            case "update":
                self.cloud.update(STACK, self.tree)
            case "delete":
                self.cloud.delete(STACK)

    def look(self) -> None:
        """Find out where the stack is: a kill came before an operation, or after it."""
        self.cloud.end(STACK, "delete")
        current = self.cloud.template(STACK)
        self.exists = current is not None
        if current is not None:
            self.tree = replace(self.tree, edition=edition_of(current))

    def faults(self, operation: str) -> Fault:
        """Wait for the end of the operation and compare Keystone, stacks and templates."""
        fault = Fault()
        state = self.cloud.end(STACK, operation)
        self.exists = state != "DELETE_COMPLETE"
        if state != f"{operation.upper()}_COMPLETE":
            fault.others.append(f"the stack ended as {state}")
        fault.others += leftovers(self.ask, self.tree if self.exists else None)
        named = self.cloud.projects_of(STACK)
        found = {one["id"]: one for one in self.cloud.marked(MARK)}
        fault.orphans = len(found.keys() - set(named.values()))
        fault.doubles = sum(Counter(one["description"] for one in found.values()).values())
        fault.doubles -= len({one["description"] for one in found.values()})
        fault.others += self._differences(self.tree.projects if self.exists else {}, named, found)
        in_domain = len(self.cloud.stack_domain_projects())
        if in_domain != self.exists:
            fault.others.append(f"{in_domain} projects in the stack domain")
        return fault

    def _differences(
        self, wanted: Mapping[str, Mapping[str, Any]], named: dict[str, str], found: dict[str, Any]
    ) -> list[str]:
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

    def _wanted(self, properties: Mapping[str, Any], named: dict[str, str]) -> dict[str, Any]:
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
