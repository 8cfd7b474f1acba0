"""Templates and their outer form."""

from typing import Any

import pytest

from heat_core.errors import (
    InvalidSchemaError,
    InvalidTemplateSection,
    InvalidTemplateVersion,
    StackValidationFailed,
)
from heat_core.template import Downloads, Template, empty_template, without_resources

HOT = {"heat_template_version": "2018-08-31"}
CFN = {"AWSTemplateFormatVersion": "2010-09-09"}


def test_sections_default_to_nothing() -> None:
    template = Template({**HOT, "resources": None, "description": ""})
    assert template.description == "No description"
    assert (template.resources, template.outputs, template.parameters) == ({}, {}, {})
    assert (template.mappings, template.conditions, template.parameter_groups) == ({}, {}, {})
    cfn = Template({**CFN, "Description": "d", "Mappings": {"M": {}}, "Conditions": {"a": True}})
    assert (cfn.description, cfn.mappings, cfn.parameter_groups) == ("d", {"M": {}}, None)
    assert cfn.conditions == {"a": True}
    assert Template({"heat_template_version": "2013-05-23", "conditions": {}}).conditions == {}


@pytest.mark.parametrize("section", ["resources", "outputs", "parameters"])
def test_a_section_that_is_no_map_is_the_users_mistake(section: str) -> None:
    with pytest.raises(StackValidationFailed, match=f"{section}: Expected a map, found a list"):
        getattr(Template({**HOT, section: [1]}), section)


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ({**HOT, "resources": {"a": None}}, "Each resource must contain a type key."),
        ({**HOT, "resources": {"a": {"properties": {}}}}, "Each resource must contain a type key."),
        (
            {**HOT, "resources": {"a": ["x"]}},
            "\"resources\" must contain a map of resource maps. Found a [<class 'list'>] instead",
        ),
        (
            {**HOT, "resources": {"a": {"type": "x", "zzz": 1}}},
            '"zzz" is not a valid keyword inside a resource definition',
        ),
        ({**HOT, "resources": {"a": {"type": ""}}}, "Each Resource must contain a Type key."),
        ({**CFN, "Resources": {"a": {"Properties": {}}}}, "Each Resource must contain a Type key."),
        (
            {**CFN, "Resources": {"a": "x"}},
            "Resources must contain Resource. Found a [<class 'str'>] instead",
        ),
    ],
)
def test_resources_have_a_form(document: dict[str, Any], text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        Template(document).validate_sections()
    assert str(caught.value) == text


def test_unknown_sections_are_refused() -> None:
    with pytest.raises(InvalidTemplateSection) as caught:
        Template({**HOT, "Resources": {}}).validate_sections()
    assert str(caught.value) == "The template section is invalid: Resources"
    Template({**HOT, "__undefined__": 1, "resources": []}).validate_sections()
    with pytest.raises(InvalidTemplateSection):
        Template({"heat_template_version": "2013-05-23", "conditions": {}}).validate_sections()


def test_parameters_of_templates_among_the_files_count() -> None:
    files = {
        "a.yaml": "heat_template_version: rocky\nparameters: {x: {type: string}, p: {type: json}}",
        "b.txt": "no template",
        "c.yaml": "a: [",
    }
    template = Template({**HOT, "parameters": {"p": {"type": "number"}}}, files=files)
    schemata = template.all_parameter_schemata()
    assert {name: schema.type_name for name, schema in schemata.items()} == {
        "x": "string",
        "p": "number",
    }


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("heat_template_version: 2099-01-01\n", InvalidTemplateVersion),
        ("heat_template_version: rocky\nparameters: [1]\n", StackValidationFailed),
        ("heat_template_version: rocky\nparameters: {p: {type: text}}\n", InvalidSchemaError),
    ],
)
def test_templates_among_the_files_that_are_wrong(content: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        Template(HOT, files={"a.yaml": content}).all_parameter_schemata()


def test_what_was_fetched_is_kept_with_the_files() -> None:
    template = Template(HOT, files={"a": "mine"}, downloads=Downloads({"a": "x", "b": "y"}))
    assert template.all_files == {"a": "mine", "b": "y"}
    assert Template(HOT, files={"a": "mine"}).all_files == {"a": "mine"}


def test_defaults_are_laid_over_the_templates() -> None:
    template = Template({**HOT, "parameters": {"p": {"type": "number", "default": 1}}})
    assert template.parameter_schemata()["p"].default == 1
    assert template.parameter_schemata({"p": 2, "other": 3})["p"].default == 2


def test_empty_templates() -> None:
    document = {**HOT, "resources": {"a": {"type": "x"}}, "outputs": {}}
    assert empty_template() == {"heat_template_version": "2015-04-30"}
    assert empty_template(document) == HOT
    assert without_resources(document) == {**HOT, "resources": {}, "outputs": {}}
    assert without_resources(CFN) == CFN
    assert Template(document).without_resources().resources == {}
    assert document["resources"]


def test_hidden_parameters_of_both_dialects() -> None:
    hot = Template(
        {**HOT, "parameters": {"a": {"type": "string", "hidden": True}, "b": {"type": "json"}}}
    )
    assert hot.hidden_parameters() == ["a"]
    cfn = Template(
        {**CFN, "Parameters": {"a": {"Type": "String", "NoEcho": "True"}, "b": {"Type": "String"}}}
    )
    assert cfn.hidden_parameters() == ["a"]
