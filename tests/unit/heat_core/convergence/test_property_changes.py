"""What a preview tells of a resource's properties."""

from __future__ import annotations

from typing import Any

import pytest

from heat_core.convergence.property_changes import is_secret, readable
from heat_core.environment import Environment
from heat_core.resources import registry
from heat_core.stack import StackDefinition
from heat_core.template import Template

TEST = "OS::Heat::TestResource"


def define(properties: Any, **parameters: Any) -> StackDefinition:
    document = {
        "heat_template_version": "2018-08-31",
        "parameters": parameters,
        "resources": {"a": {"type": TEST} | ({"properties": properties} if properties else {})},
    }
    template = Template(document, environment=Environment.from_dict({}))
    return StackDefinition.build(template, stack_name="st", stack_id="id", project_id="tenant")


HIDDEN = {"type": "string", "hidden": True, "default": "secret"}
PLAIN = {"type": "string", "default": "plain"}


def test_values_that_do_not_fit_the_schema_are_left_out() -> None:
    values = readable(registry.find(TEST), {"value": "v", "wait_secs": "soon"})
    assert values["value"] == "v"
    assert "wait_secs" not in values
    assert values["fail"] is False


def test_what_is_no_map_has_no_values() -> None:
    assert readable(registry.find(TEST), "text") == {}  # type: ignore[arg-type]  # as stored once
    assert readable(registry.find(TEST), None)["fail"] is False


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ({"get_param": "h"}, True),
        ({"list_join": ["-", ["x", {"get_param": "h"}]]}, True),
        ({"get_param": "p"}, False),
        ("secret", False),
    ],
)
def test_what_comes_from_a_hidden_parameter_is_secret(value: Any, secret: bool) -> None:
    definition = define({"value": value}, h=HIDDEN, p=PLAIN)
    assert is_secret(definition, definition.resources["a"], "value") is secret
    assert not is_secret(definition, definition.resources["a"], "fail")


def test_one_call_for_all_properties_may_make_each_of_them_secret() -> None:
    whole = {"map_merge": [{"value": {"get_param": "h"}}]}
    definition = define(whole, h=HIDDEN)
    assert is_secret(definition, definition.resources["a"], "value")


def test_without_a_definition_or_hidden_parameters_nothing_is_secret() -> None:
    definition = define({"value": {"get_param": "p"}}, p=PLAIN)
    assert not is_secret(definition, definition.resources["a"], "value")
    assert not is_secret(None, None, "value")
    assert not is_secret(define(None, h=HIDDEN), define(None).resources["a"], "value")
