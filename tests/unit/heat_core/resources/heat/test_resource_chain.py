"""OS::Heat::ResourceChain."""

from typing import Any

import pytest

from heat_core.errors import InvalidTemplateAttribute, NotFound
from tests.nested_stage import FakeNested, definition_of, members_of, stage, validation_text

NONE = "OS::Heat::None"


def chain(properties: Any, outputs: Any = (), **more: Any) -> Any:
    shown = {f"o{key}": {"value": {"get_attr": ["g", *key]}} for key in outputs}
    definition = definition_of(
        {"g": {"type": "OS::Heat::ResourceChain", "properties": properties}}, outputs=shown
    )
    return stage(definition, **more)


def needs(properties: Any, **more: Any) -> list[Any]:
    made, at = chain(properties, **more)
    resources = made.child_template(at)["resources"]
    return [resources[name].get("depends_on") for name in sorted(resources)]


def test_each_waits_for_the_one_before() -> None:
    properties = {"resources": [NONE] * 3, "concurrent": False}
    assert needs(properties, active_engines=5) == [None, ["0"], ["1"]]


def test_concurrent_ones_wait_for_as_many_places_as_there_are_engines() -> None:
    properties = {"resources": [NONE] * 4, "concurrent": True}
    assert needs(properties, active_engines=2) == [None, None, ["0"], ["1"]]
    assert needs(properties, active_engines=0) == [None, ["0"], ["1"], ["2"]]


def test_all_have_the_same_properties() -> None:
    made, at = chain({"resources": [NONE, "a.yaml"], "resource_properties": {"x": 1}})
    assert made.child_template(at)["resources"] == {
        "0": {"type": NONE, "properties": {"x": 1}},
        "1": {"type": "a.yaml", "properties": {"x": 1}, "depends_on": ["0"]},
    }


def test_outputs_for_what_is_read() -> None:
    made, at = chain(
        {"resources": [NONE, NONE]},
        outputs=[
            ("refs", 0),
            ("attributes", "v"),
            ("attributes",),
            ("v", "k"),
            ("resource.1",),
            ("resource.1.v",),
            ("resource.7",),
        ],
    )
    outputs = made.child_template(at)["outputs"]
    assert {name: one["value"] for name, one in outputs.items()} == {
        "refs, 0": [{"get_resource": "0"}, {"get_resource": "1"}],
        "attributes, v": {"0": {"get_attr": ["0", "v"]}, "1": {"get_attr": ["1", "v"]}},
        "v, k": [{"get_attr": ["0", "v", "k"]}, {"get_attr": ["1", "v", "k"]}],
        "resource.1": {"get_resource": "1"},
        "resource.1.v": {"get_attr": ["1", "v"]},
    }


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        ({"resources": ["No::Such"]}, "The Resource Type (No::Such) could not be found."),
        ({"resources": [None]}, "Non-empty resource type is required"),
        (
            {"resources": ["OS::Heat::Value"], "resource_properties": {"zz": 1}},
            "Property error: resources.g<nested_stack>.resources[0].properties: "
            "Unknown Property zz",
        ),
        ({"resources": []}, ""),
    ],
)
def test_what_the_members_would_be_is_checked(properties: Any, text: str) -> None:
    definition = definition_of({"g": {"type": "OS::Heat::ResourceChain", "properties": properties}})
    found = validation_text(definition).removeprefix("StackValidationFailed: ")
    assert found.startswith(text)
    assert bool(found) is bool(text)


MEMBERS = members_of("0", "1")
ATTRIBUTES = {"0": {"v": {"k": 1}}, "1": {"v": {"k": 2}}}


@pytest.mark.parametrize(
    ("key", "output", "expected"),
    [
        (("refs",), {"refs": ["ref-0", "ref-1"]}, ["ref-0", "ref-1"]),
        (("refs", 0), {"refs, 0": ["ref-0", "ref-1"]}, "ref-0"),
        (("v", "k"), {"v, k": [1, 2]}, [1, 2]),
        (("attributes", "v"), {"attributes, v": {"0": {"k": 1}, "1": {"k": 2}}}, ATTRIBUTES),
        (("resource.1",), {"resource.1": "ref-1"}, "ref-1"),
        (("resource.1.v", "k"), {"resource.1.v, k": 2}, 2),
    ],
)
async def test_attributes_from_outputs_and_from_members(
    key: Any, output: Any, expected: Any
) -> None:
    if key[0] == "attributes":
        expected = {name: one["v"] for name, one in ATTRIBUTES.items()}
    made, at = chain({"resources": [NONE, NONE]}, exists=True)
    for outputs in (output, {}):
        nested = FakeNested(outputs, MEMBERS, ATTRIBUTES)
        assert await made.read_attribute(nested, at, *key) == expected
    assert await made.read_attribute(None, at, *key) is None


async def test_what_cannot_be_read() -> None:
    made, at = chain({"resources": [NONE]}, exists=True)
    with pytest.raises(InvalidTemplateAttribute):
        await made.read_attribute(None, at, "attributes")
    with pytest.raises(NotFound, match="Member '5' not found"):
        await made.read_attribute(FakeNested({}, MEMBERS), at, "resource.5.v")
