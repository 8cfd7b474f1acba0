"""Resources that templates implement."""

from typing import Any

import pytest

from heat_core.errors import InvalidTemplateAttribute, NotFound, StackValidationFailed
from heat_core.properties import Kind
from heat_core.resources.nested import Member, Members, TemplateResource, child_definition
from heat_core.stack import Action
from heat_core.template import Downloads
from tests.nested_stage import INNER, FakeNested, definition_of, stage, validation_text

HEADER = "heat_template_version: 2018-08-31\n"
PARAMETERS = (
    HEADER
    + """
parameters:
  s: {type: string, default: d, description: S, constraints: [{length: {max: 5}}]}
  n: {type: number}
  l: {type: comma_delimited_list, default: ''}
  j: {type: json, default: {}}
  b: {type: boolean, default: false}
"""
)


def class_for(text: str, environment: Any = None) -> type[TemplateResource]:
    definition = definition_of(
        {"n": {"type": "t.yaml"}}, files={"t.yaml": text}, environment=environment
    )
    found = definition.resource_class("n")
    assert issubclass(found, TemplateResource)
    return found


def parameters(text: str, properties: Any, **more: Any) -> Any:
    definition = definition_of(
        {"n": {"type": "t.yaml", "properties": properties}}, files={"t.yaml": text}
    )
    resource, at = stage(definition, "n", **more)
    return resource.child_parameters(at)


# --- the class -----------------------------------------------------------------------------------


def test_properties_come_from_parameters() -> None:
    found = class_for(PARAMETERS)
    assert {name: prop.kind for name, prop in found.properties.items()} == {
        "s": Kind.STRING,
        "n": Kind.NUMBER,
        "l": Kind.LIST,
        "j": Kind.MAP,
        "b": Kind.BOOLEAN,
    }
    assert [name for name, prop in found.properties.items() if prop.required] == ["n"]
    assert all(prop.update_allowed and not prop.immutable for prop in found.properties.values())
    assert found.properties["s"].description == "S"
    assert found.properties["s"].default is None  # the nested stack has it


def test_defaults_of_the_environment_make_a_parameter_optional() -> None:
    found = class_for(PARAMETERS, {"parameter_defaults": {"n": 9, "zz": 1}})
    assert not found.properties["n"].required
    assert found.document["parameters"]["n"]["default"] == 9
    assert class_for(PARAMETERS).properties["n"].required


def test_attributes_come_from_outputs() -> None:
    hot = class_for(HEADER + "outputs: {o: {value: 1, description: text}}\n")
    assert hot.attributes["o"].description is None
    cfn = class_for(
        "HeatTemplateFormatVersion: '2012-12-12'\nOutputs: {o: {Value: 1, Description: text}}\n"
    )
    assert cfn.attributes["o"].description == "text"


@pytest.mark.parametrize(
    ("outputs", "text"),
    [
        ("{o: text}", "must contain a map of output maps"),
        ("{o: {valu: 1}}", '"valu" is not a valid keyword inside a output definition'),
        ("{o: {description: x}}", "Each output must contain a value key."),
        ("{o: }", "Each output must contain a value key."),
        ("[1]", "Expected a map, found a list"),
    ],
)
def test_outputs_that_are_wrong(outputs: str, text: str) -> None:
    with pytest.raises(StackValidationFailed, match=text):
        class_for(f"{HEADER}outputs: {outputs}\n")


def test_cfn_outputs_that_are_no_maps() -> None:
    with pytest.raises(StackValidationFailed, match="must contain a map of output maps"):
        class_for("HeatTemplateFormatVersion: '2012-12-12'\nOutputs: {o: text}\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "Error parsing template t.yaml while parsing a flow node"),
        ("a: 1", "Template format version not found."),
        ("", "Template format version not found."),
        ("text", "The template is not a JSON object or YAML mapping."),
    ],
)
def test_what_is_no_template_is_the_problem_of_its_type(text: str, problem: str) -> None:
    found = class_for(text)
    assert str(found.problem).startswith(problem)
    assert found.properties == {}
    definition = definition_of({"n": {"type": "t.yaml"}}, files={"t.yaml": text})
    assert validation_text(definition).startswith(f"StackValidationFailed: {problem}")
    resource, at = stage(definition, "n")
    with pytest.raises(ValueError, match="emplate"):
        resource.child_template(at)


def test_what_cannot_be_had() -> None:
    definition = definition_of({"n": {"type": "gone.yaml"}})
    assert validation_text(definition, strict=False) == (
        'StackValidationFailed: Could not fetch remote template "gone.yaml": Invalid URL scheme '
    )


def test_a_template_by_address() -> None:
    address = "http://example.org/t.yaml"
    downloads = Downloads()
    resources = {"n": {"type": address, "properties": {"need": "x"}}}
    definition = definition_of(resources, files={}, downloads=downloads)
    assert "Failed to retrieve template from" in validation_text(definition)
    assert downloads.missing == {address: ("http", "https")}
    downloads.put(address, INNER)
    definition = definition_of(resources, files={}, downloads=downloads)
    assert validation_text(definition) == ""
    resource, at = stage(definition, "n")
    assert resource.child_files(at) == {address: INNER}


