"""Which row stands for a resource of the template (rules/h-updates.md#1-4)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_states import Recorded, preparations
from rows import NOW, OLD_TEMPLATE, TEMPLATE, a_row

from heat_core.convergence import Selection, decode_deps, is_gone, score, select_rows
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.records import ResourceRecord
from heat_core.stack.states import Action, Status

OTHER = TemplateId(99)


def select(names: Sequence[str], rows: Sequence[ResourceRecord]) -> Selection:
    return select_rows(names, rows, template_id=TEMPLATE, previous_template_id=OLD_TEMPLATE)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"current_template_id": OTHER}, 0),
        ({"current_template_id": None}, 0),
        ({"current_template_id": TEMPLATE}, 10),
        ({"current_template_id": OLD_TEMPLATE}, 5),
        ({"current_template_id": OTHER, "status": Status.FAILED}, -30),
        ({"current_template_id": OTHER, "status": Status.IN_PROGRESS}, 0),
        ({"current_template_id": OTHER, "action": Action.DELETE}, -50),
        ({"current_template_id": OTHER, "replaced_by": ResourceId(7)}, -1),
        ({"current_template_id": TEMPLATE, "replaced_by": ResourceId(7)}, 9),
        ({"current_template_id": TEMPLATE, "status": Status.FAILED}, -20),
        (
            {
                "current_template_id": OLD_TEMPLATE,
                "action": Action.DELETE,
                "status": Status.FAILED,
                "replaced_by": ResourceId(7),
            },
            -76,
        ),
    ],
)
def test_score(fields: dict[str, Any], expected: int) -> None:
    row = a_row(**fields)
    assert score(row, template_id=TEMPLATE, previous_template_id=OLD_TEMPLATE) == expected


def test_without_a_previous_template_nothing_matches_it() -> None:
    row = a_row(current_template_id=None)
    assert score(row, template_id=TEMPLATE, previous_template_id=None) == 0


def test_a_template_that_is_new_and_previous_counts_as_both() -> None:
    row = a_row(current_template_id=TEMPLATE)
    assert score(row, template_id=TEMPLATE, previous_template_id=TEMPLATE) == 15


@pytest.mark.parametrize(
    ("action", "status", "gone"),
    [
        (Action.DELETE, Status.COMPLETE, True),
        (Action.DELETE, Status.FAILED, False),
        (Action.DELETE, Status.IN_PROGRESS, False),
        (Action.CREATE, Status.COMPLETE, False),
    ],
)
def test_gone_is_delete_complete(action: Action, status: Status, gone: bool) -> None:
    assert is_gone(a_row(action=action, status=status)) is gone


def test_the_row_of_the_previous_template_beats_its_failed_replacement() -> None:
    # The rollback of an update that replaced "a" and failed: back to the old row.
    old = a_row(1, current_template_id=TEMPLATE, replaced_by=ResourceId(2))
    replacement = a_row(2, current_template_id=OLD_TEMPLATE, status=Status.FAILED)
    assert select(["a"], [old, replacement]).chosen == {"a": 1}


def test_rows_that_are_gone_are_not_chosen() -> None:
    gone = a_row(1, action=Action.DELETE, current_template_id=TEMPLATE)
    assert select(["a"], [gone]) == Selection({}, ("a",))


def test_a_row_that_failed_to_delete_is_better_than_none() -> None:
    assert select(["a"], [a_row(1, action=Action.DELETE, status=Status.FAILED)]).chosen == {"a": 1}


def test_a_tie_goes_to_the_row_that_changed_last() -> None:
    later = NOW + timedelta(seconds=1)
    changed = a_row(1, updated_at=later)
    untouched = a_row(2, created_at=NOW, updated_at=None)
    assert select(["a"], [changed, untouched]).chosen == {"a": 1}
    assert select(["a"], [untouched, changed]).chosen == {"a": 1}


def test_without_any_time_a_tie_goes_to_the_higher_id() -> None:
    rows = [a_row(index, created_at=None) for index in (2, 3, 1)]
    assert select(["a"], rows).chosen == {"a": 3}


def test_new_rows_are_inserted_dependencies_last() -> None:
    assert select(["a", "b", "c"], [a_row(1, name="b")]).missing == ("c", "a")


def test_rows_of_names_that_the_template_lacks_are_left_alone() -> None:
    assert select(["a"], [a_row(1), a_row(2, name="removed")]).chosen == {"a": 1}


_ROWS = st.builds(
    a_row,
    st.integers(1, 50),
    name=st.sampled_from("abc"),
    action=st.sampled_from([Action.CREATE, Action.UPDATE, Action.DELETE]),
    status=st.sampled_from(Status),
    replaced_by=st.sampled_from([None, ResourceId(7)]),
    current_template_id=st.sampled_from([OTHER, OLD_TEMPLATE, TEMPLATE]),
)


@given(st.lists(_ROWS, max_size=8, unique_by=lambda row: row.id), st.randoms())
def test_the_choice_does_not_depend_on_the_order_of_the_rows(
    rows: list[ResourceRecord], random: Any
) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    selection = select("abc", rows)
    assert select("abc", shuffled) == selection
    by_id = {row.id: row for row in rows}
    for name, chosen in selection.chosen.items():
        best = max(
            score(row, template_id=TEMPLATE, previous_template_id=OLD_TEMPLATE)
            for row in rows
            if row.name == name and not is_gone(row)
        )
        row = by_id[chosen]
        assert row.name == name
        assert score(row, template_id=TEMPLATE, previous_template_id=OLD_TEMPLATE) == best
    assert {*selection.chosen, *selection.missing} == set("abc")


def test_heat_chose_the_same_rows(recorded: Sequence[Recorded]) -> None:
    seen = 0
    for scenario in recorded:
        for at in preparations(scenario):
            graph = decode_deps(at.stack.current_deps)
            names = {row.id: row.name for row in at.rows}
            ids = {names[ResourceId(int(n.id))]: n.id for n in graph if n.is_update}
            order = Graph.from_edges(
                (names[ResourceId(int(node.id))], name)
                for node in graph
                if node.is_update
                for name in [names[ResourceId(int(n.id))] for n in graph.requires(node)] or [None]
            ).topological()
            selection = select_rows(
                order,
                at.existing,
                template_id=at.stack.raw_template_id,
                previous_template_id=at.stack.prev_raw_template_id,
            )
            existing = {row.id for row in at.existing}
            assert selection.chosen == {n: i for n, i in ids.items() if i in existing}, at.scenario
            assert {*selection.missing} == {n for n, i in ids.items() if i not in existing}
            seen += 1
    assert seen > 20


def test_heat_inserted_what_needs_others_first(recorded: Sequence[Recorded]) -> None:
    create = next(one for one in recorded if one.name.startswith("create: a -> (b, c) -> d"))
    (at,) = preparations(create)
    inserted = [row.name for row in sorted(at.rows, key=lambda row: row.id)]
    assert inserted[0] == "d"
    assert inserted[-1] == "a"
    missing = select_rows(
        ["a", "b", "c", "d"], [], template_id=TemplateId(1), previous_template_id=None
    ).missing
    assert (missing[0], missing[-1]) == ("d", "a")
