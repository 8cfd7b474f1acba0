"""OS::Heat::AutoScalingGroup."""

from typing import Any

import pytest

from heat_core.errors import InvalidTemplateAttribute, NotFound, RequestLimitExceeded
from heat_core.procedure import UpdateChild
from heat_core.resources.nested import Batch
from tests.nested_stage import (
    FakeNested,
    Stage,
    definition_of,
    members_of,
    stage,
    validation_text,
)

NEW = {"type": "OS::Heat::Value", "properties": {"value": "new"}}
OLD = {"type": "OS::Heat::Value", "properties": {"value": "old"}}


def group(properties: Any = None, /, outputs: Any = (), **more: Any) -> Any:
    shown = {f"o{key}": {"value": {"get_attr": ["g", *key]}} for key in outputs}
    resource = {
        "type": "OS::Heat::AutoScalingGroup",
        "properties": {"min_size": 1, "max_size": 5, "resource": NEW, **(properties or {})},
    }
    return stage(definition_of({"g": resource}, outputs=shown), **more)


def values(template: Any) -> dict[str, str]:
    return {name: one["properties"]["value"] for name, one in template.get("resources", {}).items()}


def old_members(*names: str, failed: str = "") -> Any:
    template = {
        "heat_template_version": "2015-04-30",
        "resources": dict.fromkeys(names, OLD),
    }
    return members_of(*names, template=template, failed=failed)


def test_a_new_group_has_the_wanted_size_else_the_least() -> None:
    made, at = group({"min_size": 2})
    assert list(values(made.child_template(at))) == ["newmember001", "newmember002"]
    made, at = group({"desired_capacity": 3})
    assert len(values(made.child_template(at))) == 3
    made, at = group({"desired_capacity": 3})
    assert len(values(made.template_for_parameters(at))) == 1


def test_members_get_names_made_up_for_them() -> None:
    made, at = group(new_name=iter(["abc"]).__next__)
    assert made.child_template(at) == {
        "heat_template_version": "2015-04-30",
        "resources": {"abc": NEW},
        "outputs": {"refs_map": {"value": {"abc": {"get_resource": "abc"}}}},
    }


def test_failed_and_old_members_leave_first() -> None:
    made, at = group(exists=True, members=old_members("a", "b", "c", failed="b"))
    assert values(made.resized(at, 2)) == {"a": "old", "c": "old"}
    assert values(made.resized(at, 1)) == {"c": "old"}
    assert values(made.resized(at, 4)) == {
        "b": "old",
        "a": "old",
        "c": "old",
        "newmember001": "new",
    }
    assert values(made.resized(at, 3, updates=2)) == {"b": "new", "a": "new", "c": "old"}
    with pytest.raises(RequestLimitExceeded):
        made.resized(at, 1001)


def test_the_definition_of_members() -> None:
    written = {
        **NEW,
        "metadata": {"a": 1},
        "deletion_policy": "Retain",
        "update_policy": {"u": 1},
        "description": "not kept",
        "zz": "not looked at",
        "depends_on": "gone",
    }
    made, at = group({"resource": written})
    assert made.child_template(at)["resources"]["newmember001"] == {
        **NEW,
        "metadata": {"a": 1},
        "deletion_policy": "Retain",
        "update_policy": {"u": 1},
        "depends_on": [],
    }


@pytest.mark.parametrize(
    ("written", "error", "text"),
    [
        ({"properties": {}}, KeyError, 'Resource member is missing "type"'),
        ({"type": 5}, TypeError, "Resource member type type must be string"),
        ({**NEW, "properties": []}, TypeError, "Resource member properties type must be object"),
    ],
)
def test_definitions_that_are_wrong(written: Any, error: Any, text: str) -> None:
    made, at = group({"resource": written})
    with pytest.raises(error, match=text):
        made.child_template(at)


def test_outputs_are_maps_of_the_members() -> None:
    made, at = group(
        outputs=[
            ("outputs", "v", "k"),
            ("outputs_list", "w"),
            ("outputs",),
            ("current_size",),
            ("resource.0",),
            ("resource.1.x", "y"),
        ]
    )
    assert dict(made.outputs(at, ["m"])) == {
        "outputs, v, k": {"m": {"get_attr": ["m", "v", "k"]}},
        "outputs, w": {"m": {"get_attr": ["m", "w"]}},
        "outputs, x, y": {"m": {"get_attr": ["m", "x", "y"]}},
        "refs_map": {"m": {"get_resource": "m"}},
    }


def test_the_environment_names_the_type_of_instances() -> None:
    made, at = group()
    assert made.child_environment(at).registry.as_dict() == {
        "OS::Heat::ScaledResource": "AWS::EC2::Instance",
        "resources": {},
    }


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"min_size": 3, "max_size": 2}, "MinSize can not be greater than MaxSize"),
        ({"desired_capacity": 9}, "DesiredCapacity must be between MinSize and MaxSize"),
        ({"min_size": "x"}, "ValueError: resources.g: "),
        (
            {"resource": {"type": "OS::Heat::Value", "properties": {"zz": 1}}},
            "Property error: resources.g<nested_stack>.resources.newmember001.properties: ",
        ),
        ({"resource": {"type": 5}}, "TypeError: resources.g<nested_stack>: Resource member type"),
        ({}, ""),
    ],
)
def test_checks(properties: Any, text: str) -> None:
    _, at = group(properties)
    found = validation_text(at.definition).removeprefix("StackValidationFailed: ")
    assert found.startswith(text)
    assert bool(found) is bool(text)


