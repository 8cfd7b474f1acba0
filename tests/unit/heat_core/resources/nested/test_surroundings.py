"""What nested stacks are made from."""

import itertools

from heat_core.resources.nested import Member, Members, numbered_names
from tests.nested_stage import definition_of, members_of, stage

GROUP = {
    "type": "OS::Heat::ResourceGroup",
    "properties": {"count": 1, "resource_def": {"type": "OS::Heat::None"}},
    "update_policy": {"rolling_update": {"max_batch_size": 2}},
}


def test_members_are_ordered_by_failure_age_and_name() -> None:
    members = Members.of(
        [
            Member("b", created_at=1),
            Member("a", created_at=1),
            Member("d", "FAILED", created_at=9),
            Member("c", created_at=0),
        ]
    )
    assert members.names(failed=True) == ["d", "c", "a", "b"]
    assert members.names(failed=False) == ["c", "a", "b"]
    assert (members.size(failed=True), members.size()) == (4, 3)


def test_a_member_by_its_reference() -> None:
    members = members_of("a", "b")
    assert members.named_by_reference("ref-b") == "b"
    assert members.named_by_reference("b") is None


def test_definitions_of_members_come_from_the_nested_template() -> None:
    assert members_of("a").definitions(failed=True) == []
    template = {
        "heat_template_version": "2015-04-30",
        "resources": {"b": {"type": "OS::Heat::None"}, "a": {"type": "OS::Heat::None"}},
    }
    members = members_of("a", "gone", "b", template=template, failed="b")
    assert members.definitions(failed=True) == [
        ("b", {"type": "OS::Heat::None"}),
        ("a", {"type": "OS::Heat::None"}),
    ]
    assert members.definitions(failed=False) == [("a", {"type": "OS::Heat::None"})]


def test_names_for_looking_at_members() -> None:
    assert list(itertools.islice(numbered_names(), 2)) == ["newmember001", "newmember002"]
    _, at = stage(definition_of({"g": GROUP}))
    assert [at.new_name(), at.new_name()] == ["newmember001", "newmember002"]


def test_attributes_that_the_parent_reads() -> None:
    definition = definition_of(
        {
            "g": GROUP,
            "v": {
                "type": "OS::Heat::Value",
                "properties": {"value": {"get_attr": ["g", "refs", 0]}},
            },
        },
        outputs={"o": {"value": {"get_attr": ["g", "refs_map"]}}},
    )
    _, at = stage(definition)
    assert at.referenced == (("refs", 0), ("refs_map",))
    _, at = stage(definition, attributes_read=["x", ("y", 1)])
    assert at.referenced == (("x",), ("y", 1))


def test_the_update_policy() -> None:
    _, at = stage(definition_of({"g": GROUP}))
    assert at.update_policy["rolling_update"] == {
        "min_in_service": 0,
        "max_batch_size": 2,
        "pause_time": 0,
    }
    assert at.update_policy["batch_create"] is None
