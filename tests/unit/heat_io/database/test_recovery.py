"""What the sweeper looks at, on every database."""

from __future__ import annotations

from heat_core.stack.records import SyncPointRecord
from heat_core.stack.states import Action, Status
from heat_io.database import recovery, resources, stacks, sync_points


def add_point(connection, stack, traversal: str) -> None:
    point = SyncPointRecord(
        entity_id="1", traversal_id=traversal, is_update=True, stack_id=stack.id
    )
    sync_points.insert_many(connection, [point])


async def test_stacks_that_may_be_owed_something(database, build) -> None:
    def work(connection):
        build.stack(connection, "running", current_deps={"edges": []})
        owed = build.stack(connection, "owed", status=Status.FAILED)
        add_point(connection, owed, owed.current_traversal)
        old = build.stack(connection, "old", status=Status.COMPLETE)
        add_point(connection, old, "an older traversal")
        held = build.stack(connection, "held", status=Status.COMPLETE)
        build.stored(connection, held, engine_id="e")
        build.stored(connection, old)
        build.stack(connection, "listed", action=Action.DELETE, status=Status.COMPLETE)
        gone = build.stack(connection, "gone", action=Action.DELETE, status=Status.COMPLETE)
        stacks.soft_delete(connection, gone.id)
        build.stack(connection, "legacy", convergence=False)
        build.stack(connection, "ended", status=Status.FAILED)
        return recovery.unfinished(connection)

    found = await database.transaction(work)
    assert [record.name for record in found] == ["running", "owed", "held", "listed"]
    assert found[0].current_deps is None


async def test_progress_changes_the_fingerprint(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)

        def look():
            return recovery.fingerprint(connection, stack.id, stack.current_traversal)

        seen = [look()]
        row = build.stored(connection, stack)
        seen.append(look())
        resources.update_if(connection, row.id, engine_id=None, atomic_key=None, values={})
        seen.append(look())
        add_point(connection, stack, stack.current_traversal)
        seen.append(look())
        sync_points.update_if(connection, "1", stack.current_traversal, True, atomic_key=0)
        seen.append(look())
        sync_points.delete_for_traversal(connection, stack.id, stack.current_traversal)
        seen.append(look())
        return seen, recovery.fingerprint(connection, stack.id, None)

    seen, without = await database.transaction(work)
    assert seen == [
        (0, 0, 0, 0),
        (1, 0, 0, 0),
        (1, 1, 0, 0),
        (1, 1, 1, 0),
        (1, 1, 1, 1),
        (1, 1, 0, 0),
    ]
    assert without == (1, 1, 0, 0)
