"""The order of validation and its texts."""

from typing import Any

import pytest

from heat_core.environment import Environment
from heat_core.errors import (
    CircularDependencyException,
    HeatException,
    InvalidTemplateReference,
    InvalidTemplateSection,
    ResourceTypeUnavailable,
    StackValidationFailed,
    UserParameterMissing,
)
from heat_core.stack import StackDefinition
from heat_core.stack.validation import dependency_order
from heat_core.template import Template


def _definition(environment: Any = None, /, **sections: Any) -> StackDefinition:
    document = {"heat_template_version": "2021-04-16", **sections}
    template = Template(document, environment=Environment(environment or {}))
    return StackDefinition.build(template, stack_name="s", project_id="p")


VALUE = {"type": "OS::Heat::Value", "properties": {"value": "x"}}
# Each mistake is found before the ones after it.
MISTAKES: list[tuple[dict[str, Any], type[HeatException], str]] = [
    ({"zzz": 1}, InvalidTemplateSection, "The template section is invalid: zzz"),
    (
        {"parameters": {"q": {"type": "string"}}},
        UserParameterMissing,
        "The Parameter (q) was not provided.",
    ),
    ({"parameter_groups": "x"}, StackValidationFailed, "Parameter Groups error: "),
    ({"conditions": {"c": "x"}}, StackValidationFailed, "Condition validation error: "),
    (
        {"resources": {"a": {"type": "No::Such"}, "b": VALUE}},
        StackValidationFailed,
        "The Resource Type (No::Such) could not be found.",
    ),
    (
        {"resources": {"a": {**VALUE, "depends_on": "ghost"}}},
        InvalidTemplateReference,
        'The specified reference "ghost" (in a) is incorrect.',
    ),
    (
        {"resources": {"a": {"type": "OS::Heat::Value", "properties": {"zzz": 1}}}},
        StackValidationFailed,
        "Property error: resources.a.properties: Unknown Property zzz",
    ),
    (
        {"outputs": {"o": {"value": {"make_url": 5}}}},
        StackValidationFailed,
        'outputs.o.value.make_url: The arguments to "make_url" must be a map',
    ),
]


@pytest.mark.parametrize("first", range(len(MISTAKES)))
def test_the_first_mistake_is_the_one_that_is_told(first: int) -> None:
    sections: dict[str, Any] = {}
    for mistake, _, _ in reversed(MISTAKES[first:]):
        sections |= mistake
    with pytest.raises(MISTAKES[first][1]) as caught:
        _definition(**sections).validate()
    assert str(caught.value).startswith(MISTAKES[first][2])


def test_a_definition_without_mistakes() -> None:
    resources = {"a": VALUE, "b": {"type": "OS::Heat::None", "properties": {"anything": 1}}}
    outputs = {"o": {"value": [{"get_attr": ["a", "value"]}, {"get_attr": ["b", "whatever"]}]}}
    _definition(resources=resources, outputs=outputs).validate()


def test_an_attribute_has_to_be_one_of_the_types() -> None:
    definition = _definition(
        resources={"a": VALUE, "b": {**VALUE, "metadata": {"m": {"get_attr": ["a", "nope"]}}}}
    )
    with pytest.raises(StackValidationFailed) as caught:
        definition.validate()
    assert str(caught.value) == (
        "resources.b.metadata.m.get_attr: The Referenced Attribute (a nope) is incorrect."
    )


def test_names_are_not_used_twice() -> None:
    definition = _definition(
        {"parameters": {}},
        parameters={"a": {"type": "string", "default": ""}},
        resources={"a": VALUE},
    )
    with pytest.raises(StackValidationFailed) as caught:
        definition.validate()
    assert str(caught.value) == "Duplicate names {'a'}"


def test_a_slash_in_a_name_is_refused() -> None:
    with pytest.raises(StackValidationFailed, match='Resource name may not contain "/"'):
        _definition(resources={"a/b": VALUE}).validate()


def test_values_count_only_when_strict() -> None:
    resource = {"type": "OS::Heat::RandomString", "properties": {"length": "long"}}
    definition = _definition(resources={"a": resource})
    definition.validate(strict=False)
    with pytest.raises(StackValidationFailed) as caught:
        definition.validate()
    assert caught.value.path == ["resources", "a", "properties", "length"]


def test_a_value_that_waits_for_a_resource_is_not_checked() -> None:
    random = {"type": "OS::Heat::RandomString", "properties": {"length": 600}}
    with pytest.raises(StackValidationFailed, match="out of range"):
        _definition(resources={"a": random}).validate()
    random = {
        "type": "OS::Heat::RandomString",
        "properties": {"length": {"get_attr": ["v", "value"]}},
    }
    _definition(resources={"v": VALUE, "a": random}).validate()


def test_snapshots_need_a_type_that_makes_them() -> None:
    definition = _definition(resources={"a": {**VALUE, "deletion_policy": "Snapshot"}})
    with pytest.raises(StackValidationFailed) as caught:
        definition.validate()
    assert str(caught.value) == (
        'resources.a.deletion_policy: "Snapshot" deletion policy not supported'
    )


def test_external_resources_are_looked_at_elsewhere() -> None:
    _definition(resources={"a": {**VALUE, "external_id": "x", "properties": {"zzz": 1}}}).validate()


def test_a_service_that_is_not_there() -> None:
    definition = _definition(resources={"a": {"type": "OS::Keystone::Project"}})
    definition.validate(catalog_types={"identity"})
    definition.validate()
    with pytest.raises(ResourceTypeUnavailable, match="HEAT-E99001 Service keystone"):
        definition.validate(catalog_types=())
    definition.validate(catalog_types=(), ignorable_errors={"99001"})


def test_circles_are_told_with_the_types_names() -> None:
    resources = {
        "x": {"type": "OS::Heat::None"},
        "a": {"type": "OS::Heat::None", "depends_on": ["b", "x"]},
        "b": {"type": "OS::Heat::Value", "depends_on": "a"},
        "top": {"type": "OS::Heat::None", "depends_on": "a"},
    }
    with pytest.raises(CircularDependencyException) as caught:
        _definition(resources=resources).validate()
    assert str(caught.value) == (
        'Circular Dependency Found: {NoneResource "a": {Value "b"}, '
        'Value "b": {NoneResource "a"}, NoneResource "top": {NoneResource "a"}}'
    )


def test_resources_come_after_what_they_need() -> None:
    resources = {
        "c": {**VALUE, "depends_on": "b"},
        "b": {**VALUE, "depends_on": "a"},
        "a": VALUE,
    }
    assert dependency_order(_definition(resources=resources)) == ("a", "b", "c")


def test_cfn_sections_keep_their_names() -> None:
    document = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Resources": {"a": {"Type": "OS::Heat::Value", "Properties": {"zzz": 1}}},
    }
    definition = StackDefinition.build(Template(document), stack_name="s")
    with pytest.raises(StackValidationFailed, match=r"Resources\.a\.Properties: Unknown Property"):
        definition.validate()
