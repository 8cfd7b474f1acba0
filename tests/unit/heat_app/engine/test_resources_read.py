from __future__ import annotations

from typing import Any

import pytest

from heat_core import errors
from heat_core.rpc import RequestContext, dumps
from heat_core.stack import Action, Status
from heat_io.database import resources

LIST_KEYS = {
    "creation_time",
    "physical_resource_id",
    "required_by",
    "resource_action",
    "resource_identity",
    "resource_name",
    "resource_status",
    "resource_status_reason",
    "resource_type",
    "stack_identity",
    "stack_name",
    "updated_time",
}
DETAIL_KEYS = LIST_KEYS | {"attributes", "description", "metadata"}


async def _stack(world: Any) -> dict[str, str]:
    identity: dict[str, str] = await world.create()
    await world.add_resource(identity, "b", physical_id="phys-b")
    await world.add_resource(
        identity, "a", physical_id="phys-a", action=Action.UPDATE, status=Status.FAILED
    )
    world.attributes.values["a"] = {"output": "v1"}
    return identity


async def _names(world: Any, identity: dict[str, str], **wanted: Any) -> list[str]:
    found = await world.call("list_stack_resources", stack_identity=identity, **wanted)
    return [resource["resource_name"] for resource in found]


async def test_a_list_has_the_rows_in_their_order(world: Any) -> None:
    identity = await _stack(world)
    found = await world.call("list_stack_resources", stack_identity=identity)
    assert [one["resource_name"] for one in found] == ["b", "a"]
    assert set(found[0]) == LIST_KEYS
    assert found[1]["required_by"] == ["b"]
    assert found[1]["resource_type"] == "OS::Heat::TestResource"
    assert found[1]["resource_identity"]["path"] == "/resources/a"
    assert world.attributes.asked == []


async def test_a_stack_without_rows(world: Any) -> None:
    assert await _names(world, await world.create()) == []


async def test_a_list_in_detail(world: Any) -> None:
    identity = await _stack(world)
    found = await world.call("list_stack_resources", stack_identity=identity, with_detail=True)
    assert set(found[0]) == DETAIL_KEYS
    assert found[1]["attributes"] == {"output": "v1"}
    assert found[0]["attributes"] == {"output": None}
    assert len(world.attributes.asked) == 1
    dumps(found)


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"name": "a"}, ["a"]),
        ({"status": "UPDATE_FAILED"}, ["a"]),
        ({"action": ["CREATE", "UPDATE"]}, ["b", "a"]),
        ({"physical_resource_id": "phys-b"}, ["b"]),
        ({"type": "TestRes"}, ["b", "a"]),
        ({"type": "Nova"}, []),
        ({"id": 1}, ["b"]),
    ],
)
async def test_filters(world: Any, filters: dict[str, Any], names: list[str]) -> None:
    identity = await _stack(world)
    assert await _names(world, identity, filters=filters) == names


async def test_of_two_rows_the_last_is_the_resource(world: Any) -> None:
    identity = await _stack(world)
    await world.add_resource(identity, "b", physical_id="phys-new")
    found = await world.call("list_stack_resources", stack_identity=identity)
    assert [one["physical_resource_id"] for one in found] == ["phys-new", "phys-a"]


async def test_a_row_of_an_older_template_is_shown_as_that_has_it(
    world: Any, template: dict[str, Any]
) -> None:
    identity = await _stack(world)
    resources = {"a": {"type": "OS::Heat::RandomString"}}
    newer = {**template, "resources": resources, "outputs": {}}
    await world.call(
        "update_stack",
        stack_identity=identity,
        template=newer,
        params={},
        files={},
        args={},
    )
    await world.add_resource(identity, "a")
    found = await world.call("list_stack_resources", stack_identity=identity)
    assert [(one["resource_name"], one["resource_type"]) for one in found] == [
        ("b", "OS::Heat::TestResource"),
        ("a", "OS::Heat::RandomString"),
    ]


async def test_a_row_whose_template_forgot_it_is_left_out(world: Any) -> None:
    identity = await _stack(world)
    await world.add_resource(identity, "stranger")
    assert await _names(world, identity) == ["b", "a"]


