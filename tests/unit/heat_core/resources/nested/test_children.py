"""Definitions of nested stacks."""

from typing import Any

import pytest

from heat_core.errors import RequestLimitExceeded, StackValidationFailed
from heat_core.resources.nested import (
    child_definition,
    child_template_of,
    nested_parameters,
    resource_of,
    surroundings_of,
)
from heat_core.resources.nested.children import resolve_or_null
from heat_core.stack import StackLimits
from tests.nested_stage import INNER, cfn_definition_of, definition_of, stage, validation_text

HEADER = "heat_template_version: 2018-08-31\n"
NEED = {"type": "inner.yaml", "properties": {"need": "x"}}


# --- definitions ---------------------------------------------------------------------------------


def test_what_a_child_takes_over_from_its_parent() -> None:
    definition = definition_of({"n": NEED})
    definition.scope.availability_zones = ("z",)
    resource, at = stage(definition, "n")
    child = child_definition(
        resource, at, resource.child_template(at), stack_name="s-n-abc", stack_id="cid"
    )
    assert (child.name, child.id, child.project_id) == ("s-n-abc", "cid", "p")
    assert child.scope.availability_zones == ("z",)
    assert child.template.files == {"inner.yaml": INNER}
    assert child.template.downloads is definition.template.downloads


def test_the_template_as_it_is_stored() -> None:
    resource, at = stage(definition_of({"n": NEED}), "n")
    template = child_template_of(resource, at, resource.child_template(at))
    assert template.document["description"] == "inner"
    assert template.environment.stored()["parameters"] == {"need": "x"}


def test_limits() -> None:
    definition = definition_of({"n": NEED})
    resource, at = stage(definition, "n")
    document = resource.child_template(at)
    with pytest.raises(RequestLimitExceeded, match="Recursion depth exceeds 0"):
        child_definition(resource, at, document, limits=StackLimits(max_nested_stack_depth=0))
    with pytest.raises(RequestLimitExceeded, match="Maximum resources per stack exceeded"):
        child_definition(resource, at, document, limits=StackLimits(max_resources_per_stack=0))


def test_only_some_types_have_children() -> None:
    definition = definition_of({"v": {"type": "OS::Heat::Value", "properties": {"value": 1}}})
    with pytest.raises(AssertionError):
        resource_of(surroundings_of(definition, "v"))


def test_parameters_without_a_value_are_null_where_that_is_asked_for() -> None:
    definition = definition_of(
        {
            "n": {
                "type": "inner.yaml",
                "properties": {"need": {"list_join": ["", ["a", {"get_param": "p"}]]}, "size": 5},
            }
        },
        parameters={"p": {"type": "string"}},
    )
    at = surroundings_of(definition, "n")
    with pytest.raises(ValueError, match=r"The Parameter \(p\) was not provided."):
        _ = at.properties["need"]
    assert at.lenient["need"] == ""
    assert at.lenient["size"] == at.properties["size"] == 5
    tree = definition.resources["n"].properties
    assert resolve_or_null([tree], definition.resolution({})) == [{"need": None, "size": 5}]


def test_properties_that_are_one_call() -> None:
    definition = definition_of(
        {"n": {"type": "inner.yaml", "properties": {"get_param": "p"}}},
        parameters={"p": {"type": "json", "default": {"need": "x"}}},
    )
    assert validation_text(definition) == (
        "StackValidationFailed: TypeError: resources.n: 'GetParam' object is not iterable"
    )


# --- checks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (
            "resources: {r: {type: No::Such}}",
            "resources.n<i.yaml>: The Resource Type (No::Such) could not be found.",
        ),
        (
            "resources: {r: {type: OS::Heat::Value, properties: {value: {get_resource: x}}}}",
            "InvalidTemplateReference: resources.n<i.yaml>: The specified reference",
        ),
        (
            "resources: {r: {type: OS::Heat::Value, properties: {zz: 1}}}",
            "Property error: resources.n<i.yaml>.resources.r.properties: Unknown Property zz",
        ),
        ("zz: {}", "InvalidTemplateSection: resources.n<i.yaml>: The template section is invalid"),
        # Values are not looked at below the root.
        ("resources: {r: {type: OS::Heat::RandomString, properties: {length: 9999}}}", ""),
        ("resources: {r: {type: OS::Heat::Value}}", ""),
    ],
)
def test_mistakes_in_nested_templates(inner: str, text: str) -> None:
    definition = definition_of({"n": {"type": "i.yaml"}}, files={"i.yaml": HEADER + inner})
    found = validation_text(definition)
    assert found.removeprefix("StackValidationFailed: ").startswith(text)
    assert bool(found) is bool(text)
    # The validate call does not look down.
    assert validation_text(definition, strict=False) == ""


