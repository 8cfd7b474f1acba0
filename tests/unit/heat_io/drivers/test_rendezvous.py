"""Meetings at sync points: one write for many, one completer, whatever goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio.testing
from site_of_tests import TRAVERSAL, Faults, Site

from heat_core.convergence import Arrival, Node
from heat_core.stack.ids import StackId
from heat_core.stack.records import StackRecord
from heat_io.database import Applied, Conflict, Database, Fault, Lost, sync_points
from heat_io.drivers.rendezvous import (
    PAUSE_SECONDS_PER_ENTRY,
    Complete,
    Gone,
    Point,
    Rendezvous,
    Verdict,
    Waiting,
)

A, B, C, D = Node(1, True), Node(2, True), Node(3, True), Node(4, True)


@pytest.fixture
def stack(site: Site) -> StackRecord:
    """A stack whose nodes A, B and C all report to D."""
    stack = site.stack()
    site.graph(stack, [(D, A), (D, B), (D, C)])
    return stack


class Meetings:
    """Arrivals at D; each gives its verdict under the sender's name."""

    def __init__(self, rendezvous: Rendezvous, stack: StackRecord) -> None:
        self.rendezvous = rendezvous
        self.at_d = Point(stack.id, TRAVERSAL, D)

    async def arrive(self, sender: Node, value: Any = None, **more: Any) -> Verdict:
        arrival = Arrival(D, sender, value, **more)
        return await self.rendezvous.arrive(self.at_d, arrival, (A, B, C))

    async def together(self, *senders: Node) -> list[Verdict]:
        """All at once, none before the others have met."""
        verdicts: dict[int, Verdict] = {}

        async def one(index: int, sender: Node) -> None:
            verdicts[index] = await self.arrive(sender, sender.id)

        async with trio.open_nursery() as nursery:
            for index, sender in enumerate(senders):
                nursery.start_soon(one, index, sender)
        return [verdicts[index] for index in range(len(senders))]


@pytest.fixture
def meetings(database: Database, stack: StackRecord, nursery: trio.Nursery) -> Meetings:
    return Meetings(Rendezvous(database, nursery), stack)


def completions(verdicts: list[Verdict]) -> list[Complete]:
    assert all(isinstance(verdict, Complete | Waiting) for verdict in verdicts)
    return [verdict for verdict in verdicts if isinstance(verdict, Complete)]


# --- verdicts ----------------------------------------------------------------------------------


async def test_the_last_of_a_set_completes_it(
    meetings: Meetings, site: Site, stack: StackRecord
) -> None:
    assert await meetings.arrive(A, 1) == Waiting()
    assert await meetings.arrive(B, 2) == Waiting()
    complete = await meetings.arrive(C, 3)
    assert complete == Complete({"input_data": {A.key: 1, B.key: 2, C.key: 3}})
    assert site.entries(stack, D) == {A.key: 1, B.key: 2, C.key: 3}


async def test_a_duplicate_waits(meetings: Meetings, site: Site, stack: StackRecord) -> None:
    await meetings.together(A, B, C)
    before = site.point(stack, D)
    assert await meetings.arrive(C, 3) == Waiting()
    assert site.point(stack, D) == before


async def test_a_duplicate_of_one_that_held_its_row_completes_once_more(
    meetings: Meetings, site: Site, stack: StackRecord
) -> None:
    await meetings.together(A, B)
    assert await meetings.arrive(A, 1, again=True) == Waiting()
    await meetings.arrive(C, 3)
    before = site.point(stack, D)
    # Its visit may have turned away the one that was asked for at first.
    assert isinstance(await meetings.arrive(C, 3, again=True), Complete)
    assert site.point(stack, D) == before


async def test_a_wake_up_completes_once_more(meetings: Meetings) -> None:
    await meetings.together(A, B, C)
    assert isinstance(await meetings.arrive(D, again=True), Complete)
    assert isinstance(await meetings.arrive(D, again=True), Complete)


async def test_without_a_sync_point_the_traversal_is_over(
    meetings: Meetings, site: Site, stack: StackRecord
) -> None:
    site.write(lambda c: sync_points.delete_for_traversal(c, stack.id, TRAVERSAL))
    assert await meetings.together(A, B) == [Gone(), Gone()]
    assert site.points(stack) == []


