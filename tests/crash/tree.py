"""The stack that the crash tests work on: a tree of projects that each edition changes.

From one edition to the next some projects stay, some are changed in place, some are replaced, some
go and some come, in the stack itself as in its nested stacks, two levels deep:

    project_*, text_*
    branch              a template resource
      kept, changed, replaced, only_in_*
      twigs             a ResourceGroup of projects, updated two at a time, which shrinks and grows
    leaves              a ResourceGroup of template resources, which grows and shrinks
      0, 1, ...         each a stack of a project that is replaced and a text
    swap                a template resource of another type in each edition
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MARK = "kill test"
PROJECT = "OS::Keystone::Project"
TEXT = "OS::Heat::RandomString"
GROUP = "OS::Heat::ResourceGroup"
VERSION = "2021-04-16"
TAG = "edition-"


@dataclass(frozen=True, slots=True)
class Tree:
    """One edition of the tree: `size` projects and texts at the root, groups of `members`.

    Without `members` there are no nested stacks.
    """

    size: int
    members: int
    edition: int

    @property
    def template(self) -> dict[str, Any]:
        """The root's template."""
        resources = self._roots()
        if self.members:
            resources |= {
                "branch": {"type": "branch.yaml"},
                "leaves": {
                    "type": GROUP,
                    "depends_on": "project_0",
                    "properties": {
                        "count": self._leaves,
                        "resource_def": {
                            "type": "leaf.yaml",
                            "properties": {"number": "%index%"},
                        },
                    },
                },
                "swap": {"type": f"swap_{self._odd:d}.yaml"},
            }
        return _document(resources)

    @property
    def files(self) -> dict[str, str]:
        """The templates of the nested stacks."""
        if not self.members:
            return {}
        leaf = _document(
            {
                "project": _project(
                    self._description("leaf", {"get_param": "number"}), self._moved
                ),
                "text": {"type": TEXT, "properties": {"length": 8}},
            },
            parameters={"number": {"type": "string"}},
        )
        swap = _document({"project": _project(f"{MARK} swap")})
        return {
            "branch.yaml": json.dumps(_document(self._branch())),
            "leaf.yaml": json.dumps(leaf),
            f"swap_{self._odd:d}.yaml": json.dumps(swap),
        }

    @property
    def projects(self) -> dict[str, Mapping[str, Any]]:
        """The properties of all projects, by the way to each: names joined by slashes."""
        found = {
            name: resource["properties"]
            for name, resource in self._roots().items()
            if resource["type"] == PROJECT
        }
        if not self.members:
            return found
        for name, resource in self._branch().items():
            if resource["type"] == PROJECT:
                found[f"branch/{name}"] = resource["properties"]
        for number in range(self._twigs):
            found[f"branch/twigs/{number}"] = {
                "description": f"{MARK} twig {number}",
                "tags": [f"{TAG}{self.edition}"],
            }
        for number in range(self._leaves):
            found[f"leaves/{number}/project"] = {
                "description": f"{MARK} leaf {number}",
                **self._moved,
            }
        found["swap/project"] = {"description": f"{MARK} swap"}
        return found

    @property
    def rows(self) -> int:
        """How many rows of resources the tree has."""
        if not self.members:
            return 2 * self.size
        return 2 * self.size + 3 + len(self._branch()) + self._twigs + 3 * self._leaves + 1

    @property
    def stacks(self) -> int:
        """How many stacks the tree has."""
        return 1 if not self.members else 5 + self._leaves

    # --- parts -----------------------------------------------------------------------------

    @property
    def _odd(self) -> bool:
        return self.edition % 2 == 1

    @property
    def _moved(self) -> dict[str, Any]:
        """What makes a project be replaced by the next edition."""
        return {"parent": "admin"} if self._odd else {}

    @property
    def _leaves(self) -> int:
        return self.members + self._odd

    @property
    def _twigs(self) -> int:
        return self.members - self._odd

    def _roots(self) -> dict[str, Any]:
        """Of each five projects one stays, one is changed, one is replaced, one gets another tag,
        and one goes while another comes. Every tenth lives below the first, and waits for it.
        """
        resources: dict[str, Any] = {}
        properties: dict[str, Any]
        for number in range(self.size):
            name, properties = f"project_{number}", {"description": f"{MARK} {number}"}
            match number % 5:
                case 1:
                    properties["enabled"] = not self._odd
                case 2:
                    properties |= self._moved
                case 3:
                    properties["tags"] = [f"{TAG}{self.edition}"]
                case 4:
                    name = f"{name}_{self.edition}"
                    properties["description"] = f"{MARK} {number}/{self.edition}"
            if number % 10 == 5:
                properties["parent"] = {"get_resource": "project_0"}
            resources[name] = {"type": PROJECT, "properties": properties}
        for number in range(self.size):
            length = 8 + self._odd if number % 2 else 8
            resources[f"text_{number}"] = {"type": TEXT, "properties": {"length": length}}
        return resources

    def _branch(self) -> dict[str, Any]:
        twig = _project(f"{MARK} twig %index%", {"tags": [f"{TAG}{self.edition}"]})
        return {
            "kept": _project(f"{MARK} kept"),
            "changed": _project(f"{MARK} changed", {"enabled": not self._odd}),
            "replaced": _project(f"{MARK} replaced", self._moved),
            f"only_in_{self.edition}": _project(f"{MARK} only in {self.edition}"),
            "twigs": {
                "type": GROUP,
                "depends_on": "replaced",
                "properties": {"count": self._twigs, "resource_def": twig},
                "update_policy": {"rolling_update": {"max_batch_size": 2}},
            },
        }

    @staticmethod
    def _description(what: str, number: Any) -> dict[str, Any]:
        return {"list_join": [" ", [MARK, what, number]]}


def edition_of(template: Mapping[str, Any]) -> int:
    """The edition that a root's template is of."""
    tag: str = template["resources"]["project_3"]["properties"]["tags"][0]
    return int(tag.removeprefix(TAG))


def _document(resources: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"heat_template_version": VERSION, "resources": dict(resources), **more}


def _project(description: Any, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"type": PROJECT, "properties": {"description": description, **(more or {})}}
