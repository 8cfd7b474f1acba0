"""Names that are not used again."""

from itertools import islice

from heat_core.resources.nested import Member, Members
from heat_core.resources.nested.removal import (
    RemovedNames,
    newly_removed,
    removed_names,
    stored_names,
    unused_names,
)

MEMBERS = Members.of([Member("0", reference_id="r0"), Member("1", "FAILED", reference_id="r1")])


def test_names_as_they_are_stored() -> None:
    assert stored_names({}) == []
    assert stored_names({"name_blacklist": ""}) == []
    assert stored_names({"name_blacklist": "3,1"}) == ["3", "1"]


def test_entries_of_a_policy() -> None:
    policies = [{"resource_list": ["0", 1, "r0", "r9", "7", True]}]
    found = list(newly_removed(policies, ["7"], exists=True, members=MEMBERS))
    assert found == ["0", "1", "0", "7"]


def test_before_there_is_a_group_every_entry_counts() -> None:
    policies = [{"resource_list": ["5"]}, {"resource_list": []}]
    assert list(newly_removed(policies, [], exists=False, members=Members())) == ["5"]


def test_new_names_are_added_or_take_the_place_of_stored_ones() -> None:
    assert removed_names(["1"], ["3"], replaces_stored=False) == RemovedNames(
        frozenset({"1", "3"}), "1,3"
    )
    assert removed_names(["1"], ["3"], replaces_stored=True) == RemovedNames(frozenset({"3"}), "3")
    assert removed_names(["1"], [], replaces_stored=False) == RemovedNames(frozenset({"1"}))
    assert removed_names(["1"], [], replaces_stored=True) == RemovedNames(frozenset(), "")


def test_names_for_members() -> None:
    assert list(islice(unused_names(frozenset({"0", "2"})), 3)) == ["1", "3", "4"]