def test_sizes_and_batches_of_an_update() -> None:
    made, at = group(
        {"desired_capacity": 2, "rolling_updates": {"max_batch_size": 2, "min_in_service": 1}},
        exists=True,
        members=old_members("a", "b", "c"),
    )
    assert made.capacity(at) == 2
    assert made.update_batches(at) == [Batch(3, 2), Batch(2, 0)]
    made, at = group(exists=True, members=old_members("a", "b", "c", failed="a"))
    assert made.capacity(at) == 2  # as many as work
    assert [one.capacity for one in made.update_batches(at)] == [3, 3, 3]


def test_files_of_older_definitions_stay() -> None:
    made, at = group()
    assert set(made.child_files(at, {"earlier": "x"})) == {"earlier", "inner.yaml"}


# --- attributes ----------------------------------------------------------------------------------

MEMBERS = members_of("b", "a", "c", failed="c")
ATTRIBUTES = {name: {"v": {"k": f"v{name}"}} for name in "abc"}
OUTPUTS = {
    "refs_map": {name: f"ref-{name}" for name in "abc"},
    "outputs, v, k": {name: f"v{name}" for name in "abc"},
}
READS: list[tuple[tuple[Any, ...], Any]] = [
    (("current_size",), 2),
    (("refs",), ["ref-b", "ref-a"]),
    (("outputs", "v", "k"), {"b": "vb", "a": "va"}),
    (("outputs_list", "v", "k"), ["vb", "va"]),
    (("resource.0",), "ref-b"),
    (("resource.1.v", "k"), "va"),
    (("resource.1", "v", "k"), "va"),
]


@pytest.mark.parametrize(("key", "expected"), READS)
async def test_attributes_from_outputs_and_from_members(
    key: tuple[Any, ...], expected: Any
) -> None:
    made, at = group(exists=True)
    for outputs in (OUTPUTS, {}):
        nested = FakeNested(outputs, MEMBERS, ATTRIBUTES)
        assert await made.read_attribute(nested, at, *key) == expected


async def test_references_are_physical_ids_when_no_output_has_them() -> None:
    made, at = group(exists=True)
    assert await made.read_attribute(FakeNested(OUTPUTS, MEMBERS), at, "refs_map") == {
        "b": "ref-b",
        "a": "ref-a",
    }
    assert await made.read_attribute(FakeNested({}, MEMBERS), at, "refs_map") == {
        "b": "id-b",
        "a": "id-a",
    }


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (("current_size",), 0),
        (("refs",), []),
        (("refs_map",), {}),
        (("outputs", "v"), {}),
        (("outputs_list", "v"), []),
    ],
)
async def test_attributes_of_a_group_that_is_not_there(key: Any, expected: Any) -> None:
    made, at = group()
    assert await made.read_attribute(None, at, *key) == expected
    with pytest.raises(NotFound):
        await made.read_attribute(None, at, "resource.0")


async def test_what_cannot_be_read() -> None:
    made, at = group(exists=True)
    for outputs in (OUTPUTS, {}):
        nested = FakeNested(outputs, MEMBERS, ATTRIBUTES)
        for key in (("outputs",), ("outputs_list",), ("zz",), ("v", "k")):
            with pytest.raises(InvalidTemplateAttribute):
                await made.read_attribute(nested, at, *key)
        with pytest.raises(NotFound, match="Member '7' not found in group resource 'g'"):
            await made.read_attribute(nested, at, "resource.7")
        with pytest.raises(ValueError, match="invalid literal for int"):
            await made.read_attribute(nested, at, "resource.a")


# --- actions -------------------------------------------------------------------------------------


def acting(properties: Any = None, /, **more: Any) -> Stage:
    _, at = group(properties)
    return Stage(at.definition, **more)


def test_new_members_get_names_of_their_own() -> None:
    stage = acting({"desired_capacity": 2})
    stage.create()
    assert stage.steps == [["new0", "new1"]]


def test_an_update_gives_the_wanted_size() -> None:
    stage = acting({"desired_capacity": 3}, members=old_members("a", "b"))
    stage.update("desired_capacity")
    assert stage.steps == [["a", "b", "new0"]]
    stage.update("desired_capacity")
    assert stage.steps[1:] == [["a", "b", "new0"]]


def test_an_update_without_a_wanted_size_keeps_to_the_bounds() -> None:
    stage = acting({"min_size": 1, "max_size": 2}, members=old_members("a", "b", "c"))
    stage.update("max_size")
    assert stage.steps == [["b", "c"]]


def test_members_change_in_batches_before_the_size_does() -> None:
    stage = acting(
        {"desired_capacity": 3, "rolling_updates": {"max_batch_size": 1, "pause_time": 2}},
        members=old_members("a", "b"),
    )
    stage.update("resource", "desired_capacity")
    documents = [one.document for one in stage.requests if isinstance(one, UpdateChild)]
    assert [values(document) for document in documents] == [
        {"a": "new", "b": "old"},
        {"a": "new", "b": "new"},
        {"a": "new", "b": "new", "new0": "new"},
    ]
    assert stage.steps[1] == 2


def test_what_a_new_definition_leaves_undone_another_engine_does() -> None:
    half = {"heat_template_version": "2015-04-30", "resources": {"a": NEW, "b": OLD}}
    stage = acting(members=members_of("a", "b", template=half))
    stage.update("resource")
    assert values(stage.members.template) == {"a": "new", "b": "new"}  # type: ignore[union-attr]  # it has members
