"""What a finished node sends, and to whom (rules/i-convergence.md#25, rules/h-updates.md#21)."""

from __future__ import annotations

from collections.abc import Sequence

from recorded_states import Recorded, stack_records, sync_point_records
from rows import a_row

from heat_core.convergence import (
    Arrival,
    Node,
    arrivals,
    decode_deps,
    entries,
    graph_node,
    next_in_chain,
    node_from_key,
)
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId

UP1, UP2, UP3 = Node(1, True), Node(2, True), Node(3, True)
CLEAN1, CLEAN2 = Node(1, False), Node(2, False)
DATA = {"id": 1, "name": "a"}

# 2 and 3 need 1; row 2 needed row 1 before, too.
GRAPH = Graph.from_edges(
    [(UP2, UP1), (UP3, UP1), (CLEAN1, UP1), (CLEAN2, UP2), (CLEAN1, CLEAN2)],
)


def test_a_row_in_the_graph_is_its_own_node() -> None:
    assert graph_node(GRAPH, a_row(1), True) == UP1
    assert graph_node(GRAPH, a_row(2), False) == CLEAN2


def test_a_replacement_stands_in_for_the_row_that_it_replaces() -> None:
    assert graph_node(GRAPH, a_row(9, replaces=ResourceId(2)), True) == UP2


def test_a_replacement_with_a_node_of_its_own_stands_for_itself() -> None:
    assert graph_node(GRAPH, a_row(3, replaces=ResourceId(2)), True) == UP3


def test_a_replacement_of_a_replacement_stands_in_for_the_first_of_them() -> None:
    row = a_row(10, replaces=ResourceId(9))
    assert graph_node(GRAPH, row, True, ResourceId(2)) == UP2
    assert graph_node(GRAPH, row, True, ResourceId(8)) is None


def test_other_rows_have_no_part_in_the_traversal() -> None:
    assert graph_node(GRAPH, a_row(9), True) is None
    assert graph_node(GRAPH, a_row(9, replaces=ResourceId(8)), True) is None
    assert graph_node(GRAPH, a_row(3), False) is None


def _sent(node: Node, **values: object) -> tuple[Arrival, ...]:
    known: dict[str, object] = {"data": DATA, "row_id": ResourceId(1), "replaced_by": None}
    return arrivals(GRAPH, node, **known | values)  # type: ignore[arg-type]  # names its fields


def test_an_update_node_sends_null_to_its_clean_up_and_its_data_to_updates() -> None:
    assert _sent(UP1) == (
        Arrival(CLEAN1, UP1, None),
        Arrival(UP2, UP1, DATA),
        Arrival(UP3, UP1, DATA),
    )


def test_a_clean_up_node_sends_its_row_or_what_replaced_it() -> None:
    assert _sent(CLEAN2, row_id=ResourceId(2)) == (Arrival(CLEAN1, CLEAN2, 2),)
    assert _sent(CLEAN2, row_id=ResourceId(2), replaced_by=ResourceId(7)) == (
        Arrival(CLEAN1, CLEAN2, 7),
    )


def test_a_root_tells_the_stack_without_a_value() -> None:
    assert _sent(UP3) == (Arrival(None, UP3, None),)
    assert _sent(CLEAN1) == (Arrival(None, CLEAN1, None),)


def test_failures_go_with_every_entry() -> None:
    # rules/i-convergence.md#18
    for node in (UP1, UP3):
        for sent in _sent(node, failures={"a": "why"}, skip=True):
            assert (sent.failures, sent.skip) == ({"a": "why"}, True)
        for sent in _sent(node):
            assert (sent.failures, sent.skip) == ({}, False)


def test_heat_left_the_same_values_at_the_same_sync_points(recorded: Sequence[Recorded]) -> None:
    seen = 0
    for scenario in recorded:
        for state in scenario.states:
            for stack in stack_records(state):
                graph = decode_deps(stack.current_deps)
                points = [
                    point
                    for point in sync_point_records(state)
                    if point.traversal_id == stack.current_traversal
                ]
                for point in points:
                    for key, value in entries(point.input_data).items():
                        sender = node_from_key(key)
                        row = state["resource"].get(str(sender.id))
                        woken = (sender.entity, sender.is_update) == (
                            point.entity_id,
                            point.is_update,
                        )
                        if row is None or woken:
                            continue
                        sent = arrivals(
                            graph,
                            sender,
                            data=value if isinstance(value, dict) else None,
                            row_id=row["id"],
                            replaced_by=row["replaced_by"],
                        )
                        values = {_address(one.receiver, stack.id): one.value for one in sent}
                        address = (point.entity_id, point.is_update)
                        assert values[address] == value, (scenario.name, key, address)
                        seen += 1
    assert seen > 500


def _address(receiver: Node | None, stack_id: str) -> tuple[str, bool]:
    return (stack_id, True) if receiver is None else (receiver.entity, receiver.is_update)


def test_the_next_in_a_chain_needs_nothing_else() -> None:
    chain = Graph.from_edges([(UP2, UP1), (UP3, UP2)])
    assert next_in_chain(chain, UP1) == UP2
    assert next_in_chain(chain, UP3) is None
    assert next_in_chain(Graph.from_edges([(UP2, UP1), (UP3, UP1)]), UP1) is None
    assert next_in_chain(Graph.from_edges([(UP3, UP1), (UP3, UP2)]), UP1) is None


def test_in_a_clean_up_what_comes_next_waits_for_its_own_update_too() -> None:
    graph = Graph.from_edges([(UP2, UP1), (CLEAN1, UP1), (CLEAN2, UP2), (CLEAN1, CLEAN2)])
    assert next_in_chain(graph, UP1) == UP2
    assert next_in_chain(graph, UP2) == CLEAN2
    assert next_in_chain(graph, CLEAN2) == CLEAN1
    more = Graph.from_edges([(CLEAN1, UP1), (CLEAN1, CLEAN2), (CLEAN1, Node(3, False))])
    assert next_in_chain(more, CLEAN2) is None
