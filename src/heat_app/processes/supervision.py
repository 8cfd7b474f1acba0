"""What a supervisor does about its workers: decisions alone, no process is touched here.

Theory of operation. There are `count` places, each with one worker in office. Workers announce
themselves: ready once they serve, then a sign of life every few seconds.

* A worker that ends is followed by another; after an end soon after its start there is a pause that
  doubles, so that a broken start is no busy loop.
* A worker that has been ready and gives no sign for `silence_seconds` is frozen: it is killed.
* A reload replaces all of them, one place after the other: the new one starts beside the old one,
  which is told to end only when the new one serves. Work is never without somebody to do it.
* A stop tells all to end, and kills who has not ended after `grace_seconds` and a margin; a second
  one makes them hurry, a moment later they are killed.

Workers bound their ends by `grace_seconds` themselves; the kill is for those that can't.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

__all__ = [
    "CONFIGURATION",
    "Effect",
    "End",
    "Fork",
    "Kill",
    "SayReady",
    "SayReloading",
    "SayStopping",
    "Supervision",
    "TellToEnd",
    "TellToHurry",
]

CONFIGURATION = 2
"""the exit code of a worker that can't use its configuration: another one could not either"""

STEADY_SECONDS = 10.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
MARGIN_SECONDS = 15.0
HURRY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Fork:
    """Start a worker for that place, and say `forked`."""

    place: int


@dataclass(frozen=True, slots=True)
class TellToEnd:
    """Tell the worker to end in order."""

    pid: int


@dataclass(frozen=True, slots=True)
class TellToHurry:
    """Tell the worker to end at once."""

    pid: int


@dataclass(frozen=True, slots=True)
class Kill:
    """Kill the worker."""

    pid: int


@dataclass(frozen=True, slots=True)
class SayReady:
    """Everybody serves: for the first time, or again after a reload."""


@dataclass(frozen=True, slots=True)
class SayReloading:
    """A reload has begun."""


@dataclass(frozen=True, slots=True)
class SayStopping:
    """The end has begun."""


@dataclass(frozen=True, slots=True)
class End:
    """Nothing is left to supervise: leave with this exit code."""

    code: int


type Effect = Fork | TellToEnd | TellToHurry | Kill | SayReady | SayReloading | SayStopping | End


@dataclass(slots=True)
class _Worker:
    pid: int
    place: int
    generation: int
    started: float
    sign: float
    is_ready: bool = False
    told: bool = False
    killed: bool = False


@dataclass(slots=True)
class _Place:
    office: _Worker | None = None
    successor: _Worker | None = None
    """has started to take the office over"""
    fork_at: float = math.inf
    early_ends: int = 0
    asked: bool = False
    """a Fork is out and not answered by `forked` yet"""