async def test_nested_stacks(world: Any, template: dict[str, Any]) -> None:
    identity = await _stack(world)
    place = {"owner_id": identity["stack_id"], "nested_depth": 1, "parent_resource_name": "a"}
    nested = await world.create(await world.asks(identity, "a"), template, **place)
    await world.add_resource(nested, "b", root_stack_id=identity["stack_id"])
    row = (await world.rows(identity))["a"]
    await world.database.transaction(
        lambda connection: resources.update(
            connection, row.id, {"physical_id": nested["stack_id"], "status": Status.COMPLETE}
        )
    )
    flat = await world.call("list_stack_resources", stack_identity=identity)
    assert "nested_stack_id" not in flat[0]
    assert flat[1]["nested_stack_id"] == nested
    deep = await world.call("list_stack_resources", stack_identity=identity, nested_depth=2)
    assert [(one["stack_name"], one["resource_name"]) for one in deep] == [
        ("st1", "b"),
        ("st1", "a"),
        (nested["stack_name"], "b"),
    ]
    assert deep[2]["parent_resource"] == "a"
    world.set(max_nested_stack_depth=0)
    assert len(await _names(world, identity, nested_depth=2)) == 2


async def test_one_resource(world: Any) -> None:
    identity = await _stack(world)
    shown = await world.call("describe_stack_resource", stack_identity=identity, resource_name="a")
    assert set(shown) == DETAIL_KEYS
    assert shown["attributes"] == {"output": "v1"}
    assert shown["metadata"] == {}
    assert shown["description"] == ""


async def test_attributes_that_are_asked_for(world: Any) -> None:
    identity = await _stack(world)
    world.attributes.values["a"] = {"output": "v1", "extra": 2}

    async def show(with_attr: Any) -> Any:
        return await world.call(
            "describe_stack_resource",
            stack_identity=identity,
            resource_name="a",
            with_attr=with_attr,
        )

    assert (await show(["extra"]))["attributes"] == {"output": "v1", "extra": 2}
    assert "attributes" not in await show(False)
    world.attributes.values["a"]["show"] = {"id": 1}
    assert (await show(["extra"]))["attributes"] == {"id": 1, "extra": 2}


async def test_a_resource_that_has_no_row_yet(world: Any) -> None:
    identity = await world.create()
    shown = await world.call("describe_stack_resource", stack_identity=identity, resource_name="a")
    assert (shown["resource_action"], shown["resource_status"]) == ("INIT", "COMPLETE")
    assert (shown["physical_resource_id"], shown["creation_time"]) == ("", None)
    assert shown["resource_status_reason"] == ""
    assert shown["attributes"] == {"output": None}


async def test_an_unknown_resource(world: Any) -> None:
    identity = await world.create()
    with pytest.raises(errors.ResourceNotFound) as caught:
        await world.call("describe_stack_resource", stack_identity=identity, resource_name="x")
    assert str(caught.value) == "The Resource (x) could not be found in Stack st1."


async def test_users_of_the_stack_see_no_resource_yet(world: Any, user: RequestContext) -> None:
    from dataclasses import replace

    identity = await _stack(world)
    with pytest.raises(errors.Forbidden):
        await world.call(
            "describe_stack_resource",
            replace(user, roles=("heat_stack_user",)),
            stack_identity=identity,
            resource_name="a",
        )


async def test_all_resources_of_the_template(world: Any) -> None:
    identity = await _stack(world)
    found = await world.call(
        "describe_stack_resources", stack_identity=identity, resource_name=None
    )
    assert [one["resource_name"] for one in found] == ["a", "b"]
    assert set(found[0]) == DETAIL_KEYS
    found = await world.call("describe_stack_resources", stack_identity=identity, resource_name="b")
    assert [one["resource_name"] for one in found] == ["b"]


async def test_by_physical_id(world: Any, other: RequestContext) -> None:
    identity = await _stack(world)
    found = await world.call("find_physical_resource", physical_resource_id="phys-a")
    assert found == {**identity, "path": "/resources/a"}
    for context, text in ((None, "nothing"), (other, "phys-a")):
        with pytest.raises(errors.EntityNotFound) as caught:
            await world.call("find_physical_resource", context, physical_resource_id=text)
        assert str(caught.value) == f"The Resource ({text}) could not be found."
    second = await world.create("st2")
    await world.add_resource(second, "a", physical_id="phys-a")
    with pytest.raises(errors.PhysicalResourceIDAmbiguity):
        await world.call("find_physical_resource", physical_resource_id="phys-a")
