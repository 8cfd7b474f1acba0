"""Nodes and their two encodings, held to what Heat stored (rules/i-convergence.md#1, #28)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_states import Recorded, stack_records, sync_point_records

from heat_core.convergence import Node, decode_deps, encode_deps, entries, node_from_key
from heat_core.convergence.node import SNAPSHOT
from heat_core.graph import Graph

ROWS = st.builds(Node, st.integers(min_value=0), st.booleans())
SNAPSHOTS = st.builds(lambda uuid: Node(uuid, False, SNAPSHOT), st.uuids().map(str))
ANY = st.one_of(ROWS, SNAPSHOTS)


def test_the_key_is_the_repr_of_a_tuple() -> None:
    assert Node(7, True).key == "tuple:(7, True, 'resource')"
    assert Node("5f-1", False, SNAPSHOT).key == "tuple:('5f-1', False, 'snapshot')"


def test_the_entity_is_the_id_as_text() -> None:
    assert Node(7, False).entity == "7"
    assert Node("5f-1", False, SNAPSHOT).entity == "5f-1"


def test_resources_are_stored_as_pairs_and_snapshots_as_triples() -> None:
    assert Node(7, True).stored() == [7, True]
    assert Node("5f-1", False, SNAPSHOT).stored() == ["5f-1", False, "snapshot"]


@given(ANY)
def test_a_key_reads_back_as_its_node(node: Node) -> None:
    assert node_from_key(node.key) == node


def test_a_key_of_two_elements_means_a_resource() -> None:
    assert node_from_key("tuple:(7, False)") == Node(7, False)


@pytest.mark.parametrize(
    "key",
    ["7", "tuple:(7,)", "tuple:(7, True, 'resource', 1)", "tuple:(7, True", "tuple:7"],
)
def test_other_texts_are_no_keys(key: str) -> None:
    with pytest.raises(ValueError, match="not a key of a sync point"):
        node_from_key(key)


def test_clean_up_sorts_before_update_rows_by_id_and_snapshots_last() -> None:
    snapshot = Node("0-uuid", False, SNAPSHOT)
    nodes = [snapshot, Node(2, False), Node(1, True), Node(10, False), Node(1, False)]
    assert sorted(nodes) == [
        Node(1, False),
        Node(1, True),
        Node(2, False),
        Node(10, False),
        snapshot,
    ]


@given(st.lists(ANY, max_size=8, unique=True))
def test_the_order_is_total(nodes: list[Node]) -> None:
    backwards = nodes[::-1]
    ordered = sorted(nodes)
    assert sorted(backwards) == ordered
    assert all(not b < a for a, b in pairwise(ordered))


def test_deps_without_edges_and_with_isolated_nodes() -> None:
    assert encode_deps(Graph({}, {})) == {"edges": []}
    graph = Graph.from_edges([(Node(1, True), None), (Node(2, False), Node(2, True))])
    assert json.dumps(encode_deps(graph)) == (
        '{"edges": [[[1, true], null], [[2, false], [2, true]]]}'
    )


@pytest.mark.parametrize("nothing", [None, {}, {"edges": []}])
def test_nothing_stored_is_the_empty_graph(nothing: dict[str, list[object]] | None) -> None:
    assert len(decode_deps(nothing)) == 0


@given(st.lists(st.tuples(ANY, st.one_of(st.none(), ANY)), max_size=12))
def test_deps_survive_json(edges: list[tuple[Node, Node | None]]) -> None:
    graph = Graph.from_edges(edges)
    assert decode_deps(json.loads(json.dumps(encode_deps(graph)))) == graph


def test_every_recorded_graph_round_trips_edge_by_edge(recorded: Sequence[Recorded]) -> None:
    seen = 0
    for scenario in recorded:
        for state in scenario.states:
            for stack, row in zip(stack_records(state), state["stack"].values(), strict=True):
                if stack.current_deps is None:
                    continue
                again = json.loads(row["current_deps"])["edges"]
                written = encode_deps(decode_deps(stack.current_deps))["edges"]
                # Heat keeps edges in the order of its dictionaries; the edges themselves agree to
                # the byte.
                assert sorted(map(json.dumps, written)) == sorted(map(json.dumps, again))
                seen += 1
    assert seen > 100


def test_every_recorded_key_is_the_key_of_its_node(recorded: Sequence[Recorded]) -> None:
    keys = {
        key
        for scenario in recorded
        for state in scenario.states
        for point in sync_point_records(state)
        for key in entries(point.input_data)
    }
    assert {node_from_key(key).key for key in keys} == keys
    assert any("snapshot" in key for key in keys)
    assert any("False, 'resource'" in key for key in keys)
