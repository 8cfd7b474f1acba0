from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from heat_core.errors import (
    EntityNotFound,
    ImmutableParameterModified,
    NotSupported,
    RequestLimitExceeded,
    StackExists,
    StackValidationFailed,
)
from heat_core.stack import Action
from heat_io.database import properties_data

GIVEN: dict[str, Any] = {"params": {}, "files": {}, "args": {}}
MAIN: dict[str, Any] = {
    "heat_template_version": "2018-08-31",
    "description": "main stack",
    "parameters": {
        "length": {"type": "number", "default": 8},
        "secret": {"type": "string", "hidden": True, "default": "sesame"},
    },
    "resources": {
        "rand": {
            "type": "OS::Heat::RandomString",
            "properties": {"length": {"get_param": "length"}},
        },
        "val": {
            "type": "OS::Heat::Value",
            "properties": {"value": {"get_attr": ["rand", "value"]}},
            "metadata": {"n": {"get_param": "length"}},
        },
    },
    "outputs": {
        "number": {"value": {"get_param": "length"}},
        "random": {"value": {"get_attr": ["val", "value"]}},
        "bad": {"value": {"list_join": [",", {"get_param": "length"}]}},
    },
}
VALUE = {"heat_template_version": "2018-08-31", "resources": {
    "v": {"type": "OS::Heat::Value", "properties": {"value": "x"}},
}}  # fmt: skip


async def preview(world: Any, name: str = "pre", **arguments: Any) -> dict[str, Any]:
    given = {"template": MAIN, **GIVEN, **arguments}
    found: dict[str, Any] = await world.call("preview_stack", stack_name=name, **given)
    return found


async def test_what_a_create_would_make(world: Any) -> None:
    args = {"tags": ["a", "b"], "timeout_mins": 3}
    stack = await preview(world, args=args)
    resources = {resource["resource_name"]: resource for resource in stack.pop("resources")}
    outputs = {output["output_key"]: output for output in stack.pop("outputs")}
    assert stack.pop("creation_time").endswith("Z")
    assert stack == {
        "stack_name": "pre",
        "stack_identity": {
            "tenant": "PID", "stack_name": "pre", "stack_id": "None", "path": "",
        },
        "updated_time": None,
        "deletion_time": None,
        "notification_topics": [],
        "parameters": {
            "OS::stack_id": "None",
            "OS::project_id": "PID",
            "OS::stack_name": "pre",
            "length": "8",
            "secret": "******",
        },
        "description": "main stack",
        "template_description": "main stack",
        "capabilities": [],
        "disable_rollback": True,
        "timeout_mins": 3,
        "stack_owner": "uname",
        "parent": None,
        "stack_user_project_id": None,
        "tags": ["a", "b"],
    }  # fmt: skip
    assert outputs["number"]["output_value"] == 8
    assert outputs["random"]["output_value"] is None
    assert outputs["bad"]["output_error"]
    assert resources["rand"]["required_by"] == ["val"]
    assert resources["rand"]["attributes"] == {"value": None}
    assert resources["rand"]["properties"] == {
        "length": 8,
        "sequence": None,
        "character_classes": [{"class": "lettersdigits", "min": 1}],
        "character_sequences": None,
        "salt": None,
    }
    assert resources["val"]["metadata"] == {"n": 8}
    assert resources["val"]["properties"] == {"value": None, "type": None}
    assert resources["val"]["physical_resource_id"] == ""
    assert resources["val"]["resource_action"] == "INIT"
    assert resources["val"]["creation_time"] is None


