"""Locks of stacks that convergence does not run, on every database."""

from __future__ import annotations

from heat_io.database import stack_locks


async def test_a_lock_has_one_holder(database, build) -> None:
    def work(connection):
        stack = build.stack(connection, convergence=False)
        return [
            stack_locks.holder(connection, stack.id),
            stack_locks.acquire(connection, stack.id, "one"),
            stack_locks.acquire(connection, stack.id, "two"),
            stack_locks.steal(connection, stack.id, "three", "two"),
            stack_locks.steal(connection, stack.id, "one", "two"),
            stack_locks.release(connection, stack.id, "one"),
            stack_locks.holder(connection, stack.id),
            stack_locks.release(connection, stack.id, "two"),
            stack_locks.holder(connection, stack.id),
        ]

    expected = [None, None, "one", False, True, False, "two", True, None]
    assert await database.transaction(work) == expected
