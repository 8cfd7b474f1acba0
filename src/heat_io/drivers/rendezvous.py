"""Arrivals at sync points, combined within this process.

In a wide fan-in hundreds of nodes report to one sync point, and each report rewrites the whole
row. So the reports of one process meet: the first opens a meeting and asks for a write; those that
come while the write waits for its lane join it. The write merges all of them by one read and one
compare-and-swap, and each gets its verdict. The batch that completes the set names exactly one
arrival as the completer.

A row that is wide already waits for company before it is written again: for an eighth of what it
holds, for the last ones that are missing, or for a pause in proportion to its width. So what is
written grows with the number of reports, not with its square.

A point that waits for one node alone needs no meeting and is not read: the report of that node is
all that it will ever hold, so it is stored on the condition that nobody has touched the point yet.
Where that does not hold the report goes the common way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import trio
from sqlalchemy import Connection

from heat_core.convergence import Arrival, Node, merge
from heat_core.convergence.sync_point import NO_FAILURES, merge_extras, read_failures
from heat_core.stack.ids import StackId, TraversalId
from heat_core.stack.records import SyncPointRecord
from heat_io.database import Applied, Conflict, Database, Lost, Share, Write, sync_points
from heat_io.drivers.definitions import LeastRecentlyUsed

SYNC_POINT_RANK = 9
SHARE = 8
"""a meeting waits until its tickets are one in SHARE of the entries that are there"""
PAUSE_SECONDS_PER_ENTRY = 0.0005
"""and no longer than this for each of them"""
POINTS_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class Point:
    """One sync point: of a node, or of the stack where `node` is None."""

    stack_id: StackId
    traversal_id: TraversalId
    node: Node | None

    @property
    def entity(self) -> str:
        return self.stack_id if self.node is None else self.node.entity

    @property
    def is_update(self) -> bool:
        return True if self.node is None else self.node.is_update

    @property
    def place(self) -> sync_points.Place:
        return self.entity, self.traversal_id, self.is_update


@dataclass(frozen=True, slots=True)
class Waiting:
    """The entry is there; others are missing, or somebody else has been told that none is."""


@dataclass(frozen=True, slots=True)
class Complete:
    """Nothing is missing, and it is this arrival's to act on it."""

    input_data: Mapping[str, Any]
    failures: Mapping[str, str] = NO_FAILURES
    skip: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """No such sync point: the traversal is over."""


type Verdict = Waiting | Complete | Gone


@dataclass(slots=True, eq=False)
class _Ticket:
    arrival: Arrival
    done: trio.Event = field(default_factory=trio.Event)
    verdict: Verdict | None = None
    error: Exception | None = None


@dataclass(slots=True, eq=False)
class _Meeting:
    """What waits at one sync point for the next write; closed once the write has begun."""

    predecessors: Sequence[Node]
    tickets: list[_Ticket] = field(default_factory=list)
    closed: bool = False
    enough: trio.Event = field(default_factory=trio.Event)


@dataclass(frozen=True, slots=True)
class _Merged:
    """What came of a meeting, and how many entries there are now."""

    verdicts: list[Verdict]
    entries: int = 0


@dataclass(slots=True, eq=False)
class _Part:
    """A meeting as a part of a write, and what came of it."""

    point: Point
    meeting: _Meeting
    close: Callable[[Point, _Meeting], None]
    merged: _Merged | None = None

    @property
    def outcome(self) -> _Merged:
        if self.merged is None:
            raise AssertionError("a meeting has no outcome before its write")
        return self.merged


