"""A node of a traversal and its two encodings in the database."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from heat_core.graph import Graph
from heat_core.stack.node_data import decode_key

RESOURCE = "resource"
SNAPSHOT = "snapshot"


class Node(NamedTuple):
    """One visit of a traversal: bring a resource up to date, or clean it up.

    `id` is the resource's row id (a snapshot's uuid for type "snapshot"). Sorting puts clean-up
    nodes before update nodes of the same row, which is also the order in which leaves are cast.
    Source: rules/i-convergence.md#1.
    """

    id: int | str
    is_update: bool
    type: str = RESOURCE

    @property
    def key(self) -> str:
        """The key under which this node reports to a sync point (rules/i-convergence.md#28)."""
        return f"tuple:({self.id!r}, {self.is_update}, {self.type!r})"

    @property
    def entity(self) -> str:
        """The entity_id of the node's own sync point."""
        return str(self.id)

    def __lt__(self, other: tuple[Any, ...]) -> bool:
        if isinstance(self.id, int) == isinstance(other[0], int):
            return tuple.__lt__(self, other)
        return isinstance(self.id, int)

    def stored(self) -> list[Any]:
        """The member of a stored edge: snapshots have three elements, resources two."""
        if self.type == RESOURCE:
            return [self.id, self.is_update]
        return [self.id, self.is_update, self.type]


_RESOURCE_KEY = re.compile(r"tuple:\((\d+), (True|False), 'resource'\)")


def node_from_key(key: str) -> Node:
    """Read a sync point's key as written by Heat or by us; two elements mean a resource."""
    match = _RESOURCE_KEY.fullmatch(key)
    if match:
        return Node(int(match[1]), match[2] == "True")
    parts = decode_key(key)
    if isinstance(parts, str) or not 2 <= len(parts) <= 3:
        raise ValueError(f"not a key of a sync point: {key!r}")
    return Node(*parts)


def encode_deps(graph: Graph[Node]) -> dict[str, Any]:
    """The value of stack.current_deps (rules/i-convergence.md#1)."""
    return {
        "edges": [
            [requirer.stored(), None if required is None else required.stored()]
            for requirer, required in graph.edges()
        ]
    }


def decode_deps(stored: Mapping[str, Any] | None) -> Graph[Node]:
    """The graph of a stored current_deps; nothing stored gives the empty graph."""
    edges = (stored or {}).get("edges", ())
    return Graph.from_edges(
        (Node(*requirer), None if required is None else Node(*required))
        for requirer, required in edges
    )
