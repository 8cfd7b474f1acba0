"""The endpoints over the real drivers: one stack's life, told by the answers that a client gets."""

from __future__ import annotations

from typing import Any

import pytest
import trio
import trio.testing

from heat_core import errors

TEMPLATE: dict[str, Any] = {
    "heat_template_version": "2018-08-31",
    "parameters": {"n": {"type": "number", "default": 8}},
    "resources": {
        "text": {"type": "OS::Heat::RandomString", "properties": {"length": {"get_param": "n"}}},
        "again": {
            "type": "OS::Heat::Value",
            "properties": {"value": {"get_attr": ["text", "value"]}},
        },
    },
    "outputs": {
        "text": {"value": {"get_attr": ["text", "value"]}},
        "again": {"value": {"get_attr": ["again", "value"]}},
    },
}


async def test_the_life_of_a_stack(client: Any, autojump_clock: trio.testing.MockClock) -> None:
    given: dict[str, Any] = {"params": {}, "files": {}, "args": {}}
    identity = await client.call("create_stack", stack_name="st1", template=TEMPLATE, **given)
    stack = await client.wait(identity, "CREATE_COMPLETE")
    assert stack["stack_status_reason"] == "Stack CREATE completed successfully"
    assert stack["updated_time"] is None
    values = {output["output_key"]: output["output_value"] for output in stack["outputs"]}
    assert len(values["text"]) == 8
    assert values["again"] == values["text"]

    found = await client.call("list_stack_resources", stack_identity=identity, with_detail=True)
    by_name = {resource["resource_name"]: resource for resource in found}
    assert set(by_name) == {"text", "again"}
    assert by_name["text"]["required_by"] == ["again"]
    assert by_name["text"]["attributes"] == {"value": values["text"]}
    assert by_name["again"]["resource_status_reason"] == "state changed"
    events = await client.call("list_events", stack_identity=identity)
    assert [
        (event["resource_name"], event["resource_action"], event["resource_status"])
        for event in events
    ] == [
        ("st1", "CREATE", "COMPLETE"),
        ("again", "CREATE", "COMPLETE"),
        ("again", "CREATE", "IN_PROGRESS"),
        ("text", "CREATE", "COMPLETE"),
        ("text", "CREATE", "IN_PROGRESS"),
        ("st1", "CREATE", "IN_PROGRESS"),
    ]

    given["params"] = {"parameters": {"n": 12}}
    await client.call("update_stack", stack_identity=identity, template=TEMPLATE, **given)
    stack = await client.wait(identity, "UPDATE_COMPLETE")
    values = {output["output_key"]: output["output_value"] for output in stack["outputs"]}
    assert len(values["text"]) == 12
    assert values["again"] == values["text"]
    assert stack["parameters"]["n"] == "12"

    await client.call("delete_stack", stack_identity=identity)
    stack = await client.wait(identity, "DELETE_COMPLETE")
    assert "outputs" not in stack
    await trio.sleep(1)
    with pytest.raises(errors.EntityNotFound):
        await client.call("identify_stack", stack_name="st1")
    assert await client.call("identify_stack", stack_name=identity["stack_id"]) == identity


async def test_a_stack_that_fails(client: Any, autojump_clock: trio.testing.MockClock) -> None:
    template = {
        "heat_template_version": "2018-08-31",
        "resources": {
            "bad": {"type": "OS::Heat::TestResource", "properties": {"fail": True, "value": "x"}}
        },
        "outputs": {"o": {"value": {"get_attr": ["bad", "output"]}}},
    }
    identity = await client.call(
        "create_stack", stack_name="st1", template=template, params={}, files={}, args={}
    )
    stack = await client.wait(identity, "CREATE_FAILED")
    assert stack["stack_status_reason"].startswith("Resource CREATE failed: ")
    resource = await client.call(
        "describe_stack_resource", stack_identity=identity, resource_name="bad"
    )
    assert (resource["resource_action"], resource["resource_status"]) == ("CREATE", "FAILED")
    await client.call("delete_stack", stack_identity=identity)
    await client.wait(identity, "DELETE_COMPLETE")


async def test_an_attribute_that_a_group_lacks_spoils_nothing_else(
    client: Any, autojump_clock: trio.testing.MockClock
) -> None:
    member = {"type": "OS::Heat::RandomString"}
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 2, "resource_def": member},
    }
    template = {
        "heat_template_version": "2021-04-16",
        "resources": {"a": group},
        "outputs": {
            "lacking": {"value": {"get_attr": ["a", "attributes"]}},
            "good": {"value": {"get_attr": ["a", "value"]}},
        },
    }
    given: dict[str, Any] = {"params": {}, "files": {}, "args": {}}
    identity = await client.call("create_stack", stack_name="st1", template=template, **given)
    stack = await client.wait(identity, "CREATE_COMPLETE")
    outputs = {output["output_key"]: output for output in stack["outputs"]}
    assert len(outputs["good"]["output_value"]) == 2
    assert outputs["lacking"]["output_value"] is None
    assert outputs["lacking"]["output_error"] == (
        "The Referenced Attribute (a attributes) is incorrect."
    )
    shown = await client.call(
        "describe_stack_resource", stack_identity=identity, resource_name="a", with_attr=[]
    )
    assert shown["attributes"]["attributes"] is None


async def test_a_stack_whose_resource_needs_what_a_group_lacks_fails(
    client: Any, autojump_clock: trio.testing.MockClock
) -> None:
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": 1, "resource_def": {"type": "OS::Heat::RandomString"}},
    }
    needing = {
        "type": "OS::Heat::Value",
        "properties": {"value": {"get_attr": ["a", "attributes"]}},
    }
    template = {
        "heat_template_version": "2021-04-16",
        "resources": {"a": group, "b": needing},
    }
    given: dict[str, Any] = {"params": {}, "files": {}, "args": {}}
    identity = await client.call("create_stack", stack_name="st1", template=template, **given)
    stack = await client.wait(identity, "CREATE_FAILED")
    assert "The Referenced Attribute (a attributes) is incorrect." in stack["stack_status_reason"]
