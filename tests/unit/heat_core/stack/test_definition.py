"""The frozen definition of a stack."""

from typing import Any

import pytest

from heat_core.environment import Environment
from heat_core.errors import (
    InvalidExternalResourceDependency,
    InvalidSchemaError,
    InvalidTemplateReference,
    StackValidationFailed,
)
from heat_core.stack import NodeData, StackDefinition
from heat_core.template import Template


def _definition(**sections: Any) -> StackDefinition:
    document = {"heat_template_version": "2021-04-16", **sections}
    return StackDefinition.build(
        Template(document), stack_name="demo", stack_id="id-1", project_id="project-1"
    )


def _value(reference: Any, **more: Any) -> dict[str, Any]:
    return {"type": "OS::Heat::Value", "properties": {"value": reference}, **more}


RESOURCES = {
    "a": {"type": "OS::Heat::TestResource"},
    "b": _value({"get_attr": ["a", "output"]}),
    "c": _value({"get_resource": "b"}, depends_on="off"),
    "d": _value({"get_attr": ["a", "x", "y"]}, metadata={"m": {"get_attr": ["b", "value"]}}),
    "off": {"type": "OS::Heat::None", "condition": False},
}


def test_what_it_is() -> None:
    definition = _definition(description="D", parameters={"p": {"type": "string", "default": "v"}})
    assert (definition.name, definition.id, definition.project_id) == ("demo", "id-1", "project-1")
    assert definition.description == "D"
    assert definition.parameters.shown()["p"] == "v"
    nameless = StackDefinition.build(Template({"heat_template_version": "2021-04-16"}))
    assert (nameless.name, nameless.id, nameless.project_id) == (None, None, None)


def test_only_enabled_resources_and_their_requirements() -> None:
    definition = _definition(resources=RESOURCES)
    assert list(definition.resources) == ["a", "b", "c", "d"]
    assert dict(definition.requires) == {
        "a": frozenset(),
        "b": {"a"},
        "c": {"b"},
        "d": {"a", "b"},
    }
    assert definition.requires is definition.requires


def test_references_of_resources_and_of_outputs() -> None:
    outputs = {
        "o": {"value": {"get_attr": ["a", "output"]}},
        "p": {"value": [{"get_attr": ["b", "value"]}, {"get_attr": ["ghost", "x"]}]},
    }
    definition = _definition(resources=RESOURCES, outputs=outputs)
    assert definition.referenced_attributes("a") == {"output", ("x", "y")}
    assert definition.referenced_attributes("b") == {"value"}
    assert definition.referenced_attributes("c") == frozenset()
    assert definition.outputs_attributes("a") == {"output"}
    assert definition.output_attributes(["p"]) == {"b": {"value"}}


def test_all_attributes_are_those_of_the_type() -> None:
    definition = _definition(
        resources={"a": {"type": "OS::Heat::Value"}, "b": _value({"get_attr": ["a"]})}
    )
    assert definition.type_name("a") == "OS::Heat::Value"
    assert definition.attribute_names("a") == {"value", "show"}
    assert definition.referenced_attributes("a") == {"value"}


def test_a_path_that_is_read_from_a_resource() -> None:
    resources = {
        "k": {"type": "OS::Heat::Value", "properties": {"value": "key"}},
        "a": {"type": "OS::Heat::TestResource"},
        "b": _value({"get_attr": ["a", "output", {"get_attr": ["k", "value"]}]}),
    }
    definition = _definition(resources=resources)
    assert definition.referenced_attributes("a") == {("output", None)}
    node = NodeData(1, "k", "u", "k", {"value": "key"}, "CREATE", "COMPLETE")  # type: ignore[arg-type]  # any number
    assert definition.referenced_attributes("a", {"k": node}) == {("output", "key")}
    assert definition.requires["b"] == {"a", "k"}