@dataclass(slots=True)
class Supervision:
    """Feed it what happens, with the time of a monotonic clock; do what it returns, in order."""

    count: int
    grace_seconds: float
    """what an orderly end may take; infinite: as long as it likes"""
    silence_seconds: float = 60.0
    _places: list[_Place] = field(default_factory=list)
    _workers: dict[int, _Worker] = field(default_factory=dict)
    _generation: int = 0
    _said_ready: bool = False
    _has_served: bool = False
    _stopping: bool = False
    _hurried: bool = False
    _kill_at: float = math.inf
    _code: int = 0

    @property
    def pids(self) -> tuple[int, ...]:
        """The workers that there are."""
        return tuple(self._workers)

    def begin(self, now: float) -> tuple[Effect, ...]:
        """Start."""
        self._places = [_Place(fork_at=now) for _ in range(self.count)]
        return self.handle_deadline(now)

    # --- what workers do -------------------------------------------------------------------

    def forked(self, place: int, pid: int, now: float) -> tuple[Effect, ...]:
        """The worker that was asked for runs."""
        where = self._places[place]
        worker = _Worker(pid, place, self._generation, now, now)
        self._workers[pid] = worker
        where.asked = False
        if where.office is None:
            where.office = worker
        else:
            where.successor = worker
        return (self._tell(worker),) if self._stopping else ()

    def not_forked(self, place: int, now: float) -> tuple[Effect, ...]:
        """The worker that was asked for can't be had now."""
        where = self._places[place]
        where.asked = False
        where.early_ends += 1
        where.fork_at = now + _pause(where.early_ends)
        return self._end_if_all_have()

    def ready(self, pid: int, now: float) -> tuple[Effect, ...]:
        """The worker serves."""
        worker = self._workers.get(pid)
        if worker is None:
            return ()
        worker.is_ready, worker.sign = True, now
        if self._stopping:
            return ()
        where = self._places[worker.place]
        effects: list[Effect] = []
        if where.successor is worker:
            if where.office is not None and not where.office.told:
                effects.append(self._tell(where.office))
            where.office, where.successor = worker, None
        effects += self._go_on_with_reload(now)
        if not self._said_ready and self._all_serve():
            self._said_ready = self._has_served = True
            effects.append(SayReady())
        return tuple(effects)

    def signed(self, pid: int, now: float) -> None:
        """The worker has given a sign of life."""
        if pid in self._workers:
            self._workers[pid].sign = now

    def ended(self, pid: int, code: int, now: float) -> tuple[Effect, ...]:
        """The worker is gone; `code` is negative for a signal."""
        worker = self._workers.pop(pid, None)
        if worker is None:
            return ()
        where = self._places[worker.place]
        in_office = where.office is worker
        if in_office:
            where.office, where.successor = where.successor, None
        elif where.successor is worker:
            where.successor = None
        else:
            return self._end_if_all_have()
        if not worker.is_ready and code == CONFIGURATION and not self._has_served:
            self._code = code
            return (*self._begin_stop(now), *self._end_if_all_have())
        vacant = where.office is None or not in_office
        if vacant and not (self._stopping or where.asked):
            early = now - worker.started < STEADY_SECONDS and not worker.told
            where.early_ends = where.early_ends + 1 if early else 0
            where.fork_at = now + (_pause(where.early_ends) if early else 0.0)
        return (*self.handle_deadline(now), *self._end_if_all_have())

    # --- what operators want ---------------------------------------------------------------

    def reload(self, now: float) -> tuple[Effect, ...]:
        """Replace every worker by a new one."""
        if self._stopping:
            return ()
        self._generation += 1
        self._said_ready = False
        return (SayReloading(), *self._go_on_with_reload(now))

    def stop(self, now: float) -> tuple[Effect, ...]:
        """End; a second time: at once."""
        if not self._stopping:
            return (*self._begin_stop(now), *self._end_if_all_have())
        if self._hurried:
            return tuple(self._killed(worker) for worker in self._workers.values())
        self._hurried = True
        self._kill_at = now + HURRY_SECONDS
        return tuple(TellToHurry(pid) for pid in self._workers)

    # --- time ------------------------------------------------------------------------------

    def next_deadline(self) -> float:
        """When handle_deadline wants to be called; infinite: never."""
        moments = [self._kill_at]
        moments += [where.fork_at for where in self._places]
        moments += [
            worker.sign + self.silence_seconds
            for worker in self._workers.values()
            if self._may_be_frozen(worker)
        ]
        return min(moments)

    def handle_deadline(self, now: float) -> tuple[Effect, ...]:
        """What is due now."""
        effects: list[Effect] = []
        if now >= self._kill_at:
            self._kill_at = math.inf
            effects += [self._killed(worker) for worker in self._workers.values()]
        for number, where in enumerate(self._places):
            if now >= where.fork_at:
                where.fork_at, where.asked = math.inf, True
                effects.append(Fork(number))
        effects += [
            self._killed(worker)
            for worker in self._workers.values()
            if self._may_be_frozen(worker) and now >= worker.sign + self.silence_seconds
        ]
        return tuple(effects)

    # --- inside ----------------------------------------------------------------------------

    def _may_be_frozen(self, worker: _Worker) -> bool:
        return worker.is_ready and not worker.killed

    def _tell(self, worker: _Worker) -> TellToEnd:
        worker.told = True
        return TellToEnd(worker.pid)

    def _killed(self, worker: _Worker) -> Kill:
        worker.killed = True
        return Kill(worker.pid)

    def _all_serve(self) -> bool:
        return all(
            where.office is not None
            and where.office.is_ready
            and where.office.generation == self._generation
            for where in self._places
        )

    def _go_on_with_reload(self, now: float) -> tuple[Effect, ...]:
        """Start the next successor, unless one is starting."""
        for number, where in enumerate(self._places):
            office = where.office
            if office is None or office.generation == self._generation:
                continue
            if where.successor is not None:
                if where.successor.generation == self._generation:
                    return ()
                # Made for a reload before this one: let it go, the office has somebody.
                successor, where.successor = where.successor, None
                where.fork_at, where.asked = math.inf, True
                return (self._tell(successor), Fork(number))
            if where.asked or where.fork_at < math.inf:
                return ()
            where.fork_at, where.asked = math.inf, True
            return (Fork(number),)
        return ()

    def _begin_stop(self, now: float) -> tuple[Effect, ...]:
        self._stopping = True
        self._kill_at = now + self.grace_seconds + MARGIN_SECONDS
        for where in self._places:
            where.fork_at = math.inf
        told = [self._tell(worker) for worker in self._workers.values() if not worker.told]
        return (SayStopping(), *told)

    def _end_if_all_have(self) -> tuple[Effect, ...]:
        starting = any(where.asked for where in self._places)
        return (End(self._code),) if self._stopping and not self._workers and not starting else ()


def _pause(early_ends: int) -> float:
    if early_ends == 0:
        return 0.0
    return float(min(FIRST_PAUSE_SECONDS * 2 ** (early_ends - 1), LONGEST_PAUSE_SECONDS))
