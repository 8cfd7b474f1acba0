from __future__ import annotations

from typing import Any

import pytest

from heat_core import errors
from heat_core.rpc import RequestContext, dumps
from heat_core.stack import Action, Status
from heat_io.database import UnknownFilter

SHOWN_KEYS = {
    "capabilities",
    "creation_time",
    "deletion_time",
    "description",
    "disable_rollback",
    "notification_topics",
    "outputs",
    "parameters",
    "parent",
    "stack_action",
    "stack_identity",
    "stack_name",
    "stack_owner",
    "stack_status",
    "stack_status_reason",
    "stack_user_project_id",
    "tags",
    "template_description",
    "timeout_mins",
    "updated_time",
}


async def _names(world: Any, context: RequestContext | None = None, **wanted: Any) -> list[str]:
    found = await world.call("list_stacks", context, **wanted)
    return [stack["stack_name"] for stack in found]


async def test_lists_are_the_projects_own(
    world: Any, other: RequestContext, admin: RequestContext
) -> None:
    await world.create("one", args={"tags": ["t"]})
    await world.create("two", context=other)
    assert await _names(world) == ["one"]
    assert await _names(world, admin) == ["two", "one"]
    assert await _names(world, tenant_safe=False) == ["two", "one"]
    (stack,) = await world.call("list_stacks")
    assert stack["tags"] == ["t"]
    assert stack["stack_owner"] == "uname"


async def test_filters_sorting_and_pages(world: Any) -> None:
    ids = {}
    for name in ("a", "b", "c"):
        ids[name] = (await world.create(name))["stack_id"]
    assert await _names(world, filters={"stack_name": "b"}) == ["b"]
    assert await _names(world, filters={"stack_status": "CREATE_IN_PROGRESS"}) == ["c", "b", "a"]
    assert await _names(world, filters={"status": "nonsense"}) == []
    assert await _names(world, sort_keys=["stack_name"]) == ["a", "b", "c"]
    assert await _names(world, sort_keys="stack_name", sort_dir="desc") == ["c", "b", "a"]
    assert await _names(world, limit="1", marker=ids["c"]) == ["b"]
    assert await _names(world, limit=0) == []
    with pytest.raises(ValueError, match="sort direction"):
        await _names(world, sort_dir="up")


async def test_tags_and_hidden_stacks(world: Any) -> None:
    world.set(hidden_stack_tags=("hidden",))
    await world.create("plain", args={"tags": ["x"]})
    await world.create("shy", args={"tags": ["x", "hidden"]})
    assert await _names(world) == ["plain"]
    assert await _names(world, show_hidden=True) == ["shy", "plain"]
    assert await _names(world, show_hidden=True, tags=["x", "hidden"]) == ["shy"]
    assert await _names(world, not_tags_any="x,y") == []
    assert await world.call("count_stacks") == 1


async def test_counts_take_filters_by_column(world: Any) -> None:
    await world.create("a")
    await world.create("b")
    assert await world.call("count_stacks", filters={"name": "a"}) == 1
    assert await world.call("count_stacks", filters={"status": "CREATE_IN_PROGRESS"}) == 0
    with pytest.raises(UnknownFilter):
        await world.call("count_stacks", filters={"stack_name": "a"})


async def test_deleted_stacks_when_asked(world: Any) -> None:
    await world.delete_row(await world.create("gone"))
    assert await _names(world) == []
    assert await _names(world, show_deleted=True) == ["gone"]


async def test_show(world: Any) -> None:
    identity = await world.create(
        params={"parameters": {"h": "hush"}}, args={"tags": ["t1", "t2"], "timeout_mins": 5}
    )
    await world.add_resource(identity, "a", physical_id="st1-a-x")
    world.attributes.values["a"] = {"output": "v1"}
    (shown,) = await world.call("show_stack", stack_identity=identity)
    assert set(shown) == SHOWN_KEYS
    assert shown["parameters"] == {
        "OS::project_id": "PID",
        "OS::stack_id": identity["stack_id"],
        "OS::stack_name": "st1",
        "h": "******",
        "p": "one",
    }
    assert shown["outputs"] == [
        {"output_key": "o", "description": "No description given", "output_value": "v1"}
    ]
    assert (shown["tags"], shown["timeout_mins"]) == (["t1", "t2"], 5)
    assert shown["description"] == "No description"
    assert world.attributes.asked == [{"a": {"output"}}]
    dumps(shown)


async def test_show_without_outputs(world: Any) -> None:
    identity = await world.create()
    (shown,) = await world.call("show_stack", stack_identity=identity, resolve_outputs=False)
    assert set(shown) == SHOWN_KEYS - {"outputs"}
    await world.change(identity, action=Action.DELETE, status=Status.COMPLETE)
    (shown,) = await world.call("show_stack", stack_identity=identity)
    assert set(shown) == SHOWN_KEYS - {"outputs"}
    assert world.attributes.asked == []


async def test_show_every_stack(world: Any, other: RequestContext) -> None:
    await world.create("a")
    await world.create("b")
    await world.create("c", context=other)
    shown = await world.call("show_stack", stack_identity=None, resolve_outputs=False)
    assert [stack["stack_name"] for stack in shown] == ["b", "a"]


async def test_outputs(world: Any, template: dict[str, Any]) -> None:
    outputs = {
        "o": {"value": {"get_attr": ["a", "output"]}, "description": "what a says"},
        "ref": {"value": {"get_resource": "b"}},
        "wrong": {"value": {"str_split": [",", {"get_attr": ["a", "output"]}]}},
    }
    identity = await world.create(template={**template, "outputs": outputs})
    await world.add_resource(identity, "a")
    await world.add_resource(identity, "b", physical_id="phys")
    world.attributes.values["a"] = {"output": {"deep": [1]}}
    assert await world.call("list_outputs", stack_identity=identity) == [
        {"output_key": "o", "description": "what a says"},
        {"output_key": "ref", "description": "No description given"},
        {"output_key": "wrong", "description": "No description given"},
    ]
    shown = await world.call("show_output", stack_identity=identity, output_key="o")
    assert shown == {
        "output_key": "o",
        "description": "what a says",
        "output_value": {"deep": [1]},
    }
    shown = await world.call("show_output", stack_identity=identity, output_key="ref")
    assert shown["output_value"] == "phys"
    shown = await world.call("show_output", stack_identity=identity, output_key="wrong")
    assert shown["output_value"] is None
    assert shown["output_error"]
    with pytest.raises(errors.NotFound, match=r"^Specified output key x not found.$"):
        await world.call("show_output", stack_identity=identity, output_key="x")


async def test_template_environment_and_files(world: Any, template: dict[str, Any]) -> None:
    identity = await world.create(
        params={"parameters": {"h": "hush", "p": "two"}, "parameter_defaults": {"h": "d"}},
        files={"f": "text"},
    )
    assert await world.call("get_template", stack_identity=identity) == template
    assert await world.call("get_environment", stack_identity=identity) == {
        "encrypted_param_names": [],
        "event_sinks": [],
        "parameter_defaults": {"h": "******"},
        "parameters": {"h": "******", "p": "two"},
        "resource_registry": {"resources": {}},
    }
    assert await world.call("get_files", stack_identity=identity) == {"f": "text"}