def test_resolving_against_the_state_of_resources() -> None:
    definition = _definition(resources=RESOURCES, outputs={"o": {"value": {"get_resource": "a"}}})
    tree = definition.outputs["o"].value
    assert definition.resolve(tree) == "a"
    node = NodeData(1, "a", "u", "phys-1", {}, "CREATE", "COMPLETE")  # type: ignore[arg-type]  # any number
    assert definition.resolve(tree, {"a": node}) == "phys-1"


@pytest.mark.parametrize(
    ("resources", "text"),
    [
        ({"a": {"type": "T", "depends_on": "ghost"}}, '"ghost" (in a) is incorrect.'),
        ({"a": _value({"get_resource": "ghost"})}, '"ghost" (in a.Properties.value)'),
        (
            {"a": {"type": "T", "metadata": {"m": [{"get_attr": ["ghost", "x"]}]}}},
            '"ghost" (in a.Metadata.m[0])',
        ),
    ],
)
def test_requirements_name_what_is_not_there(resources: Any, text: str) -> None:
    with pytest.raises(InvalidTemplateReference) as caught:
        _ = _definition(resources=resources).requires
    assert text in str(caught.value)


def test_an_external_resource_depends_on_nothing() -> None:
    resources = {
        "a": {"type": "T"},
        "b": {"type": "T", "external_id": "x", "properties": {"v": {"get_resource": "a"}}},
    }
    definition = _definition(resources=resources)
    assert definition.requires["b"] == frozenset()
    assert definition.resources["b"].deletion_policy == "Retain"
    resources["b"]["depends_on"] = ["a"]  # type: ignore[index]  # a map of any values
    with pytest.raises(InvalidExternalResourceDependency):
        _ = _definition(resources=resources).requires


def test_mistakes_show_where_a_section_is_first_read() -> None:
    with pytest.raises(InvalidSchemaError):
        _definition(parameters={"p": {"type": "nope"}})
    definition = _definition(
        resources={"a": {"type": "T", "depends_on": {"x": 1}}},
        outputs={"o": {"value": {"get_resource": "a"}}},
        conditions={"c": {"equals": 5}},
    )
    with pytest.raises(StackValidationFailed, match=r"conditions\.c\.equals"):
        _ = definition.conditions
    definition = _definition(
        resources={"a": {"type": "T", "depends_on": {"x": 1}}},
        outputs={"o": {"value": 1}},
    )
    assert definition.outputs["o"].value == 1
    with pytest.raises(StackValidationFailed, match="depends_on type must be list or string"):
        _ = definition.resources


def test_a_cfn_ref_means_an_enabled_resource_in_outputs() -> None:
    document = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Parameters": {"x": {"Type": "String", "Default": "from parameter"}},
        "Conditions": {"Off": {"Fn::Equals": [1, 2]}},
        "Resources": {"x": {"Type": "OS::Heat::None", "Condition": "Off"}},
        "Outputs": {"o": {"Value": {"Ref": "x"}}},
    }
    definition = StackDefinition.build(Template(document), stack_name="s")
    assert definition.resolve(definition.outputs["o"].value) == "from parameter"


def test_the_environment_maps_types() -> None:
    template = Template(
        {"heat_template_version": "2021-04-16", "resources": {"a": {"type": "My::T"}}},
        environment=Environment({"resource_registry": {"My::T": "OS::Heat::None"}}),
    )
    assert StackDefinition.build(template).type_name("a") == "OS::Heat::None"


def test_the_class_behind_a_type_is_looked_up_once() -> None:
    files = {"t.yaml": "heat_template_version: 2018-08-31\noutputs: {o: {value: 1}}\n"}
    document = {
        "heat_template_version": "2018-08-31",
        "resources": {"n": {"type": "t.yaml"}, "v": {"type": "OS::Heat::Value"}},
    }
    definition = StackDefinition.build(Template(document, files=files), stack_name="s")
    assert definition.resource_class("n") is definition.resource_class("n")
    assert definition.attribute_names("n") == {"o", "show"}
    assert definition.attribute_names("v") == {"value", "show"}
    assert definition.template.environment.registry.as_dict()["t.yaml"] == "t.yaml"