class Rendezvous:
    """Merges arrivals at sync points through the write lanes; its tasks live in `nursery`.

    No meeting waits for more than `company` tickets: there may be no more visits than that.
    """

    def __init__(self, database: Database, nursery: trio.Nursery, *, company: int = 50) -> None:
        self._database = database
        self._nursery = nursery
        self._company = company
        self._meetings: dict[Point, _Meeting] = {}
        # How many entries wide points had when this process last wrote them.
        self._widths: LeastRecentlyUsed[Point, int] = LeastRecentlyUsed(POINTS_KNOWN)
        # The write runs in another thread on SQLite, and closes the meeting there.
        self._closing = threading.Lock()

    async def arrive(
        self,
        point: Point,
        arrival: Arrival,
        predecessors: Sequence[Node],
    ) -> Verdict:
        """Leave one entry at `point` and say whether it completed the set.

        When nobody can tell whether the write went through, the arrival is its completer if its
        set may be complete: casting twice does no harm, not casting would.
        """
        alone = len(predecessors) == 1 and tuple(predecessors) == (arrival.sender,)
        if alone and point.node is not None:
            filling = _filling(point, arrival, predecessors)
            match await self._database.submit(point.stack_id, filling):
                case Applied(verdict):
                    return verdict
                case Lost():
                    pass
                case _:
                    # The entry may be there without anybody who acts on it.
                    arrival = replace(arrival, again=True)
        return await self._meet(point, arrival, predecessors)

    def write_of(
        self, point: Point, arrival: Arrival, predecessors: Sequence[Node]
    ) -> Write[Verdict]:
        """The write that leaves one entry at a point without company, with the verdict foreseen.

        For points that few wait for. An update node mostly comes first to the clean-up that waits
        for it, so what is at the point need not be read.
        """
        filling = _filling(point, arrival, predecessors)
        comes_first = len(predecessors) == 1 or arrival.sender.is_update

        def apply(connection: Connection) -> Applied[Verdict]:
            if comes_first:
                first = filling.apply(connection)
                if isinstance(first, Applied):
                    return first
            part = _Part(point, _Meeting(predecessors, [_Ticket(arrival)]), _stays_open)
            _merge_all(connection, [part])
            return Applied(part.outcome.verdicts[0])

        def confirm(connection: Connection) -> Applied[Verdict] | Lost:
            meeting = _Meeting(predecessors, [_Ticket(arrival)])
            found = _find_all(connection, point, meeting)
            return Lost() if found is None else Applied(found[0])

        foreseen = filling.foreseen if comes_first else Complete({})
        return Write(apply, confirm, filling.order, "arrival", foreseen=foreseen)

    async def _meet(self, point: Point, arrival: Arrival, predecessors: Sequence[Node]) -> Verdict:
        ticket = _Ticket(arrival)
        with self._closing:
            meeting = self._meetings.get(point)
            opens = meeting is None or meeting.closed
            if meeting is None or meeting.closed:
                meeting = self._meetings[point] = _Meeting(predecessors)
            meeting.tickets.append(ticket)
        wakes = arrival.sender == point.node
        if wakes or self._is_enough(point, meeting):
            meeting.enough.set()
        if opens:
            self._nursery.start_soon(self._hold, point, meeting)
        await ticket.done.wait()
        if ticket.error is not None:
            raise ticket.error
        if ticket.verdict is None:
            raise AssertionError("a ticket was settled without a verdict")
        return ticket.verdict

    def _is_enough(self, point: Point, meeting: _Meeting) -> bool:
        width, more = self._widths.get(point) or 0, len(meeting.tickets)
        complete = width + more >= len(meeting.predecessors)
        return complete or more >= min(width // SHARE, self._company)

    async def _hold(self, point: Point, meeting: _Meeting) -> None:
        """Carry out the meeting's write and settle all its tickets."""
        if not meeting.enough.is_set():
            with trio.move_on_after(PAUSE_SECONDS_PER_ENTRY * (self._widths.get(point) or 0)):
                await meeting.enough.wait()
        try:
            verdicts = await self._write(point, meeting)
        except Exception as error:
            for ticket in meeting.tickets:
                ticket.error = error
        else:
            for ticket, verdict in zip(meeting.tickets, verdicts, strict=True):
                ticket.verdict = verdict
        # Not in a `finally`: when this task is cancelled, so are those that wait for it.
        self._close(point, meeting)
        for ticket in meeting.tickets:
            ticket.done.set()

    async def _write(self, point: Point, meeting: _Meeting) -> list[Verdict]:
        part = _Part(point, meeting, self._close)

        def confirm(connection: Connection) -> Applied[_Merged] | Lost:
            found = _find_all(connection, point, meeting)
            return Lost() if found is None else Applied(_Merged(found))

        share = Share(_merge_all, part, point, lambda connection: Applied(part.outcome))
        write = Write.sharing(share, confirm, order=_order(point), label="arrivals")
        while True:
            match await self._database.submit(point.stack_id, write):
                case Applied(merged):
                    if merged.entries >= SHARE:
                        self._widths.put(point, merged.entries, 1)
                    return merged.verdicts
                case Lost():
                    continue
                case _:
                    return await self._database.read(
                        lambda connection: _find_or_guess(connection, point, meeting)
                    )

    def _close(self, point: Point, meeting: _Meeting) -> None:
        with self._closing:
            meeting.closed = True
            if self._meetings.get(point) is meeting:
                del self._meetings[point]


def _stays_open(point: Point, meeting: _Meeting) -> None:
    """Nobody else can come to a meeting of one."""


def _filling(point: Point, arrival: Arrival, predecessors: Sequence[Node]) -> Write[Verdict]:
    """The first report at an untouched point: what comes of it is known before."""
    merged = merge({}, [(arrival.sender, arrival.value)], predecessors)
    extra_data = merge_extras(None, arrival.failures, arrival.skip)
    verdict: Verdict = Waiting()
    if merged.completed_by is not None:
        verdict = Complete(merged.input_data, *read_failures(extra_data))

    def confirm(connection: Connection) -> Applied[Verdict] | Lost:
        record = sync_points.fetch(connection, point.entity, point.traversal_id, point.is_update)
        if record is None:
            return Applied(Gone())
        there = arrival.sender.key in record.input_data.get("input_data", {})
        return Applied(verdict) if there else Lost()

    change = sync_points.Change(point.place, sync_points.UNTOUCHED, merged.input_data, extra_data)
    share: Share[sync_points.Change, Verdict] = Share(
        sync_points.update_all_if, change, point, lambda connection: Applied(verdict)
    )
    return Write.sharing(share, confirm, order=_order(point), label="arrival", foreseen=verdict)


def _order(point: Point) -> tuple[Any, ...]:
    return (SYNC_POINT_RANK, point.entity, int(point.is_update))


def _merge_all(connection: Connection, parts: Sequence[_Part]) -> bool:
    """Merge the meetings of several points, each with its own outcome."""
    for part in parts:
        part.close(part.point, part.meeting)
    records = sync_points.fetch_many(connection, [part.point.place for part in parts])
    changes = [
        change
        for part in parts
        if (change := _merge(records.get(part.point.place), part)) is not None
    ]
    if not sync_points.update_all_if(connection, changes):
        # Another engine wrote between our read and our write: the transaction starts over.
        raise Conflict("a sync point was written by another engine")
    return True


def _merge(record: SyncPointRecord | None, part: _Part) -> sync_points.Change | None:
    """Note what comes of the meeting; what is to be stored, if anything is."""
    tickets = part.meeting.tickets
    if record is None:
        part.merged = _Merged([Gone() for _ in tickets])
        return None
    merged = merge(
        record.input_data,
        [(ticket.arrival.sender, ticket.arrival.value) for ticket in tickets],
        part.meeting.predecessors,
        again={ticket.arrival.sender for ticket in tickets if ticket.arrival.again},
    )
    failures: dict[str, str] = {}
    for ticket in tickets:
        failures |= ticket.arrival.failures
    extra_data = merge_extras(
        record.extra_data, failures, any(ticket.arrival.skip for ticket in tickets)
    )
    verdicts = _verdicts(
        tickets, merged.completed_by, merged.input_data, extra_data or record.extra_data
    )
    part.merged = _Merged(verdicts, len(merged.input_data["input_data"]))
    if not merged.changed and extra_data is None:
        return None
    return sync_points.Change(part.point.place, record.atomic_key, merged.input_data, extra_data)


def _find_all(connection: Connection, point: Point, meeting: _Meeting) -> list[Verdict] | None:
    """After a commit whose fate is unknown: the verdicts if the entries are there, else None."""
    record = sync_points.fetch(connection, point.entity, point.traversal_id, point.is_update)
    if record is None:
        return [Gone() for _ in meeting.tickets]
    present = record.input_data.get("input_data", {})
    if any(ticket.arrival.sender.key not in present for ticket in meeting.tickets):
        return None
    complete = all(node.key in present for node in meeting.predecessors)
    completer = len(meeting.tickets) - 1 if complete else None
    return _verdicts(meeting.tickets, completer, record.input_data, record.extra_data)


def _find_or_guess(connection: Connection, point: Point, meeting: _Meeting) -> list[Verdict]:
    found = _find_all(connection, point, meeting)
    if found is None:
        raise Conflict("the entries of a sync point got lost with their connection")
    return found


def _verdicts(
    tickets: Sequence[_Ticket],
    completed_by: int | None,
    input_data: Mapping[str, Any],
    extra_data: Mapping[str, Any] | None,
) -> list[Verdict]:
    failures, skip = read_failures(extra_data)
    return [
        Complete(input_data, failures, skip) if index == completed_by else Waiting()
        for index in range(len(tickets))
    ]
