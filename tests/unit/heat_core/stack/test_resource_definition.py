"""Resources of a template, parsed and frozen."""

from dataclasses import replace
from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.stack import FrozenDefinition, NodeData, StackDefinition
from heat_core.stack.resource_definition import read_plain
from heat_core.template import Template, version_of


def _definition(resource: Any, version: str = "2021-04-16", **sections: Any) -> StackDefinition:
    document = {
        "heat_template_version": version,
        "parameters": {"p": {"type": "string", "default": "Retain"}},
        "resources": {"r": resource, "other": {"type": "OS::Heat::None"}},
        **sections,
    }
    return StackDefinition.build(Template(document), stack_name="s")


def _frozen(resource: Any, **more: Any) -> FrozenDefinition:
    definition = _definition(resource)
    return definition.resources["r"].freeze(definition, {}, **more)


FULL = {
    "type": "T",
    "properties": {"a": {"get_attr": ["other", "x"]}, "b": {"if": [False, 1]}},
    "metadata": {"m": {"get_param": "p"}},
    "depends_on": "other",
    "deletion_policy": {"get_param": "p"},
    "update_policy": {"u": {"get_param": "p"}},
    "external_id": {"get_param": "p"},
    "condition": True,
    "description": "words",
}


def test_a_definition_keeps_its_trees() -> None:
    resource = _definition(FULL).resources["r"]
    assert resource.depends_on == ("other",)
    assert resource.deletion_policy == "Retain"
    assert resource.condition is True
    assert resource.description == "words"
    assert resource.as_hot() == {
        "type": "T",
        "properties": {"a": {"get_attr": ["other", "x"]}, "b": ...},
        "metadata": {"m": {"get_param": "p"}},
        "depends_on": ["other"],
        "deletion_policy": "Retain",
        "update_policy": {"u": {"get_param": "p"}},
        "external_id": {"get_param": "p"},
        "condition": True,
    } | {"properties": resource.as_hot()["properties"]}


def test_freezing_resolves_everything() -> None:
    definition = _definition(FULL)
    node = NodeData(1, "other", "u", "o", {"x": [1]}, "CREATE", "COMPLETE")  # type: ignore[arg-type]  # any number
    frozen = definition.resources["r"].freeze(definition, {"other": node})
    assert frozen == FrozenDefinition(
        name="r",
        type="T",
        properties={"a": [1]},
        metadata={"m": "Retain"},
        depends_on=("other",),
        deletion_policy="Retain",
        update_policy={"u": "Retain"},
        external_id="Retain",
        condition=True,
        given=frozenset(
            {
                "properties",
                "metadata",
                "depends_on",
                "deletion_policy",
                "update_policy",
                "external_id",
            }
        ),
    )
    assert frozen.description == "words"


def test_frozen_definitions_differ_in_everything_but_name_and_description() -> None:
    one = _frozen({"type": "T", "properties": {"a": 1}, "description": "x"})
    assert one == replace(one, name="q", description="y")
    assert one != replace(one, type="U")
    assert one != replace(one, deletion_policy="Retain")
    assert _frozen({"type": "T"}) != _frozen({"type": "T", "properties": {}})
    assert _frozen({"type": "T"}) != _frozen({"type": "T", "deletion_policy": "Delete"})


def test_stored_values_take_the_templates_place() -> None:
    frozen = _frozen({"type": "T", "properties": {"a": 1}}, properties={"a": 2}, metadata={"m": 3})
    assert frozen.properties == {"a": 2}
    assert frozen.metadata == {"m": 3}
    assert "metadata" in frozen.given
    assert _frozen({"type": "T"}, properties={}) == _frozen({"type": "T"})


@pytest.mark.parametrize(
    ("resource", "version", "text"),
    [
        ({"type": 5}, "2021-04-16", "Resource r type type must be string"),
        ({"properties": {}}, "2021-04-16", "'Resource r is missing \"type\"'"),
        (
            {"type": "T", "properties": []},
            "2021-04-16",
            "Resource r properties type must be object",
        ),
        ({"type": "T", "metadata": 5}, "2021-04-16", "Resource r metadata type must be object"),
        (
            {"type": "T", "depends_on": {"a": 1}},
            "2021-04-16",
            "Resource r depends_on type must be list or string",
        ),
        (
            {"type": "T", "depends_on": [5]},
            "2021-04-16",
            "Resource r depends_on must be a list of strings",
        ),
        (
            {"type": "T", "deletion_policy": "Burn"},
            "2021-04-16",
            'Invalid deletion policy "Burn"',
        ),
        (
            {"type": "T", "deletion_policy": "retain"},
            "2013-05-23",
            'Invalid deletion policy "retain"',
        ),
        (
            {"type": "T", "condition": 5},
            "2021-04-16",
            "Resource r condition type must be string_or_boolean",
        ),
        (
            {"type": "T", "condition": "ghost"},
            "2021-04-16",
            'resources.r.condition: Invalid condition "ghost"',
        ),
        (
            {"type": "T", "condition": True},
            "2013-05-23",
            "Invalid keyword(s) inside a resource definition: condition",
        ),
        ({"type": "T", "description": 5}, "2021-04-16", "Resource r description type must be"),
        ({"type": "T", "external_id": 5}, "2021-04-16", "Resource r external_id type must be"),
        ("T", "2021-04-16", "Invalid keyword(s) inside a resource definition: T"),
        (5, "2021-04-16", "'int' object is not iterable"),
    ],
)
def test_bad_resources(resource: Any, version: str, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        _ = _definition(resource, version).resources
    assert text in str(caught.value)


def test_cfn_passes_over_unknown_keys() -> None:
    document = {
        "HeatTemplateFormatVersion": "2012-12-12",
        "Resources": {"r": {"Type": "T", "Zzz": 1, "Condition": "c", "DependsOn": ["r"]}},
    }
    resource = StackDefinition.build(Template(document)).resources["r"]
    assert resource.as_hot() == {"type": "T", "depends_on": ["r"]}


def test_function_checks_name_the_section() -> None:
    definition = _definition({"type": "T", "update_policy": {"a": {"make_url": 5}}})
    with pytest.raises(StackValidationFailed) as caught:
        definition.resources["r"].validate_functions(definition.resolution({}))
    assert caught.value.path == ["UpdatePolicy", "a", "make_url"]


def test_a_definition_that_is_data_already() -> None:
    version = version_of({"heat_template_version": "2015-04-30"})
    properties = {"value": {"get_resource": "nobody"}}
    written = {"type": "T", "properties": properties, "depends_on": "a", "zz": 1, "condition": "c"}
    read = read_plain("member", written, version)
    assert read.as_hot() == {"type": "T", "properties": properties, "depends_on": ["a"]}
    with pytest.raises(KeyError, match='Resource member is missing "type"'):
        read_plain("member", {}, version)
    with pytest.raises(TypeError, match="Resource member metadata type must be object"):
        read_plain("member", {"type": "T", "metadata": []}, version)
    with pytest.raises(StackValidationFailed, match="Invalid deletion policy"):
        read_plain("member", {"type": "T", "deletion_policy": "zz"}, version)
