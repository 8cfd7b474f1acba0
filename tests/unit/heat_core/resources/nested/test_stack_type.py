"""What all types with nested stacks have in common."""

from typing import Any

import pytest

from heat_core.errors import InvalidTemplateAttribute, NotFound
from heat_core.resources import ResourceView
from heat_core.resources.nested import (
    Document,
    StackType,
    Surroundings,
    TemplateResource,
)
from tests.nested_stage import FakeNested, definition_of, members_of, stage

DOCUMENT = {"heat_template_version": "2018-08-31"}


class Plain(StackType):
    """A type with a nested stack of nothing."""

    name = "Plain"

    def child_template(self, at: Surroundings) -> Document:
        return DOCUMENT


PLAIN = Plain(ResourceView(name="n"))


def surroundings() -> Surroundings:
    _, at = stage(
        definition_of({"n": {"type": "inner.yaml"}}, files={"inner.yaml": "", "f": "c"}), "n"
    )
    return at


def test_what_a_type_gets_without_doing_anything() -> None:
    at = surroundings()
    assert PLAIN.child_parameters(at) == {}
    assert PLAIN.child_files(at) == {"inner.yaml": "", "f": "c"}
    assert PLAIN.template_for_parameters(at) == DOCUMENT
    assert PLAIN.timeout_minutes(at) is None
    assert PLAIN.child_environment(at).parameters == {}
    PLAIN.validate_before(at)
    PLAIN.validate_after(at)


def test_what_others_have_looked_up_does_not_go_down() -> None:
    # Many visits share one definition.
    resources = {"n": {"type": "inner.yaml"}, "m": {"type": "other.yaml"}}
    definition = definition_of(resources, files={"inner.yaml": "", "other.yaml": ""})
    definition.template.environment.registry.find("other.yaml", "m")
    _, at = stage(definition, "n")
    noted = PLAIN.child_environment(at).registry.as_dict()
    assert noted == {"resources": {}, "inner.yaml": "inner.yaml"}


def test_the_nested_template_is_made_within_the_check() -> None:
    made: list[Any] = []
    PLAIN.validate_child(surroundings(), lambda make: made.append(make()))
    assert made == [DOCUMENT]


def test_a_type_has_to_say_what_it_consists_of() -> None:
    with pytest.raises(NotImplementedError):
        StackType(ResourceView(name="n")).child_template(surroundings())


def test_what_get_resource_gives() -> None:
    there = ResourceView(
        name="n", project_id="p", stack_name="s", physical_name="s-n-x", physical_id="nested"
    )
    assert PLAIN.reference_id() == "n"
    assert Plain(there).reference_id() == "nested"
    template = TemplateResource(there)
    assert template.reference_id() == "arn:openstack:heat::p:stacks/s-n-x/nested"
    assert TemplateResource(ResourceView(name="n")).reference_id() == "n"


async def test_attributes_are_outputs() -> None:
    at = surroundings()
    nested = FakeNested({"o": {"k": 1}})
    assert await PLAIN.read_attribute(nested, at, "o", "k") == 1
    assert await PLAIN.read_attribute(None, at, "o") is None
    with pytest.raises(InvalidTemplateAttribute):
        await PLAIN.read_attribute(nested, at, "x")


async def test_members() -> None:
    nested = FakeNested(members=members_of("a", failed="a"), attributes={"a": {"x": [1, 2]}})
    assert await PLAIN.read_member(nested, "a") == "ref-a"
    assert await PLAIN.read_member(nested, "a", "x", 1) == 2
    assert await PLAIN.read_member_key(nested, "resource.a.x", 0) == 1
    assert await PLAIN.read_member(None, "a") is None
    with pytest.raises(NotFound, match="Member 'b' not found in group resource 'n'"):
        await PLAIN.read_member(nested, "b")
