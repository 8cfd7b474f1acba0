"""Which resource a nested stack belongs to, on every database."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from heat_core.stack.ids import EngineId
from heat_core.stack.naming import physical_resource_name
from heat_core.stack.states import Action
from heat_io.database import Database, nesting, stacks

HELD = {"engine_id": EngineId("e"), "action": Action.CREATE}


@pytest.mark.parametrize(
    ("row", "of_parent", "awaited"),
    [
        (HELD, {}, True),
        (HELD | {"action": Action.UPDATE}, {}, True),
        (HELD | {"action": Action.DELETE}, {}, False),
        (HELD | {"engine_id": None}, {}, False),
        (HELD | {"name": "other"}, {}, False),
        ({"engine_id": None}, {"convergence": False}, True),
    ],
)
async def test_a_nested_stack_is_awaited_by_the_row_that_it_is_named_after(
    database: Database, build: Any, row: dict[str, Any], of_parent: dict[str, Any], awaited: bool
) -> None:
    def work(connection: Connection) -> bool:
        parent = build.stack(connection, "parent", **of_parent)
        asking = build.stored(connection, parent, **({"name": "r"} | row))
        # Another generation of the resource is held; it is not the one that asks.
        build.stored(connection, parent, "r", **HELD)
        name = physical_resource_name(parent.name, "r", asking.uuid)
        child = build.stack_record(
            parent.raw_template_id, name, owner_id=parent.id, parent_resource_name="r"
        )
        return nesting.is_awaited(connection, child)

    assert await database.transaction(work) is awaited


async def test_a_stack_of_no_resource_is_always_awaited(database: Database, build: Any) -> None:
    def work(connection: Connection) -> list[bool]:
        parent = build.stack(connection, "parent")
        child = build.stack(connection, "child", owner_id=parent.id, parent_resource_name="r")
        stacks.soft_delete(connection, parent.id)
        return [nesting.is_awaited(connection, one) for one in (parent, child)]

    assert await database.transaction(work) == [True, False]
