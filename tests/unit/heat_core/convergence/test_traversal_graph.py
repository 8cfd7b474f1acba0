"""The graph of a traversal, transform by transform and against Heat's (rules/i#2-4)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from recorded_states import Recorded, preparations
from rows import a_row

from heat_core.convergence import Node, decode_deps, traversal_graph
from heat_core.convergence.node import SNAPSHOT
from heat_core.graph import CycleError
from heat_core.stack.ids import ResourceId
from heat_core.stack.states import Action, Status


def up(row_id: int) -> Node:
    return Node(row_id, True)


def clean(row_id: int) -> Node:
    return Node(row_id, False)


def ids(**rows: int) -> dict[str, ResourceId]:
    return {name: ResourceId(row_id) for name, row_id in rows.items()}


def test_nothing_gives_the_empty_graph() -> None:
    assert len(traversal_graph(requires={}, ids={}, existing=[])) == 0


def test_update_nodes_follow_the_template() -> None:
    graph = traversal_graph(requires={"a": [], "b": ["a"]}, ids=ids(a=1, b=2), existing=[])
    assert list(graph.edges()) == [(up(2), up(1))]


def test_an_existing_row_is_cleaned_up_after_its_update() -> None:
    graph = traversal_graph(requires={"a": []}, ids=ids(a=1), existing=[a_row(1)])
    assert list(graph.edges()) == [(clean(1), up(1))]


def test_a_row_that_the_template_lacks_is_only_cleaned_up() -> None:
    graph = traversal_graph(requires={}, ids={}, existing=[a_row(1)])
    assert list(graph.edges()) == [(clean(1), None)]


def test_what_needed_a_resource_is_cleaned_up_before_it() -> None:
    rows = [a_row(1), a_row(2, name="b", requires=(ResourceId(1),))]
    graph = traversal_graph(requires={}, ids={}, existing=rows)
    assert list(graph.edges()) == [(clean(1), clean(2))]


def test_required_rows_that_are_not_there_any_more_are_left_out() -> None:
    rows = [a_row(2, name="b", requires=(ResourceId(1),), replaces=ResourceId(9))]
    graph = traversal_graph(requires={}, ids={}, existing=rows)
    assert list(graph.edges()) == [(clean(2), None)]


def test_a_replaced_row_is_cleaned_up_after_its_replacement() -> None:
    rows = [a_row(1, replaced_by=ResourceId(2)), a_row(2, replaces=ResourceId(1))]
    graph = traversal_graph(requires={"a": []}, ids=ids(a=2), existing=rows)
    assert list(graph.edges()) == [(clean(1), clean(2)), (clean(2), up(2))]


def test_rows_of_which_nothing_is_left_have_no_node() -> None:
    gone = a_row(1, action=Action.DELETE)
    needing = a_row(2, name="b", requires=(ResourceId(1),))
    graph = traversal_graph(requires={}, ids={}, existing=[gone, needing])
    assert list(graph) == [clean(2)]


def test_a_row_that_failed_to_delete_is_cleaned_up() -> None:
    failed = a_row(1, action=Action.DELETE, status=Status.FAILED)
    assert list(traversal_graph(requires={}, ids={}, existing=[failed])) == [clean(1)]


def test_snapshots_stand_alone() -> None:
    graph = traversal_graph(requires={}, ids={}, existing=[a_row(1)], snapshots=["5f"])
    assert list(graph.edges()) == [(clean(1), None), (Node("5f", False, SNAPSHOT), None)]


def test_a_circular_template_shows_when_the_order_is_asked_for() -> None:
    graph = traversal_graph(requires={"a": ["b"], "b": ["a"]}, ids=ids(a=1, b=2), existing=[])
    with pytest.raises(CycleError):
        graph.topological()


def test_heat_stored_the_same_graphs(recorded: Sequence[Recorded]) -> None:
    seen = set()
    for scenario in recorded:
        for at in preparations(scenario):
            stored = decode_deps(at.stack.current_deps)
            names = {row.id: row.name for row in at.rows}
            update = [node for node in stored if node.is_update]
            graph = traversal_graph(
                requires={
                    names[ResourceId(int(node.id))]: [
                        names[ResourceId(int(needed.id))] for needed in stored.requires(node)
                    ]
                    for node in update
                },
                ids={names[ResourceId(int(node.id))]: ResourceId(int(node.id)) for node in update},
                existing=at.existing,
                # A traversal that deletes the stack removes its snapshots (rules/i#3).
                snapshots=at.snapshots if at.stack.action is Action.DELETE else (),
            )
            assert graph == stored, f"{at.scenario}: {at.stack.action}"
            seen.add(at.stack.action)
    assert seen >= {Action.CREATE, Action.UPDATE, Action.ROLLBACK, Action.DELETE}
