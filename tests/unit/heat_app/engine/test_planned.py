"""Stacks that are not made yet, as answers show them."""

from __future__ import annotations

from typing import Any

import pytest

from heat_app.engine.planned import NO_ID, planned_stack_resources
from heat_core.errors import StackValidationFailed
from heat_core.stack import (
    DEFAULT_LIMITS,
    Action,
    StackDefinition,
    StackId,
    StackRecord,
    Status,
    TemplateId,
)
from heat_core.template import Template


def planned(resources: dict[str, Any], files: dict[str, str] | None = None) -> list[Any]:
    document = {"heat_template_version": "2018-08-31", "resources": resources}
    definition = StackDefinition.build(
        Template(document, files=files), stack_name="st", stack_id=NO_ID, project_id="p"
    )
    stack = StackRecord(
        id=StackId(NO_ID),
        name="st",
        tenant="p",
        raw_template_id=TemplateId(0),
        action=Action.CREATE,
        status=Status.IN_PROGRESS,
    )
    return planned_stack_resources(definition, stack, DEFAULT_LIMITS)


def test_resources_with_their_values_and_nested_stacks_as_lists() -> None:
    inner = (
        "heat_template_version: 2018-08-31\n"
        "resources: {i: {type: OS::Heat::Value, properties: {value: in}}}\n"
    )
    one, nested = planned(
        {
            "a": {
                "type": "OS::Heat::Value",
                "properties": {"value": {"get_param": "OS::stack_name"}},
            },
            "b": {"type": "n.yaml"},
        },
        {"n.yaml": inner},
    )
    assert one["properties"]["value"] == "st"
    assert [(shown["resource_name"], shown["properties"]["value"]) for shown in nested] == [
        ("i", "in")
    ]


def test_what_validation_does_not_look_at_is_the_users_mistake() -> None:
    document = {"a": {"type": "OS::Heat::None", "metadata": {"m": {"list_join": [",", 5]}}}}
    with pytest.raises(StackValidationFailed, match=r"resources\.a"):
        planned(document)
