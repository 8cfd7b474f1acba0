"""The simulator's executor: faults at the right moment, with the right consequences."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError, OperationalError

from heat_io.database import (
    Ambient,
    CommitUnknown,
    Conflict,
    ConnectionLost,
    Fault,
    FaultPoint,
    InlineExecutor,
    Killed,
    ambient,
    templates,
)


def hook(wanted_point: FaultPoint, fault: Fault):
    """Gives the fault once, at its point."""
    left = [fault]

    def ask(point: FaultPoint, begin: bool) -> Fault | None:
        return left.pop() if point is wanted_point and left else None

    return ask


def insert(connection) -> int:
    return templates.insert(connection, {}, {}).id


async def stored(engine: Engine) -> int:
    query = text("SELECT count(*) FROM raw_template")
    return await InlineExecutor(engine).run(
        lambda connection: connection.execute(query).scalar(), begin=False
    )


@pytest.mark.parametrize(
    ("point", "fault", "error", "rows"),
    [
        (FaultPoint.BEFORE_UNIT, Fault.CONFLICT, Conflict, 0),
        (FaultPoint.BEFORE_UNIT, Fault.LOST, ConnectionLost, 0),
        (FaultPoint.BEFORE_UNIT, Fault.LOST_AFTER_COMMIT, ConnectionLost, 0),
        (FaultPoint.BEFORE_UNIT, Fault.KILL, Killed, 0),
        (FaultPoint.AT_COMMIT, Fault.CONFLICT, Conflict, 0),
        (FaultPoint.AT_COMMIT, Fault.LOST, CommitUnknown, 0),
        (FaultPoint.AT_COMMIT, Fault.LOST_AFTER_COMMIT, CommitUnknown, 1),
        (FaultPoint.AT_COMMIT, Fault.KILL, Killed, 0),
        (FaultPoint.AT_COMMIT, Fault.KILL_AFTER_COMMIT, Killed, 1),
    ],
)
async def test_faults(
    memory: Engine, point: FaultPoint, fault: Fault, error: type[BaseException], rows: int
) -> None:
    executor = InlineExecutor(memory, hook=hook(point, fault))
    with pytest.raises(error):
        await executor.run(insert, begin=True)
    assert await stored(memory) == rows
    await executor.run(insert, begin=True)
    assert await stored(memory) == rows + 1


async def test_reads_have_no_commit_and_can_not_write(memory: Engine) -> None:
    executor = InlineExecutor(memory, hook=hook(FaultPoint.AT_COMMIT, Fault.KILL))
    with pytest.raises(OperationalError, match="readonly"):
        await executor.run(insert, begin=False)
    assert await stored(memory) == 0
    assert await InlineExecutor(memory).run(insert, begin=True) == 1


async def test_executors_of_one_database_have_surroundings_of_their_own(memory: Engine) -> None:
    mine = Ambient(random=lambda: 0.25)
    executor = InlineExecutor(memory, surroundings=mine)
    assert await executor.run(ambient, begin=False) is mine
    assert await InlineExecutor(memory).run(ambient, begin=False) is not mine
    assert executor.engines == (memory,)
    await executor.aclose()


async def test_foreign_keys_are_enforced(memory: Engine, build) -> None:
    with pytest.raises(IntegrityError):
        await InlineExecutor(memory).run(
            lambda connection: build.stack(connection, raw_template_id=99), begin=True
        )
