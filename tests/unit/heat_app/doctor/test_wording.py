from __future__ import annotations

from datetime import timedelta
from typing import Any

from trio.testing import MockClock

from heat_app.doctor.examination import by_signs, examine
from heat_app.doctor.wording import report
from heat_core.stack import Action, ServiceRecord, Status
from heat_io.database import services


async def lines(
    folder: Any, stack_id: Any, *, runs: bool = False, everything: bool = False
) -> list[str]:
    found = await examine(
        folder.database,
        stack_id,
        judge=by_signs(timedelta(seconds=15), somebody_runs=runs),
        now=folder.now(),
    )
    return list(report(found, everything=everything))


async def test_a_report_of_a_cut_operation(
    folder: Any, autojump_clock: MockClock, slow: dict[str, Any]
) -> None:
    stack_id = await folder.add("st1", slow, timeout=60)
    await folder.cut(stack_id, after_seconds=5, name="0123456789")
    told = await lines(folder, stack_id)
    assert told[0] == f"stack st1 {stack_id}, project PID"
    assert told[1] == "  CREATE_IN_PROGRESS: Stack CREATE started"
    assert told[2].endswith(", begun by heat-trio")
    assert told[3] == "  must end by 2026-11-29 15:00:00 UTC"
    assert told[4] == "  nodes: 1 of 3 done"
    text = "\n".join(told)
    assert "was cut off, engine 01234567" in text
    assert "waits for the update of slow (" in text
    assert "  locks: 1, 1 of them held by dead engines" in text
    assert "by engine 01234567, dead (not in the list of services)" in text
    assert "  sync points: 2 of 4 not complete" in text
    assert "    the stack's own: 1 of 2 arrived, not the update of last (" in text
    assert told[-3:-1] == ["  owed:", f"    {told[-2].strip()}"]
    assert told[-2].endswith("is ready and nobody is at it")


async def test_a_report_while_an_engine_is_at_it(
    folder: Any, autojump_clock: MockClock, slow: dict[str, Any]
) -> None:
    stack_id = await folder.add("st1", slow)
    await folder.cut(stack_id, after_seconds=5)
    record = ServiceRecord(
        id="s", engine_id="e1", host="h", hostname="hn", binary="heat-engine", topic="engine",
        report_interval=60, created_at=folder.now() - timedelta(seconds=3),
    )  # fmt: skip
    await folder.database.transaction(lambda connection: services.insert(connection, record))
    told = "\n".join(await lines(folder, stack_id, runs=True))
    assert "is worked on, engine e1" in told
    assert "alive (on hn, last sign 3 s ago)" in told
    assert told.rstrip().endswith("owed: nothing, somebody is at it")


async def test_a_report_of_a_stack_at_rest(folder: Any, autojump_clock: MockClock) -> None:
    stack_id = await folder.add(
        "st1", {}, status=Status.COMPLETE, status_reason=None, owner_id="parent"
    )
    assert await lines(folder, stack_id) == [
        f"  nested stack st1 {stack_id}, project PID",
        "  CREATE_COMPLETE: no reason given",
        "  traversal none",
        "  owed: nothing",
        "",
    ]


async def test_a_delete_that_heat_began(folder: Any, autojump_clock: MockClock) -> None:
    stack_id = await folder.add("st1", {}, action=Action.DELETE)
    told = await lines(folder, stack_id)
    assert "it may be a stack that is abandoned" in told[-2]


async def test_long_lists_are_cut(
    folder: Any, autojump_clock: MockClock, slow: dict[str, Any]
) -> None:
    many = {f"s{number:02}": slow["slow"] for number in range(25)}
    stack_id = await folder.add("st1", many)
    await folder.cut(stack_id, after_seconds=5)
    told = await lines(folder, stack_id)
    assert told.count("    ... and 5 more (--all shows them)") == 3
    whole = await lines(folder, stack_id, everything=True)
    assert not any("more (--all" in line for line in whole)
    assert sum("was cut off" in line for line in whole) == 25
    assert any("and 21 more" in line for line in whole if "the stack's own" in line)
