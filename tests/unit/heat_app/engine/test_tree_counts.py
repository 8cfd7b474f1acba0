"""Limits over a tree of stacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import trio
import trio.testing

from heat_app.engine.tree_counts import FRESH_SECONDS, KEPT_TREES, TreeCounts
from heat_core.errors import RequestLimitExceeded
from heat_core.stack import StackId, StackLimits
from heat_io.database import resources, stacks

LIMITS = StackLimits(max_resources_per_stack=20)
GIVEN: dict[str, Any] = {"params": {}, "files": {}, "args": {}}


def of(count: int) -> dict[str, Any]:
    members = {f"r{number}": {"type": "OS::Heat::None"} for number in range(count)}
    return {"heat_template_version": "2018-08-31", "resources": members}


async def add(world: Any, identity: Mapping[str, str], root: str, count: int) -> None:
    for number in range(count):
        await world.add_resource(identity, f"r{number}", root_stack_id=root)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The roots whose trees were counted in the database."""
    real, found = resources.count_under, []

    def count_under(connection: Any, root_id: Any) -> int:
        found.append(root_id)
        return real(connection, root_id)

    monkeypatch.setattr(resources, "count_under", count_under)
    return found


async def test_a_tree_is_counted_once_for_many_nested_stacks(
    world: Any, counted: list[str], autojump_clock: trio.testing.MockClock
) -> None:
    identity = await world.create(template=of(4))
    root = StackId(identity["stack_id"])
    await add(world, identity, root, 4)
    trees = TreeCounts(world.database)
    for _ in range(4):
        await trees.check_room(root, LIMITS, adding=3)
    assert counted == [root]
    # What was let in counts: 16 are there in theory, so the limit is near and the tree is counted.
    await trees.check_room(root, LIMITS, adding=3)
    assert counted == [root, root]
    await trio.sleep(FRESH_SECONDS + 1)
    await trees.check_room(root, LIMITS, adding=1)
    assert counted == [root, root, root]


async def test_near_the_limit_every_check_counts(world: Any, counted: list[str]) -> None:
    identity = await world.create(template=of(1))
    root = StackId(identity["stack_id"])
    await add(world, identity, root, 18)
    trees = TreeCounts(world.database)
    await trees.check_room(root, LIMITS, adding=2)
    with pytest.raises(RequestLimitExceeded) as caught:
        await trees.check_room(root, LIMITS, adding=3)
    assert str(caught.value).startswith("Request limit exceeded: ")
    await trees.check_room(root, LIMITS, adding=5, instead_of=4)
    assert len(counted) == 3


async def test_without_a_limit_nothing_is_counted(world: Any, counted: list[str]) -> None:
    trees = TreeCounts(world.database)
    await trees.check_room(StackId("s"), StackLimits(max_resources_per_stack=-1), adding=10**6)
    assert counted == []


async def test_trees_of_long_ago_are_forgotten(world: Any, counted: list[str]) -> None:
    trees = TreeCounts(world.database)
    for number in range(KEPT_TREES + 1):
        await trees.check_room(StackId(str(number)), LIMITS, adding=1)
    await trees.check_room(StackId("1"), LIMITS, adding=1)
    await trees.check_room(StackId("0"), LIMITS, adding=1)
    assert counted.count("1") == 1
    assert counted.count("0") == 2


async def test_a_nested_stack_needs_room_in_its_tree(world: Any) -> None:
    parent = await world.create("parent", of(3))
    await add(world, parent, parent["stack_id"], 2)
    name = await world.asks(parent, "r2")
    world.set(max_resources_per_stack=6)
    place = {"owner_id": parent["stack_id"], "nested_depth": 1, "user_creds_id": None,
             "stack_user_project_id": "p", "parent_resource_name": "r2"}  # fmt: skip
    with pytest.raises(RequestLimitExceeded):
        await world.create(name, of(4), **place)
    child = await world.create(name, of(2), **place)
    await add(world, child, parent["stack_id"], 2)

    def root_of(connection: Any) -> Any:
        return stacks.root_of(connection, StackId(child["stack_id"]))

    assert await world.database.read(root_of) == parent["stack_id"]
    with pytest.raises(RequestLimitExceeded):
        await world.create("parent-r1-x", of(2), **{**place, "parent_resource_name": "r1"})
    # An update's resources count for those that it had.
    await world.call("update_stack", stack_identity=child, template=of(3), **GIVEN)
    with pytest.raises(RequestLimitExceeded):
        await world.call("update_stack", stack_identity=child, template=of(4), **GIVEN)
