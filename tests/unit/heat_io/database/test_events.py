"""Events: storing, retention, lists and markers, on every database."""

from __future__ import annotations

import pytest

from heat_core.stack.records import EventRecord
from heat_io.database import (
    EventQuery,
    Page,
    Retention,
    UnknownFilter,
    counting,
    events,
    properties_data,
    stacks,
)


def event(build, stack, name: str = "a", **fields) -> EventRecord:
    values = {
        "uuid": build.uuid(),
        "stack_id": stack.id,
        "resource_action": "CREATE",
        "resource_status": "COMPLETE",
        "resource_name": name,
        "physical_resource_id": f"phys-{name}",
        "resource_status_reason": "state changed",
        "resource_type": "OS::Heat::None",
    }
    return EventRecord(**values | fields)


async def test_events_are_stored_by_one_statement_and_listed_latest_first(database, build) -> None:
    stack = await database.transaction(lambda connection: build.stack(connection))
    made = [event(build, stack, name) for name in "abc"]
    with counting(database.executor.engines) as counter:
        await database.transaction(lambda connection: events.insert_many(connection, made))
    assert counter.by_verb == {"INSERT event": 1}
    found = await database.read(lambda connection: events.list_for_stack(connection, stack.id))
    # All have the same time: the id decides.
    assert [record.uuid for record in found] == [record.uuid for record in reversed(made)]
    assert found[0].created_at is not None
    await database.transaction(lambda connection: events.insert_many(connection, []))


async def test_reasons_are_cut_and_never_null(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        long = event(build, stack, resource_status_reason="é" * 300)
        none = event(build, stack, resource_status_reason=None)
        events.insert_many(connection, [long, none])
        return [
            events.fetch(connection, stack.id, record.uuid)[0].resource_status_reason
            for record in (long, none)
        ]

    assert await database.transaction(work) == ["é" * 255, ""]


async def test_one_event_comes_with_its_properties(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        data_id = properties_data.insert(connection, {"p": 1})
        one = event(build, stack, "a", properties_data_id=data_id)
        two = event(build, stack, "b")
        events.insert_many(connection, [one, two])
        return (
            events.fetch(connection, stack.id, one.uuid)[1],
            events.fetch(connection, stack.id, two.uuid, resource_name="b")[1],
            events.fetch(connection, stack.id, two.uuid, resource_name="a"),
            events.fetch(connection, "another", two.uuid),
        )

    assert await database.transaction(work) == ({"p": 1}, None, None, None)


async def test_filters_markers_and_sorting(database, build) -> None:
    def work(connection):
        stack = build.stack(connection)
        for number, kind in enumerate(("B", "A", "C", "A")):
            events.insert_many(connection, [event(build, stack, f"r{number}", resource_type=kind)])

        def names(filters=None, **page):
            query = EventQuery(filters or {}, Page(**page))
            return [
                record.resource_name
                for record in events.list_for_stack(connection, stack.id, query)
            ]

        by_name = {
            record.resource_name: record.uuid
            for record in events.list_for_stack(connection, stack.id)
        }
        return {
            "default": names(),
            "limit": names(limit=2),
            "none": names(limit=0),
            "marker": names(marker=by_name["r2"]),
            "unknown marker": names(marker="unknown", limit=1),
            "up": names(sort_keys=["event_time"]),
            "type": names(sort_keys=["resource_type"]),
            "type down": names(sort_keys=["resource_type", "nonsense"], sort_dir="desc"),
            "after": names(sort_keys=["resource_type"], marker=by_name["r3"]),
            "one": names({"resource_name": "r1"}),
            "some": names({"resource_type": ["B", "C"]}),
            "nothing": names({"resource_type": []}),
        }

    assert await database.transaction(work) == {
        "default": ["r3", "r2", "r1", "r0"],
        "limit": ["r3", "r2"],
        "none": [],
        "marker": ["r1", "r0"],
        "unknown marker": ["r3"],
        "up": ["r0", "r1", "r2", "r3"],
        "type": ["r1", "r3", "r0", "r2"],
        "type down": ["r2", "r0", "r3", "r1"],
        "after": ["r0", "r2"],
        "one": ["r1"],
        "some": ["r2", "r0"],
        "nothing": [],
    }


async def test_unknown_filters_are_refused(database) -> None:
    query = EventQuery({"created_at": "x"})
    with pytest.raises(UnknownFilter):
        await database.read(lambda c: events.list_for_stack(c, "s", query))


async def test_events_of_many_stacks_are_those_of_the_project(database, build) -> None:
    def work(connection):
        mine = build.stack(connection, "mine")
        child = build.stack(connection, "child", owner_id=mine.id)
        gone = build.stack(connection, "gone")
        foreign = build.stack(connection, "foreign", tenant="p2")
        for stack in (mine, child, gone, foreign):
            events.insert_many(connection, [event(build, stack, stack.name)])
        stacks.soft_delete(connection, gone.id)
        return (
            [e.resource_name for e in events.list_for_stacks(connection, "p1")],
            [
                e.resource_name
                for e in events.list_for_stacks(connection, "p1", [child.id, foreign.id])
            ],
            [e.resource_name for e in events.list_for_stack(connection, gone.id)],
        )

    found = await database.transaction(work)
    assert found == (["child", "mine"], ["child"], ["gone"])


async def test_the_oldest_go_when_chance_says_so(database, build, chances) -> None:
    retention = Retention(max_events=6, purge_batch=4)

    def work(connection):
        stack = build.stack(connection)
        lone = properties_data.insert(connection, {"n": 1})
        kept = properties_data.insert(connection, {"n": 2})
        build.stored(connection, stack, properties_data_id=kept)

        def store(number: int, **fields):
            events.insert_many(connection, [event(build, stack, f"r{number}", **fields)], retention)

        # 2 in 4: a draw below 0.5 checks the count.
        chances.extend([0.49] * 6 + [0.5, 0.49])
        store(0, properties_data_id=lone)
        store(1, properties_data_id=kept)
        for number in range(2, 6):
            store(number)
        counts = [events.count(connection, stack.id)]
        for number in (6, 7):
            store(number)
            counts.append(events.count(connection, stack.id))
        names = [e.resource_name for e in events.list_for_stack(connection, stack.id)]
        return counts, names, [properties_data.fetch(connection, i) for i in (lone, kept)]

    counts, names, data = await database.transaction(work)
    assert counts == [6, 7, 4]
    assert names == ["r7", "r6", "r5", "r4"]
    assert data == [None, {"n": 2}]


async def test_retention_can_be_off(database, build, chances) -> None:
    def work(connection):
        stack = build.stack(connection)
        chances.append(0.0)
        for _ in range(3):
            events.insert_many(connection, [event(build, stack)], Retention(max_events=0))
        return events.count(connection, stack.id), events.purge_oldest(connection, "none", 5)

    assert await database.transaction(work) == (3, 0)
    assert chances == [0.0]
