from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from heat_core import errors
from heat_core.rpc import RequestContext
from heat_core.stack import EventRecord, StackId
from heat_io.database import events, properties_data

KEYS = {
    "event_identity",
    "event_time",
    "physical_resource_id",
    "resource_action",
    "resource_name",
    "resource_status",
    "resource_status_reason",
    "resource_type",
    "stack_identity",
    "stack_name",
}


async def _add(world: Any, identity: dict[str, str], *names: str, **values: Any) -> list[str]:
    uuids = [world.parts.new_id() for _ in names]

    def unit(connection: Connection) -> None:
        for name, uuid in zip(names, uuids, strict=True):
            record = EventRecord(
                uuid=uuid,
                stack_id=StackId(identity["stack_id"]),
                resource_name=name,
                **{
                    "resource_action": "CREATE",
                    "resource_status": "COMPLETE",
                    "physical_resource_id": f"phys-{name}",
                    "resource_status_reason": "state changed",
                    "resource_type": "OS::Heat::TestResource",
                    **values,
                },
            )
            events.insert_many(connection, [record])

    await world.database.transaction(unit)
    return uuids


async def _names(world: Any, identity: Any, **wanted: Any) -> list[str]:
    found = await world.call("list_events", stack_identity=identity, **wanted)
    return [event["resource_name"] for event in found]


async def test_the_newest_comes_first(world: Any) -> None:
    identity = await world.create()
    uuids = await _add(world, identity, "a", "b", "st1")
    found = await world.call("list_events", stack_identity=identity)
    assert [event["resource_name"] for event in found] == ["st1", "b", "a"]
    assert set(found[0]) == KEYS
    assert found[0]["event_identity"]["path"] == f"/resources/st1/events/{uuids[2]}"
    assert found[0]["stack_identity"] == identity


async def test_filters_sorting_and_pages(world: Any) -> None:
    identity = await world.create()
    uuids = await _add(world, identity, "a", "b", "c")
    assert await _names(world, identity, filters={"resource_name": "b"}) == ["b"]
    assert await _names(world, identity, limit=1, marker=uuids[2]) == ["b"]
    assert await _names(world, identity, sort_keys=["event_time"]) == ["a", "b", "c"]
    assert await _names(world, identity, marker="unknown", limit=2) == ["c", "b"]


async def test_one_event_has_properties(world: Any) -> None:
    identity = await world.create()
    data_id = await world.database.transaction(
        lambda connection: properties_data.insert(connection, {"value": "x"})
    )
    (uuid,) = await _add(world, identity, "a", properties_data_id=data_id)
    filters = {"uuid": uuid, "resource_name": "a"}
    (event,) = await world.call("list_events", stack_identity=identity, filters=filters)
    assert event["resource_properties"] == {"value": "x"}
    (bare,) = await _add(world, identity, "b")
    (event,) = await world.call("list_events", stack_identity=identity, filters={"uuid": bare})
    assert event["resource_properties"] is None
    wrong = {"uuid": uuid, "resource_name": "b"}
    assert await _names(world, identity, filters=wrong) == []


async def test_events_of_nested_stacks(world: Any, template: dict[str, Any]) -> None:
    identity = await world.create()
    nested = await world.create("st1-g-x", template, owner_id=identity["stack_id"], nested_depth=1)
    await world.add_resource(identity, "g")
    await world.add_resource(nested, "b", root_stack_id=identity["stack_id"])
    await _add(world, identity, "g")
    await _add(world, nested, "b")
    assert await _names(world, identity) == ["g"]
    found = await world.call("list_events", stack_identity=identity, nested_depth=1)
    assert [event["resource_name"] for event in found] == ["b", "g"]
    assert found[0]["stack_identity"] == nested
    assert found[0]["root_stack_id"] == identity


async def test_events_of_all_stacks_of_a_project(world: Any, other: RequestContext) -> None:
    one = await world.create("one")
    await _add(world, one, "a")
    await _add(world, await world.create("two", context=other), "b")
    assert await _names(world, None) == ["a"]


async def test_events_of_an_unknown_stack(world: Any, other: RequestContext) -> None:
    identity = await world.create()
    with pytest.raises(errors.EntityNotFound):
        await world.call("list_events", other, stack_identity=identity)
