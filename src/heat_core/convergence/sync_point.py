"""Sync points: where the nodes that a node waits for leave their results.

Theory of operation. A sync point exists for every node of a traversal and one for the stack,
which waits for the roots. It is created before anything is cast and removed when the traversal
ends or is superseded; nobody ever re-creates one, so a missing sync point says "this traversal is
over". A node that finishes merges its entry into the sync point of each node that waits for it,
by compare-and-swap on atomic_key. The merge that makes the set of predecessors complete makes its
author the completer: it, and only it, casts the waiting node. Merging an entry that is already
there changes nothing and completes nothing, because messages come twice.

Formats: rules/i-convergence.md#24-30.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from heat_core.convergence.node import Node, node_from_key
from heat_core.stack.ids import StackId, TraversalId
from heat_core.stack.node_data import NodeData
from heat_core.stack.records import SyncPointRecord

MARK = "heat_trio"
"""Our own key in extra_data of the stack's sync point; Heat keeps keys that it does not know."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One entry on its way to the sync point of a node, or of the stack (`receiver` None)."""

    receiver: Node | None
    sender: Node
    value: Any = None
    """a NodeData map (update nodes), a row id (clean-up nodes) or None"""


@dataclass(frozen=True, slots=True)
class Merged:
    """A sync point after a merge.

    `changed`: something is new and must be written. `completed_by`: the index, in the batch, of
    the arrival that completed the set, None if the set is not complete or already was.
    """

    input_data: Mapping[str, Any]
    changed: bool
    completed_by: int | None


def entries(input_data: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a stored input_data, which is {} before the first arrival."""
    return dict(input_data.get("input_data", {}))


def merge(
    input_data: Mapping[str, Any],
    arrivals: Iterable[tuple[Node, Any]],
    predecessors: Iterable[Node],
    *,
    again: bool = False,
) -> Merged:
    """Merge a batch of (sender, value).

    `again` is set when the merge is a wake-up: an entry that is already there may then complete
    the set once more, because whoever completed it before may have been turned away.
    """
    merged = entries(input_data)
    missing = {node.key for node in predecessors} - merged.keys()
    changed = False
    completed_by: int | None = None
    for index, (sender, value) in enumerate(arrivals):
        key = sender.key
        known = key in merged
        if not known or (value is not None and merged[key] != value):
            merged[key] = value
            changed = True
        if key in missing:
            missing.discard(key)
            if not missing:
                completed_by = index
        elif not missing and (again or not known):
            completed_by = index
    return Merged({"input_data": merged}, changed, completed_by)


def is_ready(input_data: Mapping[str, Any], predecessors: Iterable[Node]) -> bool:
    """Whether every predecessor has arrived."""
    present = entries(input_data).keys()
    return all(node.key in present for node in predecessors)


def node_results(input_data: Mapping[str, Any]) -> dict[str, NodeData]:
    """The results of the resources that arrived, by resource name."""
    results: dict[str, NodeData] = {}
    for value in entries(input_data).values():
        if isinstance(value, Mapping):
            data = NodeData.from_wire(value)
            results[data.name] = data
    return results


def arrived(input_data: Mapping[str, Any]) -> frozenset[Node]:
    """The nodes whose entries are there."""
    return frozenset(node_from_key(key) for key in entries(input_data))


def new_sync_points(
    stack_id: StackId,
    traversal_id: TraversalId,
    nodes: Iterable[Node],
    mark: Mapping[str, Any] | None,
) -> tuple[SyncPointRecord, ...]:
    """One empty sync point a node and one for the stack, which carries the mark."""
    return (
        *(
            SyncPointRecord(
                entity_id=node.entity,
                traversal_id=traversal_id,
                is_update=node.is_update,
                stack_id=stack_id,
            )
            for node in nodes
        ),
        stack_sync_point(stack_id, traversal_id, mark),
    )


def stack_sync_point(
    stack_id: StackId, traversal_id: TraversalId, mark: Mapping[str, Any] | None
) -> SyncPointRecord:
    """The empty sync point that the roots report to."""
    return SyncPointRecord(
        entity_id=stack_id,
        traversal_id=traversal_id,
        is_update=True,
        stack_id=stack_id,
        extra_data={MARK: dict(mark)} if mark is not None else None,
    )


def read_mark(record: SyncPointRecord | None) -> Mapping[str, Any] | None:
    """What heat-trio wrote about the traversal, None if Heat started it."""
    if record is None or not record.extra_data:
        return None
    mark = record.extra_data.get(MARK)
    return mark if isinstance(mark, Mapping) else None
