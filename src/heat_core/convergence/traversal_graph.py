"""The graph of one traversal, built by a list of small transforms (rules/i-convergence.md#2-4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from heat_core.convergence.node import SNAPSHOT, Node
from heat_core.convergence.selection import is_gone
from heat_core.graph import Graph, GraphBuilder, Transform, build_graph
from heat_core.stack.ids import ResourceId
from heat_core.stack.records import ResourceRecord


def traversal_graph(
    *,
    requires: Mapping[str, Iterable[str]],
    ids: Mapping[str, ResourceId],
    existing: Sequence[ResourceRecord],
    snapshots: Iterable[str] = (),
) -> Graph[Node]:
    """Return the nodes to visit and what each must wait for.

    `requires` maps the template's resource names to the names that they need, `ids` the same
    names to the rows chosen or inserted for them. `existing` are the rows that were there before
    this traversal inserted any; those with nothing left of them are ignored.
    """
    rows = {row.id: row for row in existing if not is_gone(row)}
    return build_graph(
        (
            _template_edges(requires, ids),
            _clean_up_nodes(rows),
            _stored_requires_reversed(rows),
            _replaced_after_replacement(rows),
            _clean_up_after_update(rows),
            _snapshot_nodes(snapshots),
        )
    )


def _template_edges(
    requires: Mapping[str, Iterable[str]], ids: Mapping[str, ResourceId]
) -> Transform[Node]:
    def transform(graph: GraphBuilder[Node]) -> None:
        for name, needs in requires.items():
            node = Node(ids[name], True)
            graph.add(node)
            for needed in needs:
                graph.require(node, Node(ids[needed], True))

    return transform


def _clean_up_nodes(rows: Mapping[ResourceId, ResourceRecord]) -> Transform[Node]:
    def transform(graph: GraphBuilder[Node]) -> None:
        for row_id in rows:
            graph.add(Node(row_id, False))

    return transform


def _stored_requires_reversed(rows: Mapping[ResourceId, ResourceRecord]) -> Transform[Node]:
    """What needed a resource is cleaned up before that resource."""

    def transform(graph: GraphBuilder[Node]) -> None:
        for row in rows.values():
            for needed in row.requires:
                if needed in rows:
                    graph.require(Node(needed, False), Node(row.id, False))

    return transform


def _replaced_after_replacement(rows: Mapping[ResourceId, ResourceRecord]) -> Transform[Node]:
    def transform(graph: GraphBuilder[Node]) -> None:
        for row in rows.values():
            if row.replaces is not None and row.replaces in rows:
                graph.require(Node(row.replaces, False), Node(row.id, False))

    return transform


def _clean_up_after_update(rows: Mapping[ResourceId, ResourceRecord]) -> Transform[Node]:
    def transform(graph: GraphBuilder[Node]) -> None:
        for row_id in rows:
            if Node(row_id, True) in graph:
                graph.require(Node(row_id, False), Node(row_id, True))

    return transform


def _snapshot_nodes(snapshots: Iterable[str]) -> Transform[Node]:
    """Snapshots left behind are removed with the stack, each on its own."""

    def transform(graph: GraphBuilder[Node]) -> None:
        for snapshot_id in snapshots:
            graph.add(Node(snapshot_id, False, SNAPSHOT))

    return transform