async def test_the_stack_is_met_at_a_point_of_its_own(
    meetings: Meetings, site: Site, stack: StackRecord
) -> None:
    point = Point(stack.id, TRAVERSAL, None)
    assert (point.entity, point.is_update) == (stack.id, True)
    verdict = await meetings.rendezvous.arrive(point, Arrival(None, D), (D,))
    assert verdict == Complete({"input_data": {D.key: None}})
    assert site.entries(stack, None) == {D.key: None}


async def test_clean_up_nodes_have_points_of_their_own(stack: StackRecord) -> None:
    update = Point(stack.id, TRAVERSAL, Node(4, True))
    clean_up = Point(stack.id, TRAVERSAL, Node(4, False))
    assert update.entity == clean_up.entity == "4"
    assert (update.is_update, clean_up.is_update) == (True, False)


async def test_failures_of_a_check_are_collected_and_handed_on(
    meetings: Meetings, site: Site, stack: StackRecord
) -> None:
    # rules/i-convergence.md#18, #29
    await meetings.arrive(A, 1, failures={"a": "why"}, skip=True)
    await meetings.arrive(B, 2, failures={"b": "why not"})
    complete = await meetings.arrive(C, 3)
    assert isinstance(complete, Complete)
    assert complete.failures == {"a": "why", "b": "why not"}
    assert complete.skip
    point = site.point(stack, D)
    assert point is not None
    assert point.extra_data == {
        "extra_data": {
            "resource_failures": {"a": "why", "b": "why not"},
            "skip_propagate": True,
        }
    }


# --- meeting -----------------------------------------------------------------------------------


async def test_those_who_come_together_are_written_together(
    meetings: Meetings, site: Site, stack: StackRecord, database: Database
) -> None:
    batches = database.lanes.items
    verdicts = await meetings.together(A, B, C)
    assert len(completions(verdicts)) == 1
    point = site.point(stack, D)
    assert point is not None
    assert point.atomic_key == 1
    assert database.lanes.items == batches + 1


async def test_who_comes_while_a_write_is_under_way_meets_for_the_next(
    meetings: Meetings,
    site: Site,
    stack: StackRecord,
    monkeypatch: pytest.MonkeyPatch,
    nursery: trio.Nursery,
) -> None:
    late: list[Verdict] = []

    async def come_late() -> None:
        late.append(await meetings.arrive(C, 3))

    fetch = sync_points.fetch_many

    def fetch_and_be_joined(*arguments: Any) -> Any:
        # The write has begun: the meeting is closed, its tickets are fixed.
        monkeypatch.setattr(sync_points, "fetch_many", fetch)
        nursery.start_soon(come_late)
        return fetch(*arguments)

    monkeypatch.setattr(sync_points, "fetch_many", fetch_and_be_joined)
    assert await meetings.together(A, B) == [Waiting(), Waiting()]
    await trio.testing.wait_all_tasks_blocked()
    assert len(completions(late)) == 1
    point = site.point(stack, D)
    assert point is not None
    assert point.atomic_key == 2


async def test_a_hundred_duplicates_have_one_completer(meetings: Meetings) -> None:
    verdicts = await meetings.together(*([A, B, C] * 33))
    assert len(completions(verdicts)) == 1


