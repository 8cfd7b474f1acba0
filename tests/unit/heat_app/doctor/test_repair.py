from __future__ import annotations

from typing import Any

from trio.testing import MockClock

from heat_app.doctor.repair import repair
from heat_core.stack import Action, Status
from heat_io.database import stacks


async def repaired(folder: Any, stack_id: Any) -> tuple[list[str], Any]:
    said: list[str] = []
    async with folder.engine("e2") as engine:
        found = await repair(engine, folder.database, stack_id, said.append)
    return said, found


async def test_what_was_cut_off_is_carried_to_its_end(
    folder: Any, autojump_clock: MockClock, slow: dict[str, Any]
) -> None:
    stack_id = await folder.add("st1", slow)
    other = await folder.add("st2", slow)
    await folder.cut(stack_id, after_seconds=5)
    said, found = await repaired(folder, stack_id)
    assert said[0].startswith("st1: seen to: the update of slow (")
    assert said[0].endswith(") is ready and nobody is at it")
    assert said[1:] == ["st1: CREATE_IN_PROGRESS", "st1: CREATE_COMPLETE"]
    assert found.is_at_rest
    # Nobody asked for the other one.
    untouched = await folder.database.read(lambda connection: stacks.fetch(connection, other))
    assert untouched.status is Status.IN_PROGRESS


async def test_what_was_never_begun_is_begun(
    folder: Any, autojump_clock: MockClock, slow: dict[str, Any]
) -> None:
    stack_id = await folder.add("st1", slow)
    said, found = await repaired(folder, stack_id)
    assert said[0] == "st1: seen to: CREATE was accepted, but never begun"
    assert said[-1] == "st1: CREATE_COMPLETE"
    assert found.is_at_rest


async def test_a_stack_that_is_well_is_left_as_it_is(
    folder: Any, autojump_clock: MockClock
) -> None:
    stack_id = await folder.add("st1", {}, status=Status.COMPLETE)
    said, found = await repaired(folder, stack_id)
    assert said == ["st1: CREATE_COMPLETE"]
    assert found.is_at_rest


async def test_what_heat_began_and_may_be_an_abandon_is_left_alone(
    folder: Any, autojump_clock: MockClock
) -> None:
    stack_id = await folder.add("st1", {}, action=Action.DELETE)
    said, found = await repaired(folder, stack_id)
    assert said == ["st1: DELETE_IN_PROGRESS"]
    assert not found.is_well