async def test_a_stack_of_its_own_is_shown_as_its_resources(world: Any) -> None:
    template = {"heat_template_version": "2018-08-31", "resources": {
        "child": {"type": "child.yaml", "properties": {"word": "hello"}},
    }}  # fmt: skip
    child = (
        "heat_template_version: 2018-08-31\n"
        "parameters: {word: {type: string}}\n"
        "resources:\n"
        "  inner: {type: 'OS::Heat::Value', properties: {value: {get_param: word}}}\n"
    )
    stack = await preview(world, template=template, files={"child.yaml": child})
    ((inner,),) = stack["resources"]
    assert inner["resource_name"] == "inner"
    assert inner["parent_resource"] == "child"
    assert inner["stack_name"] == "pre-child"
    assert inner["attributes"] == {"value": "hello"}
    assert inner["properties"] == {"value": "hello", "type": None}


async def test_a_preview_stores_nothing(world: Any) -> None:
    await preview(world)
    assert await world.call("list_stacks") == []
    assert world.operations.begun == []
    assert world.credentials.created == []


async def test_what_a_create_would_refuse(world: Any) -> None:
    await world.create("pre")
    with pytest.raises(StackExists):
        await preview(world)
    with pytest.raises(StackValidationFailed):
        await preview(world, "1st")
    with pytest.raises(NotSupported):
        await preview(
            world, "other", args={"adopt_stack_data": '{"heat_template_version": "2018-08-31"}'}
        )
    world.set(max_stacks_per_tenant=1)
    with pytest.raises(RequestLimitExceeded):
        await preview(world, "other")


# --- update --------------------------------------------------------------------------------------


async def made(world: Any, template: Mapping[str, Any], **stored: Any) -> dict[str, str]:
    """A stack whose resources have these stored properties."""
    identity: dict[str, str] = await world.create(template=template)
    await world.change(identity, status="COMPLETE")
    for name, properties in stored.items():
        data_id = await world.database.transaction(
            lambda connection, given=properties: properties_data.insert(connection, given)
        )
        await world.add_resource(
            identity, name, physical_id=f"st1-{name}", properties_data_id=data_id
        )
    return identity


async def preview_update(
    world: Any, identity: Mapping[str, str], template: Any, **arguments: Any
) -> dict[str, Any]:
    given = {**GIVEN, **arguments}
    found: dict[str, Any] = await world.call(
        "preview_update_stack", stack_identity=identity, template=template, **given
    )
    return found


def names(changes: Mapping[str, Any]) -> dict[str, str]:
    return {one["resource_name"]: kind for kind, found in changes.items() for one in found}


async def test_what_an_update_would_change(world: Any) -> None:
    identity = await made(world, VALUE, v={"value": "x"})
    world.attributes.values["v"] = {"value": "x"}
    then = {
        "heat_template_version": "2018-08-31",
        "resources": {
            "v": {"type": "OS::Heat::Value", "properties": {"value": "y"}},
            "n": {"type": "OS::Heat::RandomString", "properties": {"length": 8}},
        },
    }
    changes = await preview_update(world, identity, then)
    assert list(changes) == ["unchanged", "updated", "replaced", "added", "deleted"]
    assert names(changes) == {"v": "updated", "n": "added"}
    (updated,) = changes["updated"]
    assert updated["physical_resource_id"] == "st1-v"
    assert updated["resource_action"] == "CREATE"
    assert updated["attributes"] == {"value": "x"}
    assert "changes" not in updated
    (added,) = changes["added"]
    assert added["stack_identity"] == identity
    assert (added["resource_action"], added["creation_time"]) == ("INIT", None)
    assert added["attributes"] == {"value": None}
    assert len(world.operations.begun) == 1


async def test_what_stays_is_shown_as_it_will_begin(world: Any) -> None:
    identity = await made(world, VALUE, v={"value": "x"})
    changes = await preview_update(world, identity, None, args={"existing": True})
    (unchanged,) = changes["unchanged"]
    assert names(changes) == {"v": "unchanged"}
    assert unchanged["resource_action"] == "INIT"
    assert unchanged["physical_resource_id"] == ""
    assert unchanged["attributes"] == {"value": "x"}