async def test_different_points_do_not_meet(
    meetings: Meetings, site: Site, stack: StackRecord
) -> None:
    point = Point(stack.id, TRAVERSAL, None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(meetings.arrive, A)
        nursery.start_soon(meetings.rendezvous.arrive, point, Arrival(None, D), (D,))
    assert list(site.entries(stack, D)) == [A.key]
    assert list(site.entries(stack, None)) == [D.key]


# --- misfortunes -------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Fault.CONFLICT, Fault.LOST, Fault.LOST_AFTER_COMMIT])
async def test_a_lost_commit_loses_no_entry_and_no_completer(
    meetings: Meetings, site: Site, stack: StackRecord, faults: Faults, fault: Fault
) -> None:
    faults.at_commit(fault)
    verdicts = await meetings.together(A, B, C)
    assert faults.left == 0
    assert len(completions(verdicts)) == 1
    assert set(site.entries(stack, D)) == {A.key, B.key, C.key}


async def test_a_lost_commit_over_a_sync_point_that_is_gone(
    meetings: Meetings, site: Site, stack: StackRecord, faults: Faults
) -> None:
    site.write(lambda c: sync_points.delete_for_traversal(c, stack.id, TRAVERSAL))
    faults.at_commit(Fault.LOST)
    assert await meetings.together(A, B) == [Gone(), Gone()]


async def test_a_write_of_another_engine_in_between_starts_the_merge_over(
    meetings: Meetings, site: Site, stack: StackRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    update_if: Callable[..., bool] = sync_points.update_if
    calls: list[int] = []

    def slower(*arguments: Any, **more: Any) -> bool:
        calls.append(1)
        return False if len(calls) == 1 else update_if(*arguments, **more)

    monkeypatch.setattr(sync_points, "update_if", slower)
    assert len(completions(await meetings.together(A, B, C))) == 1
    assert len(calls) == 2
    assert set(site.entries(stack, D)) == {A.key, B.key, C.key}


async def test_two_engines_find_one_completer(
    database: Database, stack: StackRecord, nursery: trio.Nursery, meetings: Meetings
) -> None:
    other = Meetings(Rendezvous(database, nursery), stack)
    verdicts: list[Verdict] = []

    async def come(where: Meetings, sender: Node) -> None:
        verdicts.append(await where.arrive(sender))

    async with trio.open_nursery() as arrivals:
        for index, sender in enumerate((A, B, C, A, B, C)):
            arrivals.start_soon(come, meetings if index % 2 else other, sender)
    assert len(completions(verdicts)) == 1


async def test_when_nobody_can_tell_looking_once_more_does(
    meetings: Meetings, faults: Faults
) -> None:
    faults.at_commit(Fault.LOST_AFTER_COMMIT)
    faults.before_read(Fault.LOST, times=20)
    assert len(completions(await meetings.together(A, B, C))) == 1
    assert faults.left == 0


async def test_entries_that_got_lost_for_good_are_an_error_to_everybody(
    meetings: Meetings, faults: Faults, site: Site, stack: StackRecord
) -> None:
    faults.at_commit(Fault.LOST)
    faults.before_read(Fault.LOST, times=20)
    with pytest.RaisesGroup(Conflict, Conflict):
        await meetings.together(A, B)
    assert site.entries(stack, D) == {}


async def test_a_write_that_never_succeeds_is_an_error_to_everybody(
    meetings: Meetings, faults: Faults
) -> None:
    faults.before_transaction(Fault.CONFLICT, times=20)
    with pytest.RaisesGroup(Conflict, Conflict, Conflict):
        await meetings.together(A, B, C)
    # The next meeting is a new one.
    assert len(completions(await meetings.together(A, B, C))) == 1


async def test_a_ticket_without_a_verdict_is_a_bug(
    meetings: Meetings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def settle_nothing(point: Point, meeting: Any) -> None:
        for ticket in meeting.tickets:
            ticket.done.set()

    monkeypatch.setattr(meetings.rendezvous, "_hold", settle_nothing)
    with pytest.raises(AssertionError, match="without a verdict"):
        await meetings.arrive(A)


def test_points_are_told_apart_by_all_they_are() -> None:
    one = Point(StackId("s"), TRAVERSAL, D)
    assert one == Point(StackId("s"), TRAVERSAL, Node(4, True))
    assert len({one, Point(StackId("t"), TRAVERSAL, D), Point(StackId("s"), TRAVERSAL, None)}) == 3


# --- wide points -------------------------------------------------------------------------------

MANY = tuple(Node(number, True) for number in range(10, 90))
CENTRE = Node(100, True)


class Wide:
    """A point that 80 nodes report to; counts how often its row is written."""

    def __init__(self, rendezvous: Rendezvous, site: Site) -> None:
        self._rendezvous = rendezvous
        self._site = site
        self._stack = site.stack()
        site.graph(self._stack, [(CENTRE, node) for node in MANY])
        self._point = Point(self._stack.id, TRAVERSAL, CENTRE)
        self.verdicts: list[Verdict] = []

    async def arrive(self, sender: Node) -> None:
        arrival = Arrival(CENTRE, sender, sender.id, again=sender == CENTRE)
        self.verdicts.append(await self._rendezvous.arrive(self._point, arrival, MANY))

    @property
    def written(self) -> int:
        point = self._site.point(self._stack, CENTRE)
        assert point is not None
        return point.atomic_key


@pytest.fixture
async def wide(database: Database, site: Site, nursery: trio.Nursery) -> Wide:
    return Wide(Rendezvous(database, nursery, company=4), site)


async def test_a_wide_row_waits_for_company(
    wide: Wide, nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    began = trio.current_time()
    for node in MANY[:32]:
        await wide.arrive(node)  # one after the other: with nobody else there each is written
    alone = wide.written
    paused = trio.current_time() - began
    assert alone == 32
    # From the width of 16 on two were wanted, and nobody came.
    assert 16 * 16 * PAUSE_SECONDS_PER_ENTRY < paused < 16 * 32 * PAUSE_SECONDS_PER_ENTRY
    began = trio.current_time()
    for node in MANY[32:-1]:
        nursery.start_soon(wide.arrive, node)
        await trio.sleep(PAUSE_SECONDS_PER_ENTRY)
    await trio.testing.wait_all_tasks_blocked()
    # Four were enough, whatever the width.
    assert wide.written - alone <= len(MANY[32:-1]) / 4 + 1
    await trio.sleep(1)
    assert len(wide.verdicts) == len(MANY) - 1
    assert set(map(type, wide.verdicts)) == {Waiting}


async def test_the_last_ones_of_a_wide_set_wait_for_nobody(
    wide: Wide, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        for node in MANY[:-1]:
            nursery.start_soon(wide.arrive, node)
    before = trio.current_time()
    await wide.arrive(MANY[-1])
    assert trio.current_time() == before
    assert isinstance(wide.verdicts[-1], Complete)


async def test_a_wake_up_at_a_wide_point_waits_for_nobody(
    wide: Wide, autojump_clock: trio.testing.MockClock
) -> None:
    async with trio.open_nursery() as nursery:
        for node in MANY[:-2]:
            nursery.start_soon(wide.arrive, node)
    before = trio.current_time()
    await wide.arrive(CENTRE)
    assert trio.current_time() == before


# --- without company ---------------------------------------------------------------------------


def carried_out(site: Site, meetings: Meetings, sender: Node, *predecessors: Node) -> Verdict:
    """The verdict on an entry of `sender` at D."""
    arrival = Arrival(D, sender, sender.id)
    write = meetings.rendezvous.write_of(meetings.at_d, arrival, predecessors)
    verdict = site.write(write.apply)
    assert isinstance(verdict, Applied)
    assert site.read(write.confirm) == verdict
    return verdict.value


def foreseen(meetings: Meetings, sender: Node, *predecessors: Node) -> Verdict | None:
    arrival = Arrival(D, sender, sender.id)
    return meetings.rendezvous.write_of(meetings.at_d, arrival, predecessors).foreseen


async def test_the_only_one_completes_the_set(meetings: Meetings, site: Site) -> None:
    complete = Complete({"input_data": {A.key: 1}})
    assert foreseen(meetings, A, A) == complete
    assert carried_out(site, meetings, A, A) == complete


async def test_an_update_is_foreseen_to_come_first_and_a_clean_up_last(
    meetings: Meetings, site: Site
) -> None:
    clean = Node(2, False)
    assert foreseen(meetings, A, A, clean) == Waiting()
    assert foreseen(meetings, clean, A, clean) == Complete({})
    assert carried_out(site, meetings, A, A, clean) == Waiting()
    both = Complete({"input_data": {A.key: 1, clean.key: 2}})
    assert carried_out(site, meetings, clean, A, clean) == both


async def test_who_comes_otherwise_than_foreseen_is_merged_all_the_same(
    meetings: Meetings, site: Site
) -> None:
    clean = Node(2, False)
    assert carried_out(site, meetings, clean, A, clean) == Waiting()
    both = Complete({"input_data": {clean.key: 2, A.key: 1}})
    assert carried_out(site, meetings, A, A, clean) == both


async def test_at_a_point_that_is_gone_there_is_nothing_to_leave(
    meetings: Meetings, site: Site, stack: StackRecord
) -> None:
    site.write(lambda c: sync_points.delete_for_traversal(c, stack.id, TRAVERSAL))
    assert carried_out(site, meetings, A, A) == Gone()


async def test_in_doubt_the_entry_is_looked_for(meetings: Meetings, site: Site) -> None:
    arrival = Arrival(D, A, 1)
    write = meetings.rendezvous.write_of(meetings.at_d, arrival, (A,))
    assert site.read(write.confirm) == Lost()
