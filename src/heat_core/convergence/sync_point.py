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

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from heat_core.convergence.node import Node, node_from_key
from heat_core.stack.ids import StackId, TraversalId
from heat_core.stack.node_data import NodeData
from heat_core.stack.records import SyncPointRecord

MARK = "heat_trio"
"""Our own key in extra_data of the stack's sync point; Heat keeps keys that it does not know."""

PREPARED = "prepared"
"""in the mark: the graph and all sync points of the traversal are stored"""

NO_FAILURES: Mapping[str, str] = MappingProxyType({})
_EXTRA = "extra_data"
_FAILURES = "resource_failures"
_SKIP = "skip_propagate"


@dataclass(frozen=True, slots=True)
class Arrival:
    """One entry on its way to the sync point of a node, or of the stack (`receiver` None)."""

    receiver: Node | None
    sender: Node
    value: Any = None
    """a NodeData map (update nodes), a row id (clean-up nodes) or None"""
    failures: Mapping[str, str] = NO_FAILURES
    """what failed in this node and before it, by resource name; only a CHECK goes on after that"""
    skip: bool = False
    """nothing is to be done any more on the way that this entry is on"""
    again: bool = field(default=False, compare=False)
    """if the entry is there already, and all others too, somebody is to be told once more"""


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
    arrivals: Collection[tuple[Node, Any]],
    predecessors: Collection[Node],
    *,
    again: Collection[Node] = (),
) -> Merged:
    """Merge a batch of (sender, value); at most one of them is told that the set is complete.

    A sender in `again` whose entry is there already completes it once more: whoever was told before
    may have found the row held.
    """
    merged = entries(input_data)
    # A wide set is asked for only when its last members may be among these.
    may_complete = len(merged) + len(arrivals) >= len(predecessors)
    missing = {node.key for node in predecessors} - merged.keys() if may_complete else set()
    changed = False
    completed_by: int | None = None
    for index, (sender, value) in enumerate(arrivals):
        key = sender.key
        known = key in merged
        if not known or (value is not None and merged[key] != value):
            merged[key] = value
            changed = True
        if not may_complete:
            continue
        if key in missing:
            missing.discard(key)
            if not missing:
                completed_by = index
        elif not missing and (sender in again or not known):
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
        extra_data={_EXTRA: {MARK: dict(mark)}} if mark is not None else None,
    )


def extras(extra_data: Mapping[str, Any] | None) -> dict[str, Any]:
    """The entries of a stored extra_data, which is null until there are some."""
    return dict((extra_data or {}).get(_EXTRA) or {})


def merge_extras(
    extra_data: Mapping[str, Any] | None, failures: Mapping[str, str], skip: bool
) -> Mapping[str, Any] | None:
    """The extra_data to store after an arrival; None when it stays as it is (rules/i#29)."""
    before = extras(extra_data)
    after = dict(before)
    if failures:
        after[_FAILURES] = {**before.get(_FAILURES, {}), **failures}
    if skip:
        after[_SKIP] = True
    return None if after == before else {_EXTRA: after}


def read_failures(extra_data: Mapping[str, Any] | None) -> tuple[dict[str, str], bool]:
    """(failures by resource name, whether there is nothing left to do)."""
    found = extras(extra_data)
    return dict(found.get(_FAILURES, {})), bool(found.get(_SKIP, False))


def read_mark(record: SyncPointRecord | None) -> Mapping[str, Any] | None:
    """What heat-trio wrote about the traversal, None if Heat started it."""
    if record is None:
        return None
    mark = extras(record.extra_data).get(MARK)
    return mark if isinstance(mark, Mapping) else None


def is_prepared(stack_point: SyncPointRecord | None) -> bool:
    """Whether the traversal's graph and sync points are stored, by the stack's own sync point.

    Heat creates that one last; heat-trio's is there from the start and says so in its mark.
    """
    if stack_point is None:
        return False
    mark = read_mark(stack_point)
    return mark is None or bool(mark.get(PREPARED))
