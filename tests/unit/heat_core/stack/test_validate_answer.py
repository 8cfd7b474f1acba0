"""Answers of the validate call."""

import pytest

from heat_core.errors import CircularDependencyException
from heat_core.stack.validate_answer import (
    describe_definition,
    error_answer,
    validate_and_describe,
)
from tests.nested_stage import definition_of

NEED = {"type": "inner.yaml", "properties": {"need": "x"}}


def test_a_template_without_mistakes() -> None:
    groups = [{"label": "G", "parameters": ["p"]}]
    definition = definition_of(
        {"n": NEED},
        parameters={"p": {"type": "string", "default": "d"}},
        parameter_groups=groups,
        description="text",
    )
    answer = validate_and_describe(definition)
    assert answer == {
        "Description": "text",
        "Parameters": {
            "p": {
                "Type": "String",
                "Description": "",
                "NoEcho": "false",
                "Label": "p",
                "Default": "d",
            }
        },
        "ParameterGroups": groups,
        "Environment": {
            "parameters": {},
            "parameter_defaults": {},
            "event_sinks": [],
            "resource_registry": {"resources": {}, "inner.yaml": "inner.yaml"},
        },
    }
    shown = describe_definition(definition, show_nested=True)
    assert shown.pop("NestedParameters")["n"]["Type"] == "inner.yaml"
    assert shown == answer


def test_mistakes_are_answers() -> None:
    definition = definition_of({"n": {"type": "No::Such"}})
    assert validate_and_describe(definition) == {
        "Error": "The Resource Type (No::Such) could not be found."
    }
    assert error_answer(ValueError("text")) == {"Error": "text"}


def test_services_that_are_missing_may_be_ignored() -> None:
    definition = definition_of({"n": {"type": "OS::Keystone::Project"}})
    with pytest.raises(Exception, match="HEAT-E99001"):
        validate_and_describe(definition, catalog_types=())
    assert "Parameters" in validate_and_describe(
        definition, catalog_types=(), ignorable_errors=("99001",)
    )


def test_other_errors_are_raised() -> None:
    definition = definition_of(
        {
            "a": {"type": "OS::Heat::None", "depends_on": "b"},
            "b": {"type": "OS::Heat::None", "depends_on": "a"},
        }
    )
    with pytest.raises(CircularDependencyException):
        validate_and_describe(definition)
