"""What scaling groups have in common."""

from collections.abc import Iterator, Sequence
from typing import Any

from heat_core.errors import NotFound
from heat_core.resources import ResourceView
from heat_core.resources.nested import Batch, Members, Surroundings
from heat_core.resources.nested.scaling_type import ScalingType
from tests.nested_stage import FakeNested, definition_of, members_of, stage


class Group(ScalingType):
    """Three members of nothing."""

    name = "G"

    def initial_size(self, at: Surroundings) -> int:
        return 3

    def member_definition(self, at: Surroundings) -> dict[str, Any]:
        return {"type": "OS::Heat::None"}

    def outputs(self, at: Surroundings, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
        yield "names", list(names)


GROUP = Group(ResourceView(name="g"))


def surroundings() -> Surroundings:
    _, at = stage(definition_of({"n": {"type": "inner.yaml"}}), "n")
    return at


def test_a_new_group() -> None:
    template = GROUP.child_template(surroundings())
    names = ["newmember001", "newmember002", "newmember003"]
    assert list(template["resources"]) == names
    assert template["outputs"] == {"names": {"value": names}}
    assert list(GROUP.template_for_parameters(surroundings())["resources"]) == ["newmember001"]


def test_a_group_does_not_grow_by_a_rolling_update() -> None:
    members = members_of("a", "b", "c", failed="a")
    assert GROUP.batches(9, members, 2, 0) == [Batch(3, 2), Batch(3, 1)]
    assert GROUP.batches(None, members, 3, 0) == [Batch(3, 3)]
    assert GROUP.batches(2, members, 3, 0) == [Batch(2, 2)]
    assert GROUP.batches(2, Members(), 3, 0) == []


async def test_values_by_member() -> None:
    members = members_of("b", "a", "c", failed="c")
    nested = FakeNested({"o": {"a": 1, "b": 2, "c": 3, "z": 4}}, members)
    assert await GROUP.member_values(nested, "o", ("x",)) == {"b": 2, "a": 1}
    nested = FakeNested({"o": {"a": 1}}, members)
    assert await GROUP.member_values(nested, "o", ("x",)) == {"a": 1}
    nested = FakeNested({"o": NotFound()}, members, {"a": {"x": 1}, "b": {"x": 2}})
    assert await GROUP.member_values(nested, "o", ("x",)) == {"b": 2, "a": 1}
    assert await GROUP.member_values(nested, "gone", ()) == {"b": "ref-b", "a": "ref-a"}
