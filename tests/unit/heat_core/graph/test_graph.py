"""Graphs: what requires what, in which order, and what cannot be ordered."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heat_core.graph import CycleError, Graph, GraphBuilder, build_graph

type Edges = list[tuple[int, int | None]]

NODES = st.integers(min_value=0, max_value=9)
EDGES = st.lists(st.tuples(NODES, st.one_of(st.none(), NODES)), max_size=25)
ACYCLIC = EDGES.map(
    lambda edges: [(a, b) for a, b in edges if b is None or b < a]  # an edge leads to a lower one
)

# b and c need a, d needs both; e stands alone.
DIAMOND: list[tuple[str, str | None]] = [
    ("d", "c"),
    ("d", "b"),
    ("b", "a"),
    ("c", "a"),
    ("e", None),
]


@pytest.fixture
def diamond() -> Graph[str]:
    return Graph.from_edges(DIAMOND)


def test_neighbours_come_sorted(diamond: Graph[str]) -> None:
    assert diamond.requires("d") == ("b", "c")
    assert diamond.requires("a") == ()
    assert diamond.required_by("a") == ("b", "c")
    assert diamond.required_by("d") == ()


def test_every_walk_is_sorted_whatever_the_order_of_the_edges(diamond: Graph[str]) -> None:
    turned = Graph.from_edges(DIAMOND[::-1])
    assert list(diamond) == ["a", "b", "c", "d", "e"] == list(turned)
    assert list(diamond.edges()) == list(turned.edges())


def test_leaves_require_nothing_and_roots_are_required_by_nobody(diamond: Graph[str]) -> None:
    assert diamond.leaves() == ("a", "e")
    assert diamond.roots() == ("d", "e")


def test_size_and_membership(diamond: Graph[str]) -> None:
    assert len(diamond) == 5
    assert "a" in diamond
    assert "z" not in diamond


def test_an_unknown_node_has_no_neighbours(diamond: Graph[str]) -> None:
    with pytest.raises(KeyError):
        diamond.requires("z")
    with pytest.raises(KeyError):
        diamond.required_by("z")


def test_only_an_isolated_node_is_stored_as_an_edge_to_nothing(diamond: Graph[str]) -> None:
    assert list(diamond.edges()) == [
        ("b", "a"),
        ("c", "a"),
        ("d", "b"),
        ("d", "c"),
        ("e", None),
    ]


def test_the_same_edge_twice_counts_once() -> None:
    graph = Graph.from_edges([(1, 2), (1, 2), (1, None)])
    assert graph.requires(1) == (2,)
    assert list(graph.edges()) == [(1, 2)]


def test_graphs_are_equal_by_content_and_no_keys() -> None:
    assert Graph.from_edges([(1, 2)]) == Graph.from_edges([(1, 2), (2, None)])
    assert Graph.from_edges([(1, 2)]) != Graph.from_edges([(2, 1)])
    assert Graph.from_edges([(1, 2)]) != "a graph"
    with pytest.raises(TypeError):
        hash(Graph.from_edges([(1, 2)]))


def test_topological_order_starts_with_what_requires_nothing(diamond: Graph[str]) -> None:
    assert diamond.topological() == ("a", "e", "b", "c", "d")


def test_a_cycle_is_named_each_node_requiring_the_next() -> None:
    graph = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "b"), ("d", None)])
    with pytest.raises(CycleError) as caught:
        graph.topological()
    assert set(caught.value.cycle) == {"b", "c"}
    assert str(caught.value) == " -> ".join(caught.value.cycle)


def test_a_node_that_requires_itself_is_a_cycle_of_one() -> None:
    with pytest.raises(CycleError) as caught:
        Graph.from_edges([(1, 1)]).topological()
    assert caught.value.cycle == (1,)


def test_transforms_run_in_order_over_one_builder() -> None:
    seen: list[bool] = []

    def first(builder: GraphBuilder[int]) -> None:
        builder.require(1, 2)

    def second(builder: GraphBuilder[int]) -> None:
        seen.append(1 in builder)
        seen.append(3 in builder)
        builder.add(3)
        builder.add(1)

    graph = build_graph([first, second])
    assert seen == [True, False]
    assert list(graph.edges()) == [(1, 2), (3, None)]


def test_a_built_graph_does_not_follow_its_builder() -> None:
    builder: GraphBuilder[int] = GraphBuilder()
    builder.add(1)
    graph = builder.build()
    builder.require(1, 2)
    assert graph.requires(1) == ()
    assert len(graph) == 1


@given(EDGES)
def test_edges_and_from_edges_are_inverse(edges: Edges) -> None:
    graph = Graph.from_edges(edges)
    assert Graph.from_edges(graph.edges()) == graph


@given(EDGES)
def test_required_by_mirrors_requires(edges: Edges) -> None:
    graph = Graph.from_edges(edges)
    forward = {(node, needed) for node in graph for needed in graph.requires(node)}
    backward = {(waiting, node) for node in graph for waiting in graph.required_by(node)}
    assert forward == backward == {(a, b) for a, b in edges if b is not None}


@given(ACYCLIC)
def test_topological_order_puts_every_node_after_what_it_requires(edges: Edges) -> None:
    graph = Graph.from_edges(edges)
    order = graph.topological()
    assert sorted(order) == list(graph)
    place = {node: index for index, node in enumerate(order)}
    for node in graph:
        assert all(place[needed] < place[node] for needed in graph.requires(node))


@given(ACYCLIC)
def test_an_acyclic_graph_with_nodes_has_leaves_and_roots(edges: Edges) -> None:
    graph = Graph.from_edges(edges)
    assert bool(graph.leaves()) == bool(graph.roots()) == bool(len(graph))


@given(EDGES)
def test_what_cannot_be_ordered_has_a_cycle_and_it_is_a_real_one(edges: Edges) -> None:
    graph = Graph.from_edges(edges)
    try:
        order = graph.topological()
    except CycleError as error:
        cycle = error.cycle
        assert len(set(cycle)) == len(cycle) > 0
        assert all(b in graph.requires(a) for a, b in pairwise((*cycle, cycle[0])))
    else:
        assert len(order) == len(graph)
