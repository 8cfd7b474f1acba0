from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heat_core import errors
from heat_core.rpc import ENGINE_METHODS

USERS_DAY = {
    "authenticated_to_backend",
    "count_stacks",
    "create_stack",
    "delete_stack",
    "describe_stack_resource",
    "describe_stack_resources",
    "find_physical_resource",
    "generate_template",
    "get_environment",
    "get_files",
    "get_revision",
    "get_template",
    "identify_stack",
    "list_events",
    "list_outputs",
    "list_resource_types",
    "list_services",
    "list_stack_resources",
    "list_stacks",
    "list_template_functions",
    "list_template_versions",
    "migrate_convergence_1",
    "preview_stack",
    "preview_update_stack",
    "resource_mark_unhealthy",
    "resource_schema",
    "resource_signal",
    "show_output",
    "show_stack",
    "stack_cancel_update",
    "stack_check",
    "update_stack",
    "validate_template",
}


async def test_a_users_day_is_built(world: Any) -> None:
    assert world.service.built == USERS_DAY


async def test_every_method_of_the_contract_has_a_handler(world: Any) -> None:
    assert set(world.service.handlers()) == {method.name for method in ENGINE_METHODS}


async def test_what_is_not_built_says_so(world: Any) -> None:
    with pytest.raises(errors.NotSupported) as caught:
        await world.call("stack_suspend", stack_identity={})
    assert str(caught.value) == "The operation stack_suspend is not supported."


async def test_arguments_are_checked_against_the_contract(world: Any) -> None:
    with pytest.raises(TypeError, match=r"identify_stack\(\) missing"):
        await world.call("identify_stack")
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'x'"):
        await world.call("identify_stack", stack_name="s", x=1)
    with pytest.raises(KeyError):
        await world.call("no_such_method")


async def test_answers_have_the_keys_of_recorded_ones(world: Any, shared: Path) -> None:
    samples = json.loads((shared / "facts" / "engine-samples.json").read_text())
    identity = await world.create(template=samples["get_template"])
    for name in ("a", "b", "c", "d"):
        await world.add_resource(identity, name, physical_id=f"st1-{name}-x")
    (shown,) = await world.call("show_stack", stack_identity=identity)
    assert set(shown) == set(samples["show_stack after create"][0])
    assert set(shown["parameters"]) == set(samples["show_stack after create"][0]["parameters"])
    (listed,) = await world.call("list_stacks")
    assert set(listed) == set(samples["list_stacks"][0])
    detail = await world.call("list_stack_resources", stack_identity=identity, with_detail=True)
    recorded = samples["list_stack_resources detail"]
    assert [set(one) for one in detail] == [set(one) for one in recorded]
    assert [one["required_by"] for one in detail] == [one["required_by"] for one in recorded]
    one = await world.call("describe_stack_resource", stack_identity=identity, resource_name="a")
    assert set(one) == set(samples["describe_stack_resource"])
    outputs = await world.call("list_outputs", stack_identity=identity)
    assert outputs == samples["list_outputs"]
    world.attributes.values["a"] = {"output": "v1"}
    output = await world.call("show_output", stack_identity=identity, output_key="o")
    assert output == samples["show_output"]
    environment = await world.call("get_environment", stack_identity=identity)
    assert environment == samples["get_environment"]
    template = await world.call("get_template", stack_identity=identity)
    assert template == samples["get_template"]
