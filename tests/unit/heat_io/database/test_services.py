"""Signs of life, on every database."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from heat_core.stack.records import ServiceRecord
from heat_io.database import services


def record(build, host: str = "h") -> ServiceRecord:
    return ServiceRecord(
        id=build.uuid(),
        engine_id=build.uuid(),
        host=host,
        hostname="n",
        binary="heat-engine",
        topic="engine",
        report_interval=60,
    )


async def test_a_life(database, build) -> None:
    made = record(build)

    def work(connection):
        services.insert(connection, made)
        (born,) = services.list_live(connection)
        touched = services.touch(connection, made.id)
        (seen,) = services.list_live(connection)
        gone = services.soft_delete(connection, made.id)
        none = services.list_live(connection)
        services.touch(connection, made.id)
        (back,) = services.list_live(connection)
        return born, touched, seen, gone, none, back, services.touch(connection, "unknown")

    born, touched, seen, gone, none, back, unknown = await database.transaction(work)
    assert (born.id, born.engine_id, born.updated_at) == (made.id, made.engine_id, None)
    assert (touched, gone, none, unknown) == (True, True, [], False)
    assert seen.updated_at > born.created_at
    assert back.deleted_at is None


async def test_earlier_lives_of_the_host_are_cleaned_up(database, build, clock) -> None:
    old, fresh, silent, elsewhere = (record(build) for _ in range(3)), None, None, None
    old, fresh, silent = old
    elsewhere = record(build, "other")

    def work(connection):
        for made in (old, fresh, silent, elsewhere):
            services.insert(connection, made)
        for made in (old, elsewhere):
            services.touch(connection, made.id)
        clock.time += timedelta(minutes=10)
        services.touch(connection, fresh.id)
        count = services.soft_delete_stale(
            connection,
            host="h",
            binary="heat-engine",
            hostname="n",
            older_than=timedelta(minutes=3),
        )
        return count, {found.id for found in services.list_live(connection)}

    count, live = await database.transaction(work)
    assert count == 1
    assert live == {fresh.id, silent.id, elsewhere.id}


async def test_an_engines_latest_row(database, build, clock) -> None:
    made = record(build)

    def work(connection):
        services.insert(connection, made)
        clock.time += timedelta(minutes=1)
        later = replace(made, id=build.uuid())
        services.insert(connection, later)
        services.soft_delete(connection, later.id)
        return later, services.fetch(connection, made.engine_id), services.fetch(connection, "x")

    later, found, none = await database.transaction(work)
    assert found.id == later.id
    assert found.deleted_at is not None
    assert none is None
