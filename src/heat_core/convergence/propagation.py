"""What a finished node sends, and to whom (rules/i-convergence.md#25)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heat_core.convergence.node import Node
from heat_core.convergence.sync_point import NO_FAILURES, Arrival
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId
from heat_core.stack.records import ResourceRecord


def graph_node(
    graph: Graph[Node],
    row: ResourceRecord,
    is_update: bool,
    stands_for: ResourceId | None = None,
) -> Node | None:
    """The node that the row stands for in this traversal.

    A replacement made in the traversal has no node of its own: it stands in for the row that it
    replaces (rules/h-updates.md#21), or for `stands_for`, the first of several that were replaced
    one after the other. None: the row has no part in the traversal.
    """
    for row_id in (row.id, row.replaces, stands_for):
        if row_id is not None and (node := Node(row_id, is_update)) in graph:
            return node
    return None


def arrivals(
    graph: Graph[Node],
    node: Node,
    *,
    data: Mapping[str, Any] | None,
    row_id: ResourceId | None,
    replaced_by: ResourceId | None,
    failures: Mapping[str, str] = NO_FAILURES,
    skip: bool = False,
    again: bool = False,
) -> tuple[Arrival, ...]:
    """Entries for everything that waits for `node`, clean-up nodes first; roots tell the stack.

    `data` is the wire form of the NodeData of an update node; `failures`, `skip` and `again` go
    with every entry.
    """
    waiting = graph.required_by(node)
    if not waiting:
        return (Arrival(None, node, None, failures, skip, again),)
    return tuple(
        Arrival(
            receiver,
            node,
            _value(node, receiver, data, row_id, replaced_by),
            failures,
            skip,
            again,
        )
        for receiver in sorted(waiting, key=lambda n: (n.is_update, n))
    )


def next_in_chain(graph: Graph[Node], node: Node) -> Node | None:
    """The node that comes next when this one is done, where it is easy to tell; else None.

    Along a chain of resources that is the one that needs the resource, and that in a clean-up is
    cleaned up after it: a clean-up node also waits for its own update, which is long done by then.
    """
    waiting = graph.required_by(node)
    candidates = [other for other in waiting if other.is_update] or waiting
    if len(candidates) != 1:
        return None
    likely = candidates[0]
    others = [other for other in graph.requires(likely) if other != node]
    own = Node(likely.id, True, likely.type)
    return likely if not others or (not likely.is_update and others == [own]) else None


def _value(
    node: Node,
    receiver: Node,
    data: Mapping[str, Any] | None,
    row_id: ResourceId | None,
    replaced_by: ResourceId | None,
) -> Any:
    if node.is_update:
        return data if receiver.is_update else None
    return replaced_by if replaced_by is not None else row_id
