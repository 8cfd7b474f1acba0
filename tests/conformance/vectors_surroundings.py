"""What the vectors were recorded in: one stack, its names, and resources in a known state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from heat_core.environment import Environment
from heat_core.stack import StackDefinition
from heat_core.stack.identity import HeatIdentifier
from heat_core.template import ParentResource, Template
from heat_core.template.functions.references import select_path

NAME = "demo-stack"
ID = "3f0c2a9e-51b7-4c7d-9d53-8f3e5a6b7c01"
PROJECT = "5d9b7a1c0e3f4b6d8a2c1e0f9b8d7c6a"
IDENTITY = HeatIdentifier(PROJECT, NAME, ID)


class AttributeValues(Mapping[Any, Any]):
    """Attributes by name, and by (name, *path) as a resource answers a path."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return select_path(self._values[key[0]], key[1:])
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True)
class Node:
    reference_id: Any
    attributes: Mapping[Any, Any]
    action: str
    status: str


def nodes_of(resources: Mapping[str, Any] | None) -> dict[str, Node]:
    """The resources' states; null means that nothing is known of one."""
    return {
        name: Node(
            state["reference_id"],
            AttributeValues(state["attributes"]),
            state["action"],
            state["status"],
        )
        for name, state in (resources or {}).items()
        if state is not None
    }


def template_of(given: Mapping[str, Any]) -> Template:
    """The vector's template with its files and environment."""
    return Template(
        given["template"],
        files=given.get("files"),
        environment=Environment.from_dict(given.get("environment") or {}),
    )


def definition_of(given: Mapping[str, Any]) -> StackDefinition:
    """The definition of the vector's stack."""
    parent = None
    if given.get("parent_resource") is not None:
        state = given["parent_resource"]
        parent = ParentResource(
            metadata=state.get("metadata", {}),
            deletion_policy=state.get("deletion_policy", "Delete"),
            update_policy=state.get("update_policy"),
        )
    return StackDefinition.build(
        template_of(given),
        stack_name=NAME,
        stack_id=ID,
        project_id=PROJECT,
        parent=parent,
        availability_zones=given.get("availability_zones", ("nova",)),
    )
