from __future__ import annotations

from typing import Any

import pytest

from heat_core import errors


async def test_a_good_template(world: Any, template: dict[str, Any]) -> None:
    answer = await world.call(
        "validate_template", template=template, params={"parameters": {"p": "two"}}
    )
    assert answer == {
        "Description": "No description",
        "Parameters": {
            "p": {
                "Default": "one",
                "Description": "",
                "Label": "p",
                "NoEcho": "false",
                "Type": "String",
                "Value": "two",
            },
            "h": {
                "Default": "secret",
                "Description": "",
                "Label": "h",
                "NoEcho": "true",
                "Type": "String",
            },
        },
        "Environment": {
            "event_sinks": [],
            "parameter_defaults": {},
            "parameters": {"p": "two"},
            "resource_registry": {"resources": {}},
        },
    }
    assert world.validator.validated == [(False, frozenset())]


async def test_parameter_groups(world: Any, template: dict[str, Any]) -> None:
    groups = [{"label": "g", "parameters": ["p"]}]
    answer = await world.call(
        "validate_template", template={**template, "parameter_groups": groups}
    )
    assert answer["ParameterGroups"] == groups


async def test_mistakes_are_answers(world: Any) -> None:
    answer = await world.call(
        "validate_template", template={"heat_template_version": "2018-08-31", "x": 1}
    )
    assert answer == {"Error": "The template section is invalid: x"}
    world.validator.error = errors.StackValidationFailed(message="no")
    answer = await world.call("validate_template", template={"heat_template_version": "2018-08-31"})
    assert answer == {"Error": "no"}


async def test_other_errors_are_raised(world: Any) -> None:
    world.validator.error = errors.UnknownUserParameter(key="x")
    with pytest.raises(errors.UnknownUserParameter):
        await world.call(
            "validate_template",
            template={"heat_template_version": "2018-08-31"},
            ignorable_errors=["99001"],
        )
    assert world.validator.validated == [(False, frozenset({"99001"}))]


async def test_parameters_of_nested_templates(world: Any) -> None:
    template = {
        "heat_template_version": "2018-08-31",
        "resources": {"n": {"type": "inner.yaml", "properties": {"p": "x"}}},
    }
    inner = "heat_template_version: 2018-08-31\nparameters: {p: {type: string}}\n"
    answer = await world.call(
        "validate_template", template=template, files={"inner.yaml": inner}, show_nested=True
    )
    assert answer["NestedParameters"]["n"] == {
        "Type": "inner.yaml",
        "Description": "No description",
        "Parameters": {
            "p": {
                "Description": "",
                "Label": "p",
                "NoEcho": "false",
                "Type": "String",
                "Value": "x",
            }
        },
    }
    assert answer["Environment"]["resource_registry"]["inner.yaml"] == "inner.yaml"


async def test_unknown_codes_are_answered_with_a_text(world: Any, template: dict[str, Any]) -> None:
    answer = await world.call(
        "validate_template", template=template, ignorable_errors=["99001", "1"]
    )
    assert answer == "<HTTPBadRequest at 0x0 400 Bad Request>"
