"""Write lanes: shared transactions, separate verdicts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import trio
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import IntegrityError

from heat_core.stack.states import Action
from heat_io.database import (
    Applied,
    Conflict,
    ConnectionLost,
    Database,
    Fault,
    FaultPoint,
    HeldUpdate,
    Indeterminate,
    InlineExecutor,
    Killed,
    LanesClosed,
    Lost,
    RetryPolicy,
    Share,
    Write,
    counting,
    resources,
    stacks,
    update_all_if,
)
from heat_io.database.lanes import Lanes
from heat_io.database.retry import Retrier


def claim(resource_id: int, engine_id: str, *, atomic_key: int | None = None) -> Write[str]:
    """Take the lock of a row."""

    def apply(connection: Connection) -> Applied[str] | Lost:
        done = resources.update_if(
            connection,
            resource_id,
            engine_id=None,
            atomic_key=atomic_key,
            values={"engine_id": engine_id, "action": Action.CREATE},
        )
        return Applied(engine_id) if done else Lost()

    def confirm(connection: Connection) -> Applied[str] | Lost:
        row = resources.fetch(connection, resource_id)
        return Applied(engine_id) if row and row.engine_id == engine_id else Lost()

    return Write(apply, confirm, order=(1, resource_id), label="claim")


async def rows(database: Database, build, count: int) -> tuple[str, list[int]]:
    def work(connection):
        stack = build.stack(connection)
        return stack.id, [build.stored(connection, stack, f"r{n}").id for n in range(count)]

    return await database.transaction(work)


async def submit_all(database: Database, key: str, writes: list[Write]) -> list[object]:
    """Submit at the same time; verdicts or exceptions in order."""
    results: list[object] = [None] * len(writes)

    async def one(number: int, write: Write) -> None:
        try:
            results[number] = await database.submit(key, write)
        except Exception as error:
            results[number] = error

    async with trio.open_nursery() as nursery:
        for number, write in enumerate(writes):
            nursery.start_soon(one, number, write)
    return results


async def test_writes_that_are_ready_share_few_transactions(database: Database, build) -> None:
    key, ids = await rows(database, build, 40)
    with counting(database.executor.engines) as counter:
        verdicts = await submit_all(database, key, [claim(row, "me") for row in ids])
    assert verdicts == [Applied("me")] * 40
    # The first to come may go alone, while the others gather.
    assert counter.commits <= 3
    assert database.lanes.items == 40


async def test_each_write_has_its_own_verdict(database: Database, build) -> None:
    key, ids = await rows(database, build, 3)
    writes = [
        claim(ids[0], "me"),
        claim(ids[1], "me", atomic_key=9),
        claim(ids[2], "me"),
        claim(ids[2], "other"),
    ]
    verdicts = await submit_all(database, key, writes)
    assert verdicts[:2] == [Applied("me"), Lost()]
    # Of two who want the same row, one gets it: whoever Trio let go first.
    winners = [verdict.value for verdict in verdicts[2:] if isinstance(verdict, Applied)]
    assert len(winners) == 1
    found = await database.read(lambda connection: resources.fetch_many(connection, ids))
    assert [found[row].engine_id for row in ids] == ["me", None, winners[0]]


async def test_a_batch_runs_in_order_whatever_came_first(database: Database) -> None:
    seen: list[object] = []

    def note(*order: object) -> Write[None]:
        def apply(connection: Connection) -> Applied[None]:
            seen.append(order)
            return Applied(None)

        return Write(apply, apply, order=order)

    orders: list[tuple[object, ...]] = [(2, "sp"), (1, 10), (1, 9), (0, "b"), (0, None), (0, "a")]
    await submit_all(database, "k", [note(-1), *(note(*order) for order in orders)])
    # Whether the very first went alone or not, it is the first.
    assert seen == [(-1,), (0, None), (0, "a"), (0, "b"), (1, 9), (1, 10), (2, "sp")]


async def test_an_error_hits_only_the_write_that_made_it(database: Database, build) -> None:
    key, ids = await rows(database, build, 3)
    good, bad = claim(ids[0], "me"), claim(ids[1], "me")

    def broken(connection: Connection) -> Applied[str] | Lost:
        bad.apply(connection)
        raise ValueError("a bug")

    def twice(connection: Connection) -> Applied[str] | Lost:
        row = resources.fetch(connection, ids[0])
        assert row is not None
        resources.insert_many(connection, [row])
        return Applied("")

    writes = [
        good,
        Write(broken, bad.confirm, order=(1, ids[1])),
        claim(ids[2], "me"),
        Write(twice, bad.confirm, order=(1, ids[0], 2)),
    ]
    verdicts = await submit_all(database, key, writes)
    assert verdicts[0] == verdicts[2] == Applied("me")
    assert isinstance(verdicts[1], ValueError)
    assert isinstance(verdicts[3], IntegrityError)
    found = await database.read(lambda connection: resources.fetch_many(connection, ids))
    assert [found[row].engine_id for row in ids] == ["me", None, "me"]


async def test_a_submitter_that_goes_away_leaves_its_write(database: Database, build) -> None:
    key, ids = await rows(database, build, 1)
    with trio.CancelScope() as scope:
        scope.cancel()
        await database.submit(key, claim(ids[0], "me"))
    await database.lanes.drain()
    row = await database.read(lambda connection: resources.fetch(connection, ids[0]))
    assert row.engine_id == "me"


def test_lanes_are_the_same_in_every_run(memory: Engine) -> None:
    retrier = Retrier(RetryPolicy(), lambda: 0.0, trio.sleep)
    lanes = Lanes(InlineExecutor(memory), retrier, count=4)
    assert [lanes.lane_of(key) for key in ("a", "b", "c", "d")] == [3, 1, 3, 0]


class Faults:
    """Gives the listed faults at their points, one after the other."""

    def __init__(self) -> None:
        self.plan: list[tuple[FaultPoint, Fault]] = []

    def __call__(self, point: FaultPoint, begin: bool) -> Fault | None:
        if self.plan and self.plan[0][0] is point:
            return self.plan.pop(0)[1]
        return None

    def add(self, point: FaultPoint, fault: Fault, times: int = 1) -> None:
        self.plan += [(point, fault)] * times


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
def faulty(memory: Engine, surroundings, faults: Faults) -> Callable:
    @asynccontextmanager
    async def open_it(**policy: int) -> AsyncIterator[Database]:
        executor = InlineExecutor(memory, hook=faults)
        async with Database.over(
            executor, surroundings=surroundings, retry=RetryPolicy(**policy)
        ) as database:
            yield database

    return open_it


async def test_a_conflict_is_retried(faulty, faults, build, autojump_clock) -> None:
    async with faulty() as database:
        key, ids = await rows(database, build, 1)
        faults.add(FaultPoint.AT_COMMIT, Fault.CONFLICT, 3)
        faults.add(FaultPoint.BEFORE_UNIT, Fault.LOST, 2)
        assert await database.submit(key, claim(ids[0], "me")) == Applied("me")
    assert faults.plan == []


async def test_a_batch_that_conflicts_twice_is_split(faulty, faults, build, autojump_clock) -> None:
    async with faulty() as database:
        key, ids = await rows(database, build, 3)
        faults.add(FaultPoint.AT_COMMIT, Fault.CONFLICT, 3)
        with counting(database.executor.engines) as counter:
            verdicts = await submit_all(database, key, [claim(row, "me") for row in ids])
    assert verdicts == [Applied("me")] * 3
    assert counter.commits == 3


async def test_retries_end(faulty, faults, build, autojump_clock) -> None:
    async with faulty(conflict_attempts=3, lost_attempts=2) as database:
        key, ids = await rows(database, build, 2)
        faults.add(FaultPoint.BEFORE_UNIT, Fault.CONFLICT, 3)
        with pytest.raises(Conflict):
            await database.submit(key, claim(ids[0], "me"))
        faults.add(FaultPoint.BEFORE_UNIT, Fault.LOST, 2)
        verdicts = await submit_all(database, key, [claim(row, "me") for row in ids])
        assert [type(verdict) for verdict in verdicts] == [ConnectionLost, ConnectionLost]


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [(Fault.LOST_AFTER_COMMIT, Applied("me")), (Fault.LOST, Lost())],
)
async def test_a_lost_commit_is_settled_by_re_reading(
    faulty, faults, build, fault: Fault, verdict: object, autojump_clock
) -> None:
    async with faulty() as database:
        key, ids = await rows(database, build, 3)
        faults.add(FaultPoint.AT_COMMIT, fault)
        assert await submit_all(database, key, [claim(row, "me") for row in ids]) == [verdict] * 3


async def test_what_re_reading_cannot_settle_is_indeterminate(
    faulty, faults, build, autojump_clock
) -> None:
    async with faulty(lost_attempts=2) as database:
        key, ids = await rows(database, build, 1)
        faults.add(FaultPoint.AT_COMMIT, Fault.LOST_AFTER_COMMIT)
        faults.add(FaultPoint.BEFORE_UNIT, Fault.LOST, 2)
        verdict = await database.submit(key, claim(ids[0], "me"))
        assert isinstance(verdict, Indeterminate)
        assert "simulated loss" in verdict.reason


@pytest.mark.parametrize(("fault", "holder"), [(Fault.KILL, None), (Fault.KILL_AFTER_COMMIT, "me")])
async def test_a_killed_process_takes_its_lanes_down(
    faulty, faults, build, memory: Engine, fault: Fault, holder: str | None
) -> None:
    opened: list[Database] = []
    ids: list[int] = []

    async def process() -> None:
        async with faulty() as database:
            opened.append(database)
            key, new = await rows(database, build, 1)
            ids.extend(new)
            faults.add(FaultPoint.AT_COMMIT, fault)
            with pytest.raises(LanesClosed):
                await database.submit(key, claim(ids[0], "me"))
            await trio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as raised:
        await process()
    assert raised.group_contains(Killed)
    with pytest.raises(LanesClosed):
        await opened[0].submit("k", claim(ids[0], "me"))
    async with Database.over(InlineExecutor(memory)) as survivor:
        row = await survivor.read(lambda connection: resources.fetch(connection, ids[0]))
    assert row.engine_id == holder


async def test_an_error_of_the_block_comes_out_as_it_is(faulty) -> None:
    with pytest.raises(KeyError, match="mine"):
        async with faulty():
            raise KeyError("mine")


async def test_writes_queued_behind_a_stopped_lane_are_refused(memory: Engine) -> None:
    retrier = Retrier(RetryPolicy(), lambda: 0.0, trio.sleep)
    lanes = Lanes(InlineExecutor(memory), retrier)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(refused, lanes)
        await trio.testing.wait_all_tasks_blocked()
        with trio.CancelScope() as scope:
            scope.cancel()
            await lanes.run()


async def refused(lanes: Lanes) -> None:
    with pytest.raises(LanesClosed):
        await lanes.submit("k", Write(lambda connection: Lost(), lambda connection: Lost()))


async def test_stacks_in_different_lanes_do_not_wait_for_each_other(
    database: Database, build
) -> None:
    first = await database.transaction(lambda connection: build.stack(connection, "one"))
    second = await database.transaction(lambda connection: build.stack(connection, "two"))

    def rename(stack) -> Write[str]:
        def apply(connection: Connection) -> Applied[str] | Lost:
            done = stacks.update_if_traversal(
                connection, stack.id, stack.current_traversal, {"status_reason": "x"}
            )
            return Applied(stack.id) if done else Lost()

        return Write(apply, apply)

    results = {}

    async def one(stack) -> None:
        results[stack.id] = await database.submit(stack.id, rename(stack))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(one, first)
        nursery.start_soon(one, second)
    assert results == {first.id: Applied(first.id), second.id: Applied(second.id)}


# --- shared statements -------------------------------------------------------------------------


def shared_claim(resource_id: int, *, atomic_key: int | None = None, note=None) -> Write[int]:
    """Take the lock of a row, by the same statement as others."""
    values = {"engine_id": "me", "action": Action.CREATE}

    def then(connection: Connection) -> Applied[int]:
        if note is not None:
            note(resource_id)
        return Applied(resource_id)

    def confirm(connection: Connection) -> Applied[int] | Lost:
        row = resources.fetch(connection, resource_id)
        return Applied(resource_id) if row and row.engine_id == "me" else Lost()

    update = HeldUpdate(resource_id, None, atomic_key, values)
    share: Share[HeldUpdate, int] = Share(update_all_if, update, resource_id, then)
    return Write.sharing(share, confirm, order=(1, resource_id), label="claim")


async def test_writes_that_are_ready_share_a_statement(database: Database, build) -> None:
    key, ids = await rows(database, build, 40)
    with counting(database.executor.engines) as counter:
        verdicts = await submit_all(database, key, [shared_claim(row) for row in ids])
    assert verdicts == [Applied(row) for row in ids]
    assert counter.by_verb["UPDATE resource"] == counter.commits <= 3


async def test_a_condition_that_fails_is_found_and_hits_only_its_own(
    database: Database, build
) -> None:
    key, ids = await rows(database, build, 6)
    writes = [shared_claim(row, atomic_key=9 if row == ids[3] else None) for row in ids]
    verdicts = await submit_all(database, key, writes)
    assert verdicts == [Lost() if row == ids[3] else Applied(row) for row in ids]
    found = await database.read(lambda connection: resources.fetch_many(connection, ids))
    assert [found[row].atomic_key for row in ids] == [1, 1, 1, None, 1, 1]


async def test_two_about_the_same_row_do_not_overtake_each_other(database: Database, build) -> None:
    key, ids = await rows(database, build, 3)
    seen: list[object] = []

    def first(connection: Connection) -> Applied[str] | Lost:
        row = resources.fetch(connection, ids[2])
        seen.append(row.engine_id)
        return Applied("looked")

    writes = [
        shared_claim(ids[0]),
        shared_claim(ids[1]),
        Write(first, first, order=(1, ids[2]), label="look"),
        shared_claim(ids[2], note=seen.append),
        shared_claim(ids[2]),
    ]
    # In the order in which they are here, whatever Trio does: one task submits them.
    async with trio.open_nursery() as nursery:
        verdicts: dict[int, object] = {}

        async def one(number: int) -> None:
            verdicts[number] = await database.submit(key, writes[number])

        for number in range(len(writes)):
            nursery.start_soon(one, number)
            await trio.lowlevel.checkpoint()
    assert [verdicts[0], verdicts[1]] == [Applied(ids[0]), Applied(ids[1])]
    claims = [verdicts[3], verdicts[4]]
    assert sorted(isinstance(verdict, Lost) for verdict in claims) == [False, True]


async def test_a_lost_commit_of_shared_writes_is_settled_one_by_one(
    faulty, faults, build, autojump_clock
) -> None:
    async with faulty() as database:
        key, ids = await rows(database, build, 3)
        faults.add(FaultPoint.AT_COMMIT, Fault.LOST_AFTER_COMMIT)
        verdicts = await submit_all(database, key, [shared_claim(row) for row in ids])
    assert verdicts == [Applied(row) for row in ids]


def test_what_shares_alone_is_the_same_as_shared(memory: Engine, build) -> None:
    with memory.begin() as connection:
        stack = build.stack(connection)
        row = build.stored(connection, stack)
        write = shared_claim(row.id)
        assert write.apply(connection) == Applied(row.id)
        assert write.apply(connection) == Lost()
