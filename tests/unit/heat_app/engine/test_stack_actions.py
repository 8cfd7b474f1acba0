from __future__ import annotations

from typing import Any

import pytest

from heat_core.errors import EntityNotFound, Forbidden, NotSupported
from heat_core.rpc import RequestContext
from heat_core.stack import Action, Status


async def test_cancelling_an_update_rolls_back(world: Any) -> None:
    identity = await world.create()
    await world.change(identity, action=Action.UPDATE)
    assert await world.call("stack_cancel_update", stack_identity=identity) is None
    assert world.operations.begun[-1].action is Action.ROLLBACK
    assert world.operations.begun[-1].template_id is None
    assert world.operations.stopped == []


@pytest.mark.parametrize("action", [Action.UPDATE, Action.CREATE])
async def test_cancelling_without_rollback_only_stops(world: Any, action: Action) -> None:
    identity = await world.create()
    await world.change(identity, action=action)
    await world.call("stack_cancel_update", stack_identity=identity, cancel_with_rollback=False)
    assert world.operations.stopped == [identity["stack_id"]]
    assert len(world.operations.begun) == 1


@pytest.mark.parametrize(
    ("action", "status", "with_rollback"),
    [
        (Action.CREATE, Status.IN_PROGRESS, True),
        (Action.UPDATE, Status.COMPLETE, True),
        (Action.UPDATE, Status.FAILED, False),
        (Action.ROLLBACK, Status.IN_PROGRESS, True),
        (Action.DELETE, Status.IN_PROGRESS, False),
        (Action.CREATE, Status.COMPLETE, False),
    ],
)
async def test_nothing_that_can_be_cancelled(
    world: Any, action: Action, status: Status, with_rollback: bool
) -> None:
    identity = await world.create()
    await world.change(identity, action=action, status=status)
    with pytest.raises(NotSupported) as caught:
        await world.call(
            "stack_cancel_update", stack_identity=identity, cancel_with_rollback=with_rollback
        )
    text = f"Cancelling update when stack is {action}_{status} is not supported."
    assert str(caught.value) == text
    assert world.operations.stopped == []


async def test_check_begins_whatever_is_running(world: Any) -> None:
    identity = await world.create()
    assert await world.call("stack_check", stack_identity=identity) is None
    assert world.operations.begun[-1].action is Action.CHECK
    assert world.operations.begun[-1].changes == {}


@pytest.mark.parametrize("method", ["stack_check", "stack_cancel_update"])
async def test_a_stack_of_another_project(world: Any, other: Any, method: str) -> None:
    identity = await world.create()
    with pytest.raises(EntityNotFound):
        await world.call(method, other, stack_identity=identity)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("stack_cancel_update", {}),
        (
            "update_stack",
            {
                "template": {"heat_template_version": "2018-08-31"},
                "params": {},
                "files": {},
                "args": {},
            },
        ),
        ("resource_mark_unhealthy", {"resource_name": "a", "mark_unhealthy": True}),
        ("resource_signal", {"resource_name": "a", "details": {}}),
    ],
)
async def test_a_legacy_stack_is_not_changed(
    world: Any, method: str, arguments: dict[str, Any]
) -> None:
    identity = await world.create()
    await world.add_resource(identity, "a")
    await world.change(identity, convergence=False)
    with pytest.raises(NotSupported, match="heat-manage migrate_convergence_1"):
        await world.call(method, stack_identity=identity, **arguments)
    assert len(world.operations.begun) == 1


async def test_operators_migrate_legacy_stacks(world: Any) -> None:
    with pytest.raises(Forbidden):
        await world.call("migrate_convergence_1", stack_id="s")
    await world.call("migrate_convergence_1", RequestContext(is_admin=True), stack_id="s")
    assert world.operations.migrated == ["s"]
