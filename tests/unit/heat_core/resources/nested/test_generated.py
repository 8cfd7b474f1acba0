"""Generated templates."""

from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from heat_core.resources.nested.generated import (
    CFN_CALLS,
    HOT_CALLS,
    Rendered,
    cfn_document,
    changed_members,
    definitions_of,
    hot_document,
    output_name,
    rendered,
    split_member_key,
)

OLD = [(name, {"type": "T", "properties": {"v": "old"}}) for name in ("a", "b", "c")]
NEW: dict[str, Any] = {"type": "T", "properties": {"v": "new"}}


def changed(size: int, updates: int, old: Any = OLD) -> list[tuple[str, Rendered]]:
    numbers = count(1)
    return list(
        changed_members(old, NEW, size=size, updates=updates, new_name=lambda: f"n{next(numbers)}")
    )


def test_what_is_not_given_is_left_out() -> None:
    assert rendered("T") == {"type": "T"}
    assert rendered("T", properties={}, metadata={"a": 1}, depends_on=["x"]) == {
        "type": "T",
        "properties": {},
        "metadata": {"a": 1},
        "depends_on": ["x"],
    }


def test_a_hot_template() -> None:
    members = [("a", rendered("T", depends_on=["b"])), ("b", rendered("T", depends_on=["a"]))]
    assert hot_document(members, {"o": HOT_CALLS.get_attr("a", "x", 0)}) == {
        "heat_template_version": "2015-04-30",
        "resources": {
            "a": {"type": "T", "depends_on": []},
            "b": {"type": "T", "depends_on": ["a"]},
        },
        "outputs": {"o": {"value": {"get_attr": ["a", "x", 0]}}},
    }
    assert hot_document([], {}) == {"heat_template_version": "2015-04-30"}


def test_a_cfn_template() -> None:
    members = [
        ("a", {**rendered("T", metadata={}, depends_on=["z"]), "deletion_policy": "Retain"}),
        ("b", rendered("T", depends_on=["a"])),
        ("c", rendered("T", depends_on=["a", "b"])),
    ]
    assert cfn_document(members, {"o": CFN_CALLS.get_resource("a")}) == {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Resources": {
            "a": {"Type": "T", "Metadata": {}, "DeletionPolicy": "Retain"},
            "b": {"Type": "T", "DependsOn": "a"},
            "c": {"Type": "T", "DependsOn": ["a", "b"]},
        },
        "Outputs": {"o": {"Value": {"Ref": "a"}}},
    }


def test_definitions_are_read_back_as_they_were_rendered() -> None:
    members = [("a", rendered("OS::Heat::Value", properties={"value": {"x": [1]}}, metadata={}))]
    for document in (hot_document(members, {}), cfn_document(members, {})):
        assert definitions_of(document) == dict(members)


def test_the_oldest_leave_and_new_ones_come_last() -> None:
    assert [name for name, _ in changed(2, 0)] == ["b", "c"]
    assert changed(4, 1) == [*OLD, ("n1", NEW)]
    assert changed(0, 0) == []


def test_as_many_members_change_as_may() -> None:
    assert [one["properties"]["v"] for _, one in changed(3, 2)] == ["new", "new", "old"]
    # A new member is one of the changes.
    assert [one["properties"]["v"] for _, one in changed(4, 2)] == ["new", "old", "old", "new"]
    # A member that has the definition already is none.
    mixed = [("a", NEW), *OLD[1:]]
    assert [one["properties"]["v"] for _, one in changed(3, 1, mixed)] == ["new", "new", "old"]


@given(st.integers(0, 8), st.integers(0, 8))
def test_a_change_never_changes_too_much(size: int, updates: int) -> None:
    members = changed(size, updates)
    assert len(members) == size
    assert len({name for name, _ in members}) == size
    added = max(size - len(OLD), 0)
    assert sum(one == NEW for _, one in members) == min(max(updates, added), size)


def test_names_of_outputs_and_members() -> None:
    assert output_name(["value", "k", 0]) == "value, k, 0"
    assert split_member_key("resource.a") == ("a", [])
    assert split_member_key("resource.a.b.c") == ("a", ["b.c"])
