"""Sync points: merging, who completes a set, and Heat's formats (rules/i-convergence.md#24-30)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_states import Recorded, stack_records, sync_point_records
from rows import STACK_ID, TRAVERSAL

from heat_core.convergence import (
    PREPARED,
    Node,
    decode_deps,
    entries,
    is_prepared,
    is_ready,
    merge,
    new_sync_points,
    node_from_key,
    node_results,
    read_mark,
    stack_sync_point,
)
from heat_core.convergence.sync_point import (
    MARK,
    arrived,
    extras,
    merge_extras,
    read_failures,
)
from heat_core.stack import NodeData
from heat_core.stack.ids import ResourceId
from heat_core.stack.records import SyncPointRecord

A, B, C = Node(1, True), Node(2, True), Node(3, True)
EMPTY: dict[str, Any] = {}


def data(row_id: int, name: str) -> dict[str, Any]:
    return NodeData(ResourceId(row_id), name, f"uuid-{row_id}", f"ref-{row_id}").to_wire()


def present(*nodes: Node) -> dict[str, Any]:
    return {"input_data": {node.key: None for node in nodes}}


# --- merging -----------------------------------------------------------------------------------


def test_the_first_arrival_wraps_its_entry_as_heat_does() -> None:
    merged = merge(EMPTY, [(A, None)], [A, B])
    assert (
        json.dumps(merged.input_data) == '{"input_data": {"tuple:(1, True, \'resource\')": null}}'
    )
    assert merged.changed
    assert merged.completed_by is None


def test_the_last_missing_arrival_completes_the_set() -> None:
    assert merge(present(A), [(B, None)], [A, B]).completed_by == 0


def test_a_batch_names_the_arrival_that_completed_it() -> None:
    merged = merge(EMPTY, [(A, None), (B, None), (C, None)], [A, B, C])
    assert merged.completed_by == 2
    assert list(entries(merged.input_data)) == [A.key, B.key, C.key]


def test_a_duplicate_in_the_batch_does_not_complete_again() -> None:
    merged = merge(EMPTY, [(A, None), (B, None), (A, None)], [A, B])
    assert merged.completed_by == 1


def test_what_is_there_already_changes_and_completes_nothing() -> None:
    merged = merge(present(A, B), [(B, None)], [A, B])
    assert not merged.changed
    assert merged.completed_by is None
    assert merged.input_data == present(A, B)


def test_what_is_there_already_completes_once_more_if_it_has_to() -> None:
    # Who was told before may have found the row held by the visit that reports a second time.
    merged = merge(present(A, B), [(A, None), (B, None)], [A, B], again={A})
    assert not merged.changed
    assert merged.completed_by == 0
    assert merge(present(A), [(A, None)], [A, B], again={A}).completed_by is None


def test_a_known_entry_takes_a_newer_value_without_completing() -> None:
    before = {"input_data": {A.key: data(1, "a"), B.key: None}}
    merged = merge(before, [(A, data(7, "a"))], [A, B])
    assert merged.changed
    assert entries(merged.input_data)[A.key]["id"] == 7
    assert merged.completed_by is None


def test_null_does_not_take_the_place_of_a_value() -> None:
    before = {"input_data": {A.key: data(1, "a")}}
    merged = merge(before, [(A, None)], [A])
    assert not merged.changed
    assert merged.input_data == before


def test_a_wake_up_completes_a_set_that_is_complete() -> None:
    merged = merge(present(A, B), [(C, None)], [A, B], again={C})
    assert merged.changed
    assert merged.completed_by == 0
    assert C.key in entries(merged.input_data)


def test_a_repeated_wake_up_completes_once_more_but_writes_nothing() -> None:
    merged = merge(present(A, B, C), [(C, None)], [A, B], again={C})
    assert not merged.changed
    assert merged.completed_by == 0


def test_a_wake_up_does_not_complete_what_is_not_complete() -> None:
    assert merge(present(A), [(C, None)], [A, B], again={C}).completed_by is None


def test_a_leaf_has_no_predecessors_so_a_wake_up_always_completes() -> None:
    assert merge(EMPTY, [(C, None)], [], again={C}).completed_by == 0


def test_merging_leaves_what_was_stored_as_it_is() -> None:
    before = present(A)
    merge(before, [(B, None)], [A, B])
    assert before == present(A)


def test_keys_that_we_do_not_know_are_kept() -> None:
    before = {"input_data": {"tuple:(9, True, 'resource')": None}}
    assert "tuple:(9, True, 'resource')" in entries(merge(before, [(A, None)], [A]).input_data)


# --- any split into batches --------------------------------------------------------------------

_PREDECESSORS = st.lists(
    st.builds(Node, st.integers(1, 20), st.booleans()), min_size=1, max_size=8, unique=True
)


@st.composite
def _batches(draw: st.DrawFn) -> tuple[list[Node], list[list[tuple[Node, Any]]]]:
    """Predecessors, each arriving once or more, in any order and any batches."""
    predecessors = draw(_PREDECESSORS)
    senders = draw(st.permutations(predecessors + draw(st.lists(st.sampled_from(predecessors)))))
    values = {node: {"id": node.id} if node.is_update else node.id for node in predecessors}
    batches: list[list[tuple[Node, Any]]] = [[]]
    for sender in senders:
        if batches[-1] and draw(st.booleans()):
            batches.append([])
        batches[-1].append((sender, values[sender]))
    return predecessors, batches


@given(_batches())
def test_any_split_gives_one_completer_and_the_same_result(
    case: tuple[list[Node], list[list[tuple[Node, Any]]]],
) -> None:
    predecessors, batches = case
    input_data: Any = {}
    completers = []
    for batch in batches:
        before = input_data
        merged = merge(before, batch, predecessors)
        assert merged.changed == (merged.input_data != (before or {"input_data": {}}))
        input_data = merged.input_data
        if merged.completed_by is not None:
            completers.append(batch[merged.completed_by][0])
            assert is_ready(input_data, predecessors)
    assert len(completers) == 1
    assert entries(input_data) == {
        node.key: {"id": node.id} if node.is_update else node.id for node in predecessors
    }
    # The completer is whoever was still missing when all the others were there.
    firsts = [sender for batch in batches for sender, _ in batch]
    assert completers[0] == max(predecessors, key=firsts.index)


@given(_batches())
def test_a_lost_completer_is_made_up_for_by_a_wake_up(
    case: tuple[list[Node], list[list[tuple[Node, Any]]]],
) -> None:
    predecessors, batches = case
    input_data: Any = {}
    for batch in batches:
        input_data = merge(input_data, batch, predecessors).input_data
    waiting = Node(99, True)
    for _ in range(2):
        merged = merge(input_data, [(waiting, None)], predecessors, again={waiting})
        assert merged.completed_by == 0
        input_data = merged.input_data


# --- reading -----------------------------------------------------------------------------------


def test_ready_when_all_predecessors_are_there() -> None:
    assert not is_ready(EMPTY, [A])
    assert not is_ready(present(A), [A, B])
    assert is_ready(present(A, B, C), [A, B])
    assert is_ready(EMPTY, [])


def test_results_are_those_of_resources_by_name() -> None:
    stored = {
        "input_data": {A.key: data(1, "a"), B.key: data(5, "b"), C.key: None, "tuple:(4, False)": 4}
    }
    results = node_results(stored)
    assert {name: result.id for name, result in results.items()} == {"a": 1, "b": 5}


def test_arrived_are_the_nodes_of_the_keys() -> None:
    stored = {"input_data": {A.key: None, "tuple:(4, False)": 4}}
    assert arrived(stored) == {A, Node(4, False)}


# --- making ------------------------------------------------------------------------------------


def test_one_point_a_node_and_one_for_the_stack_with_the_mark() -> None:
    mark = {"action": "DELETE"}
    points = new_sync_points(STACK_ID, TRAVERSAL, [A, Node(1, False)], mark)
    assert [(point.entity_id, point.is_update) for point in points] == [
        ("1", True),
        ("1", False),
        (STACK_ID, True),
    ]
    assert all(point.atomic_key == 0 and point.input_data == {} for point in points)
    assert all(point.traversal_id == TRAVERSAL for point in points)
    assert [point.extra_data for point in points] == [None, None, {"extra_data": {MARK: mark}}]
    assert read_mark(points[-1]) == mark


@pytest.mark.parametrize(
    "extra_data",
    [
        None,
        {},
        {"extra_data": None},
        {"extra_data": {"skip_propagate": True}},
        {"extra_data": {MARK: None}},
        {"extra_data": {MARK: "text"}},
    ],
)
def test_no_mark(extra_data: Any) -> None:
    point = SyncPointRecord(
        entity_id=STACK_ID,
        traversal_id=TRAVERSAL,
        is_update=True,
        stack_id=STACK_ID,
        extra_data=extra_data,
    )
    assert read_mark(point) is None


def test_a_missing_point_has_no_mark() -> None:
    assert read_mark(None) is None
    assert read_mark(stack_sync_point(STACK_ID, TRAVERSAL, None)) is None


@pytest.mark.parametrize(
    ("mark", "prepared"),
    [(None, True), ({"action": "UPDATE"}, False), ({"action": "UPDATE", PREPARED: True}, True)],
)
def test_prepared_is_what_the_mark_says_and_what_heat_made(mark: Any, prepared: bool) -> None:
    assert is_prepared(stack_sync_point(STACK_ID, TRAVERSAL, mark)) is prepared


def test_without_the_stacks_sync_point_nothing_is_prepared() -> None:
    assert not is_prepared(None)


# --- what else goes with an entry (rules/i-convergence.md#29) ----------------------------------


def test_without_failures_extra_data_stays_as_it_is() -> None:
    for before in (None, {}, {"extra_data": {MARK: {"action": "CHECK"}}}):
        assert merge_extras(before, {}, False) is None
        assert read_failures(before) == ({}, False)


def test_failures_are_written_as_heat_writes_them() -> None:
    written = merge_extras(None, {"a": "why"}, True)
    assert json.dumps(written) == (
        '{"extra_data": {"resource_failures": {"a": "why"}, "skip_propagate": true}}'
    )
    assert read_failures(written) == ({"a": "why"}, True)


def test_failures_add_up_and_the_mark_stays() -> None:
    marked = {"extra_data": {MARK: {"action": "CHECK"}}}
    first = merge_extras(marked, {"a": "why"}, False)
    assert read_failures(first) == ({"a": "why"}, False)
    second = merge_extras(first, {"b": "why not"}, True)
    assert read_failures(second) == ({"a": "why", "b": "why not"}, True)
    assert extras(second)[MARK] == {"action": "CHECK"}
    assert read_failures(marked) == ({}, False)


def test_the_same_failure_twice_changes_nothing() -> None:
    stored = merge_extras(None, {"a": "why"}, True)
    assert merge_extras(stored, {"a": "why"}, True) is None


# --- against Heat ------------------------------------------------------------------------------


def test_every_recorded_sync_point_is_what_a_merge_of_its_entries_gives(
    recorded: Sequence[Recorded],
) -> None:
    seen = 0
    for scenario in recorded:
        for state in scenario.states:
            for point, row in zip(
                sync_point_records(state), state["sync_point"].values(), strict=True
            ):
                assert merge(point.input_data, [], []).changed is False
                if not point.input_data:
                    assert row["input_data"] == "{}"
                    assert point.atomic_key == 0
                    continue
                rebuilt: Any = {}
                for node, value in zip(
                    map(node_from_key, entries(point.input_data)),
                    entries(point.input_data).values(),
                    strict=True,
                ):
                    rebuilt = merge(rebuilt, [(node, value)], []).input_data
                assert json.dumps(rebuilt) == row["input_data"]
                seen += 1
    assert seen > 200


def test_every_recorded_node_result_reads_and_writes_back(recorded: Sequence[Recorded]) -> None:
    seen = 0
    for scenario in recorded:
        for state in scenario.states:
            for point in sync_point_records(state):
                for name, result in node_results(point.input_data).items():
                    (wire,) = [
                        value
                        for value in entries(point.input_data).values()
                        if isinstance(value, dict) and value["name"] == name
                    ]
                    assert json.dumps(result.to_wire()) == json.dumps(wire)
                    seen += 1
    assert seen > 200


def test_heat_made_the_same_points_for_each_graph(recorded: Sequence[Recorded]) -> None:
    seen = 0
    for scenario in recorded:
        for state in scenario.states:
            for stack in stack_records(state):
                points = {
                    (point.entity_id, point.is_update)
                    for point in sync_point_records(state)
                    if point.traversal_id == stack.current_traversal
                }
                if not stack.current_traversal or (stack.id, True) not in points:
                    continue  # the stack's own comes last: with it all are there
                made = new_sync_points(
                    stack.id, stack.current_traversal, decode_deps(stack.current_deps), None
                )
                assert {(point.entity_id, point.is_update) for point in made} == points
                seen += 1
    assert seen > 100
