"""The table `stack_lock`: the lock of stacks that are not run by convergence.

Convergence stacks never take it (rules/k-locks-services.md#1-4).
"""

from __future__ import annotations

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from heat_core.stack.ids import EngineId, StackId
from heat_io.database.ambient import ambient
from heat_io.database.schema import stack_lock


def holder(connection: Connection, stack_id: StackId) -> EngineId | None:
    """The engine that holds the stack's lock, or None."""
    query = select(stack_lock.c.engine_id).where(stack_lock.c.stack_id == stack_id)
    found = connection.execute(query).scalar()
    return None if found is None else EngineId(found)


def acquire(connection: Connection, stack_id: StackId, engine_id: EngineId) -> EngineId | None:
    """Take the lock; None when it is ours now, else the engine that has it."""
    held_by = holder(connection, stack_id)
    if held_by is not None:
        return held_by
    now = ambient(connection).now()
    try:
        with connection.begin_nested():
            connection.execute(
                stack_lock.insert(),
                {"stack_id": stack_id, "engine_id": engine_id, "created_at": now},
            )
    except IntegrityError:
        return holder(connection, stack_id)
    return None


def steal(connection: Connection, stack_id: StackId, dead: EngineId, engine_id: EngineId) -> bool:
    """Take the lock over from a dead engine; False when it is not the holder any more."""
    result = connection.execute(
        stack_lock.update()
        .where(stack_lock.c.stack_id == stack_id, stack_lock.c.engine_id == dead)
        .values(engine_id=engine_id, updated_at=ambient(connection).now())
    )
    return result.rowcount > 0


def release(connection: Connection, stack_id: StackId, engine_id: EngineId) -> bool:
    """Let the lock go; False when it was not ours."""
    result = connection.execute(
        stack_lock.delete().where(
            stack_lock.c.stack_id == stack_id, stack_lock.c.engine_id == engine_id
        )
    )
    return result.rowcount > 0