async def test_what_goes_is_shown_as_it_is(world: Any) -> None:
    identity = await made(world, VALUE, v={"value": "x"}, left={"value": 1})
    changes = await preview_update(world, identity, {"heat_template_version": "2018-08-31"})
    assert names(changes) == {"v": "deleted", "left": "deleted"}
    shown = {one["resource_name"]: one for one in changes["deleted"]}
    assert shown["v"]["physical_resource_id"] == "st1-v"
    assert shown["left"]["physical_resource_id"] == "st1-left"


async def test_what_changes_and_why(world: Any) -> None:
    template = {
        "heat_template_version": "2018-08-31",
        "parameters": {"h": {"type": "string", "hidden": True, "default": "secret"}},
        "resources": {
            "r": {"type": "OS::Heat::RandomString", "properties": {"length": 8}},
            "v": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "h"}}},
            "w": {"type": "OS::Heat::Value", "properties": {"value": {"get_attr": ["r", "value"]}}},
        },
    }
    identity = await made(
        world, template, r={"length": 8}, v={"value": "secret"}, w={"value": "abcdefgh"}
    )
    world.attributes.values["r"] = {"value": "abcdefgh"}
    resources = {**template["resources"], "r": {"type": "OS::Heat::RandomString"}}
    changes = await preview_update(
        world,
        identity,
        {**template, "resources": resources},
        params={"parameters": {"h": "other secret"}},
        args={"show_changes": True},
    )
    assert names(changes) == {"r": "replaced", "v": "updated", "w": "updated"}
    (replaced,) = changes["replaced"]
    assert replaced["changes"] == {
        "reason": "A change of property length takes a new object.",
        "refused": False,
        "properties": [{"name": "length", "before": 8, "after": 32, "known": True}],
    }
    shown = {one["resource_name"]: one["changes"] for one in changes["updated"]}
    assert shown["v"]["properties"] == [
        {"name": "value", "before": "******", "after": "******", "known": True}
    ]
    assert shown["w"]["properties"] == [
        {"name": "value", "before": "abcdefgh", "after": None, "known": False}
    ]
    assert "secret" not in str(changes["updated"][0]["changes"])


async def test_rows_of_an_older_template(world: Any) -> None:
    identity = await made(world, VALUE, v={"value": "x"})
    await world.call(
        "update_stack", stack_identity=identity, template={**VALUE, "resources": {
            "v": {"type": "OS::Heat::Value", "properties": {"value": "y"}},
        }}, **GIVEN,
    )  # fmt: skip
    assert names(await preview_update(world, identity, VALUE)) == {"v": "unchanged"}
    assert names(await preview_update(world, identity, None, args={"existing": True})) == {
        "v": "updated"
    }


@pytest.mark.parametrize("action", [Action.SUSPEND, Action.DELETE])
async def test_a_preview_is_allowed_where_an_update_is_not(world: Any, action: Action) -> None:
    identity = await made(world, VALUE, v={"value": "x"})
    await world.change(identity, action=action)
    assert names(await preview_update(world, identity, VALUE)) == {"v": "unchanged"}


async def test_what_an_update_would_refuse(world: Any, other: Any) -> None:
    template = {
        **VALUE,
        "parameters": {"i": {"type": "string", "default": "a", "immutable": True}},
    }
    identity = await made(world, template, v={"value": "x"})
    with pytest.raises(ImmutableParameterModified):
        await preview_update(world, identity, template, params={"parameters": {"i": "b"}})
    external = {"type": "OS::Heat::Value", "properties": {"value": "x"}, "external_id": "e"}
    with pytest.raises(NotSupported):
        await preview_update(world, identity, {**VALUE, "resources": {"v": external}})
    world.set(max_resources_per_stack=0)
    with pytest.raises(RequestLimitExceeded):
        await preview_update(world, identity, template)
    with pytest.raises(EntityNotFound):
        await world.call(
            "preview_update_stack", other, stack_identity=identity, template=VALUE, **GIVEN
        )
