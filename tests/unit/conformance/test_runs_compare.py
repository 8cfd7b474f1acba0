"""The comparison of runs finds what differs, and only that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.conformance.runs_compare import Run, differences
from tests.conformance.runs_labels import View

ROW: dict[str, Any] = {
    "action": "CREATE",
    "status": "COMPLETE",
    "status_reason": "state changed",
    "locked": False,
    "atomic_key": 2,
    "current_template_id": 1,
    "replaces": None,
    "replaced_by": None,
    "requires": frozenset(),
    "needed_by": "[]",
    "physical_id": "st-a-*",
    "metadata": "{}",
    "has_props": 1,
    "has_attrs": 0,
    "has_root": True,
}
STACK: dict[str, Any] = {
    "action": "UPDATE",
    "status": "IN_PROGRESS",
    "status_reason": "Stack UPDATE started",
    "raw_template_id": 2,
    "prev_raw_template_id": 1,
    "current_traversal": "one",
    "current_deps": frozenset({("a-", "a+"), ("b+", "a+"), ("b-", "b+")}),
    "convergence": 1,
    "has_updated_at": 1,
    "is_deleted": False,
}
DONE = {**STACK, "status": "COMPLETE", "status_reason": "Stack UPDATE completed successfully"}
CLAIMED = {**ROW, "action": "UPDATE", "status": "IN_PROGRESS", "locked": True, "atomic_key": 3}
UPDATED = {**ROW, "action": "UPDATE", "atomic_key": 4, "current_template_id": 2}
EVENT = ("UPDATE", "COMPLETE", "state changed", "st-a-*", "OS::Heat::TestResource")


def a_point(**entries: Any) -> dict[str, Any]:
    named = {{"A": "a+", "B": "b+", "C": "c-"}[name]: value for name, value in entries.items()}
    return {"entries": named, "extra_data": {}, "atomic_key": len(entries)}


def a_run(*rows: dict[str, Any], **fields: Any) -> Run:
    views = [
        View(STACK, {"a": ROW}, {"b+": a_point()}),
        *(View(STACK, {"a": row}, {"b+": a_point()}) for row in rows),
        View(STACK, {"a": UPDATED}, {"b+": a_point(A=None)}),
        View(DONE, {"a": UPDATED}, {}),
    ]
    stack_events = [
        ("UPDATE", "IN_PROGRESS", "Stack UPDATE started"),
        ("UPDATE", "COMPLETE", "Stack UPDATE completed successfully"),
    ]
    values: dict[str, Any] = {
        "views": views,
        "final": views[-1],
        "events": {"a": [EVENT], "st": stack_events},
        "casts": ["a+", "b+ a+=None"],
        "stack_name": "st",
    }
    return Run(**values | fields)


def with_points(*points: dict[str, Any]) -> Run:
    """A run whose sync point of the stack goes through these states."""
    views = [View(STACK, {"a": ROW}, {"stack": point}) for point in points]
    return a_run(views=[*views, a_run().views[-1]])


def found(theirs: Run, ours: Run) -> list[str]:
    return list(differences(theirs, ours))


def test_equal_runs_have_no_differences() -> None:
    assert found(a_run(CLAIMED), a_run(CLAIMED)) == []


def test_a_state_that_nobody_saw_may_be_there() -> None:
    assert found(a_run(), a_run(CLAIMED)) == []


def test_keys_may_be_ahead_from_the_beginning() -> None:
    def later(row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "atomic_key": row["atomic_key"] + 5}

    mine = a_run(CLAIMED)
    moved = [replace(one, rows={"a": later(one.rows["a"])}) for one in mine.views]
    assert found(a_run(CLAIMED), replace(mine, views=moved, final=moved[-1])) == []


@pytest.mark.parametrize(
    ("ours", "text"),
    [
        (a_run(), "row a: "),
        (a_run({**CLAIMED, "locked": False}), "row a: "),
        (a_run({**CLAIMED, "atomic_key": 4}), "row a: "),
        (a_run(CLAIMED, {**UPDATED, "status": "FAILED"}), "row a: with key 4"),
        (a_run({**CLAIMED, "requires": frozenset({"b"})}), "row a.requires: "),
        (a_run(CLAIMED, events={"a": [], "st": a_run().events["st"]}), "events of a: "),
        (a_run(CLAIMED, casts=["a+"]), "message not sent: b+"),
        (a_run(CLAIMED, casts=["a+", "a+", "b+ a+=None"]), "message too much: a+"),
        (a_run(CLAIMED, final=replace(a_run().final, rows={})), "row a: is gone at the end"),
        (a_run(CLAIMED, views=[]), "our stack never was"),
    ],
)
def test_what_differs_is_told(ours: Run, text: str) -> None:
    told = found(a_run(CLAIMED), ours)
    assert any(line.startswith(text) for line in told), told


def test_the_stack_goes_through_exactly_what_its_events_say() -> None:
    failed = {**STACK, "status": "FAILED", "status_reason": "no"}
    mine = a_run(CLAIMED)
    views = [*mine.views[:-1], replace(mine.views[-1], stack=failed), mine.views[-1]]
    (told,) = found(a_run(CLAIMED), replace(mine, views=views))
    assert told.startswith("stack: ")


def test_arrivals_may_come_together_and_unordered_ones_in_any_order() -> None:
    theirs = with_points(a_point(), a_point(A=1), a_point(A=1, C=2))
    assert found(theirs, with_points(a_point(), a_point(A=1, C=2))) == []
    assert found(theirs, with_points(a_point(), a_point(C=2), a_point(A=1, C=2))) == []


def test_arrivals_that_the_graph_orders_come_in_that_order() -> None:
    theirs = with_points(a_point(), a_point(A=1), a_point(A=1, B=2))
    ours = with_points(a_point(), a_point(B=2), a_point(A=1, B=2))
    (told,) = found(theirs, ours)
    assert "the graph orders them" in told


def test_sync_points_have_the_same_entries() -> None:
    theirs = with_points(a_point(), a_point(A=1))
    assert any("became" in line for line in found(theirs, with_points(a_point(), a_point(A=2))))
    assert any("became" in line for line in found(theirs, with_points(a_point())))
    missing = a_run(views=[View(STACK, {"a": ROW}, {}), a_run().views[-1]])
    assert "sync point stack of traversal 0: missing" in found(theirs, missing)