def test_only_the_operator_may_name_local_files() -> None:
    mine = definition_of({"n": {"type": "file:///etc/x.yaml"}})
    assert "Invalid URL scheme file" in validation_text(mine)
    operators = definition_of({"n": {"type": "AWS::RDS::DBInstance"}})
    validation_text(operators)
    (schemes,) = operators.template.downloads.missing.values()
    assert schemes == ("http", "https", "file")


# --- parameters passed down ----------------------------------------------------------------------


def test_only_what_the_user_gave_is_passed() -> None:
    assert parameters(PARAMETERS, {"n": "5", "b": "True"}) == {"n": 5, "b": True}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", None, "b,c"], "a,,b,c"),
        ([], ""),
        ("a,b", "a,b"),
        ([{"x": 1, "y": 2}, {"z": "q"}], ".member.0.x=1,.member.0.y=2,.member.1.z=q"),
    ],
)
def test_lists_are_joined(value: Any, expected: str) -> None:
    assert parameters(PARAMETERS, {"n": 1, "l": value})["l"] == expected


def test_lists_of_anything_else_are_refused() -> None:
    with pytest.raises(TypeError, match="expected str instance, int found"):
        parameters(PARAMETERS, {"n": 1, "l": [1]})


def test_json_is_passed_as_it_is() -> None:
    assert parameters(PARAMETERS, {"n": 1, "j": {"a": [1]}})["j"] == {"a": [1]}
    assert parameters(PARAMETERS, {"n": 1, "j": '{"a": 1}'})["j"] == '{"a": 1}'


def test_a_value_that_cannot_be_read_is_null_before_the_create_and_an_error_in_it() -> None:
    wrong = {"n": "many", "s": ["a"]}
    assert parameters(PARAMETERS, wrong) == {"n": 0, "s": ""}
    with pytest.raises(ValueError, match="Value must be a string"):
        parameters(PARAMETERS, wrong, action=Action.CREATE)


def test_the_environment_goes_down_without_what_made_the_child() -> None:
    definition = definition_of(
        {"n": {"type": "My::T", "properties": {"need": "x"}}},
        environment={
            "parameters": {},
            "parameter_defaults": {"d": 1},
            "resource_registry": {
                "My::T": "inner.yaml",
                "Other::T": "OS::Heat::None",
                "resources": {"n": {"v": {"A::B": "OS::Heat::None"}}, "m": {"hooks": "pre-create"}},
            },
        },
    )
    resource, at = stage(definition, "n")
    environment = resource.child_environment(at)
    assert environment.user_env_as_dict() == {
        "parameters": {"need": "x"},
        "parameter_defaults": {"d": 1},
        "event_sinks": [],
        "resource_registry": {
            "Other::T": "OS::Heat::None",
            "resources": {"v": {"A::B": "OS::Heat::None"}},
        },
    }


# --- facades -------------------------------------------------------------------------------------


def test_a_template_in_place_of_a_type_has_to_look_like_it() -> None:
    def text(template: str) -> str:
        return validation_text(
            definition_of(
                {"n": {"type": "OS::Heat::RandomString"}},
                files={"r.yaml": HEADER + template},
                environment={"resource_registry": {"OS::Heat::RandomString": "r.yaml"}},
            )
        )

    assert text("outputs: {value: {value: x}}\n") == ""
    assert "Attribute value for facade OS::Heat::RandomString missing" in text("resources: {}\n")
    assert "Property length type mismatch" in text(
        "parameters: {length: {type: string, default: x}}\noutputs: {value: {value: x}}\n"
    )


# --- attributes ----------------------------------------------------------------------------------


async def read(nested: FakeNested | None, key: str, *path: Any) -> Any:
    resource, at = stage(definition_of({"n": {"type": "inner.yaml"}}), "n", exists=True)
    return await resource.read_attribute(nested, at, key, *path)


async def test_attributes_are_outputs() -> None:
    nested = FakeNested({"out": {"k": ["a"]}})
    assert await read(nested, "out") == {"k": ["a"]}
    assert await read(nested, "out", "k", 0) == "a"
    assert await read(nested, "out", "q") is None
    with pytest.raises(InvalidTemplateAttribute, match=r"\(n gone\)"):
        await read(nested, "gone")
    assert await read(None, "out") is None


async def test_members_can_be_looked_into() -> None:
    nested = FakeNested(members=Members.of([Member("v")]), attributes={"v": {"value": {"k": 1}}})
    assert await read(nested, "resource.v") == "ref-v"
    assert await read(nested, "resource.v.value", "k") == 1
    with pytest.raises(NotFound, match="Member 'w' not found in group resource 'n'"):
        await read(nested, "resource.w")
    assert await read(None, "resource.v") is None


def test_the_output_that_names_the_resource() -> None:
    assert class_for(INNER).reference_output() is None
    assert class_for(HEADER + "outputs: {OS::stack_id: {value: x}}\n").reference_output() == (
        "OS::stack_id"
    )


def test_the_nested_stack_has_the_parameters() -> None:
    definition = definition_of({"n": {"type": "inner.yaml", "properties": {"need": "x"}}})
    resource, at = stage(definition, "n")
    child = child_definition(resource, at, resource.child_template(at))
    assert dict(child.parameters) == {
        "OS::stack_id": "None",
        "OS::project_id": "p",
        "OS::stack_name": "s-n",
        "need": "x",
        "size": 2,
    }
    assert (child.depth, child.name) == (1, "s-n")
