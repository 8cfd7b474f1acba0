from __future__ import annotations

from datetime import timedelta
from typing import Any

from trio.testing import MockClock

from heat_app.doctor.examination import Examination, by_signs, examine, find_stacks
from heat_core.convergence.diagnosis import Progress
from heat_core.stack import EngineId, ServiceRecord, StackId
from heat_io.database import services, stacks

FRESH = timedelta(seconds=15)


async def look(
    folder: Any, stack_id: StackId, *, somebody_runs: bool = False, fresh: timedelta = FRESH
) -> Examination:
    judge = by_signs(fresh, somebody_runs=somebody_runs)
    return await examine(folder.database, stack_id, judge=judge, now=folder.now())


async def test_a_stack_whose_engine_is_gone(
    folder: Any, autojump_clock: MockClock, slow: dict[str, Any]
) -> None:
    stack_id = await folder.add("st1", slow)
    await folder.cut(stack_id, after_seconds=5)
    found = await look(folder, stack_id)
    (diagnosis,) = found.diagnoses
    assert not found.is_well
    assert not found.is_at_rest
    assert (diagnosis.nodes_done, diagnosis.nodes_total) == (1, 3)
    assert {state.progress for state in diagnosis.nodes} == {Progress.CUT, Progress.WAITING}
    assert [(lock.row.name, lock.alive) for lock in diagnosis.locks] == [("slow", False)]


async def test_an_engine_lives_while_it_signs_and_a_process_runs(
    folder: Any, autojump_clock: MockClock, slow: dict[str, Any]
) -> None:
    stack_id = await folder.add("st1", slow)
    await folder.cut(stack_id, after_seconds=5)
    record = ServiceRecord(
        id="s", engine_id="e1", host="h", hostname="hn", binary="heat-engine", topic="engine",
        report_interval=60, created_at=folder.now() - timedelta(seconds=10),
    )  # fmt: skip
    await folder.database.transaction(lambda connection: services.insert(connection, record))
    engine = EngineId("e1")
    running = await look(folder, stack_id, somebody_runs=True)
    assert running.is_well
    assert running.engines.age(engine) == timedelta(seconds=10)
    assert not (await look(folder, stack_id)).is_well
    silent = await look(folder, stack_id, somebody_runs=True, fresh=timedelta(seconds=9))
    assert silent.engines.is_dead(engine)
    unknown = EngineId("unknown")
    assert running.engines.age(unknown) is None
    judge = by_signs(FRESH)
    assert await judge(running.engines, frozenset({engine, unknown})) == {unknown}


async def test_all_that_is_nested_is_looked_at(
    folder: Any, autojump_clock: MockClock, slow: dict[str, Any]
) -> None:
    root = await folder.add("root", {})
    child = await folder.add("root-c-x", {}, owner_id=root)
    await folder.add("root-c-x-g-y", slow, owner_id=child)
    await folder.add("other", slow)
    found = await look(folder, root)
    assert [one.stack.name for one in found.diagnoses] == ["root", "root-c-x", "root-c-x-g-y"]
    below = await look(folder, child)
    assert below.diagnoses[0].stack.name == "root-c-x"
    assert (await look(folder, StackId("none"))).diagnoses == ()


async def test_stacks_by_name_and_by_id(folder: Any, autojump_clock: MockClock) -> None:
    one = await folder.add("st1", {})
    two = await folder.add("st1", {}, tenant="OTHER")
    nested = await folder.add("st1-x", {}, owner_id=one)
    gone = await folder.add("st1", {})
    await folder.database.transaction(lambda connection: stacks.soft_delete(connection, gone))

    async def found(text: str) -> set[str]:
        stacks = await folder.database.read(lambda connection: find_stacks(connection, text))
        return {stack.id for stack in stacks}

    assert await found("st1") == {one, two}
    assert await found(one) == {one}
    assert await found("st1-x") == {nested}
    assert await found("none") == set()