def test_a_stack_that_is_nested_itself_has_been_looked_at() -> None:
    definition = definition_of(
        {"n": {"type": "i.yaml"}}, files={"i.yaml": HEADER + "resources: {r: {type: No::Such}}"}
    )
    definition.depth = 1
    assert validation_text(definition) == ""
    assert "No::Such" in validation_text(definition, strict=False, deep=True)


def test_a_template_that_nests_itself() -> None:
    loop = HEADER + "resources: {n: {type: loop.yaml}}\n"
    definition = definition_of({"n": {"type": "loop.yaml"}}, files={"loop.yaml": loop})
    text = validation_text(definition, limits=StackLimits(max_nested_stack_depth=2))
    assert text == (
        "StackValidationFailed: RequestLimitExceeded: resources.n<loop.yaml>"
        ".resources.n<loop.yaml>.resources.n<loop.yaml>: "
        "Request limit exceeded: Recursion depth exceeds 2."
    )


def test_a_tree_that_is_too_large_is_refused_before_it_is_looked_at_to_its_end() -> None:
    def level(number: int) -> str:
        kind = f"l{number + 1}.yaml" if number < 3 else "OS::Heat::None"
        # Equal definitions are looked at once; these differ.
        resources = "".join(
            f"  r{index}: {{type: {kind}, metadata: {{i: {index}}}}}\n" for index in range(100)
        )
        return HEADER + "resources:\n" + resources

    files = {f"l{number}.yaml": level(number) for number in range(4)}
    definition = definition_of({"n": {"type": "l0.yaml"}}, files=files)
    text = validation_text(definition, limits=StackLimits(max_resources_per_stack=5000))
    assert text.endswith("Maximum resources per stack exceeded.")
    with pytest.raises(RequestLimitExceeded):
        nested_parameters(definition)


# --- what the validate call shows ----------------------------------------------------------------


def test_parameters_at_every_depth() -> None:
    middle = HEADER + (
        "description: mid\nparameters: {m: {type: string, default: mm}}\n"
        "parameter_groups: [{label: G, parameters: [m]}]\n"
        "resources: {i: {type: inner.yaml, properties: {need: {get_param: m}}}}\n"
    )
    definition = definition_of(
        {"n": {"type": "mid.yaml"}, "v": {"type": "OS::Heat::None"}},
        files={"mid.yaml": middle, "inner.yaml": INNER},
    )
    shown: Any = nested_parameters(definition)["NestedParameters"]
    assert set(shown) == {"n"}
    assert (shown["n"]["Type"], shown["n"]["Description"]) == ("mid.yaml", "mid")
    assert shown["n"]["ParameterGroups"] == [{"label": "G", "parameters": ["m"]}]
    assert set(shown["n"]["Parameters"]) == {"m"}
    assert shown["n"]["NestedParameters"]["i"]["Parameters"]["need"]["Value"] == "mm"
    assert nested_parameters(definition_of({"v": {"type": "OS::Heat::None"}})) == {}


def test_pseudo_parameters_of_the_other_dialect_are_shown() -> None:
    properties = {"resource_def": {"type": "OS::Heat::None"}}
    group = {"Type": "OS::Heat::ResourceGroup", "Properties": properties}
    shown: Any = nested_parameters(cfn_definition_of({"g": group}))["NestedParameters"]
    assert set(shown["g"]["Parameters"]) == {"OS::stack_id", "OS::project_id", "OS::stack_name"}
    assert shown["g"]["Parameters"]["OS::stack_id"]["Default"] == "None"


def test_mistakes_of_nested_templates_are_the_users() -> None:
    asg = {"min_size": 1, "max_size": 1, "resource": {"type": 5}}
    definition = definition_of({"g": {"type": "OS::Heat::AutoScalingGroup", "properties": asg}})
    with pytest.raises(StackValidationFailed, match="Resource member type type must be string"):
        nested_parameters(definition)
    slash = HEADER + "resources: {'a/b': {type: OS::Heat::None}}\n"
    definition = definition_of({"n": {"type": "i.yaml"}}, files={"i.yaml": slash})
    with pytest.raises(StackValidationFailed, match='Resource name may not contain "/"'):
        nested_parameters(definition)
    keys = HEADER + "resources: {a: {typ: OS::Heat::None}}\n"
    definition = definition_of({"n": {"type": "i.yaml"}}, files={"i.yaml": keys})
    with pytest.raises(StackValidationFailed, match='"typ" is not a valid keyword'):
        nested_parameters(definition)
