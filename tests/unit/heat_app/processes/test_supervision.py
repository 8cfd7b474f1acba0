from __future__ import annotations

import math

import pytest

from heat_app.processes.supervision import (
    CONFIGURATION,
    Effect,
    End,
    Fork,
    Kill,
    SayReady,
    SayReloading,
    SayStopping,
    Supervision,
    TellToEnd,
    TellToHurry,
)


class Rig:
    """A supervision whose forks get the process ids 101, 102, ..."""

    def __init__(self, count: int = 2, grace_seconds: float = 60.0) -> None:
        self.supervision = Supervision(count, grace_seconds)
        self.now = 0.0
        self.pids = 100

    def begin(self) -> list[Effect]:
        return self.follow(self.supervision.begin(self.now))

    def follow(self, effects: tuple[Effect, ...]) -> list[Effect]:
        """Do what is wanted; what was."""
        done: list[Effect] = []
        for effect in effects:
            done.append(effect)
            if isinstance(effect, Fork):
                self.pids += 1
                done += self.follow(self.supervision.forked(effect.place, self.pids, self.now))
        return done

    def ready(self, *pids: int) -> list[Effect]:
        return [
            effect for pid in pids for effect in self.follow(self.supervision.ready(pid, self.now))
        ]

    def ended(self, pid: int, code: int) -> list[Effect]:
        return self.follow(self.supervision.ended(pid, code, self.now))

    def stop(self) -> list[Effect]:
        return self.follow(self.supervision.stop(self.now))

    def reload(self) -> list[Effect]:
        return self.follow(self.supervision.reload(self.now))

    def live_until(self, now: float) -> None:
        """Time passes, and everybody has given signs of life."""
        self.now = now
        for pid in self.supervision.pids:
            self.supervision.signed(pid, now)

    def at(self, now: float) -> list[Effect]:
        """What is due by then, at the moments at which it is."""
        done: list[Effect] = []
        while (moment := self.supervision.next_deadline()) <= now:
            self.now = max(moment, self.now)
            done += self.follow(self.supervision.handle_deadline(self.now))
        self.now = now
        return done


def serving(count: int = 2, grace_seconds: float = 60.0) -> Rig:
    rig = Rig(count, grace_seconds)
    rig.begin()
    rig.ready(*range(101, 101 + count))
    return rig


def test_all_are_started_and_readiness_is_said_once_all_serve() -> None:
    rig = Rig(3)
    assert rig.begin() == [Fork(0), Fork(1), Fork(2)]
    assert rig.ready(101, 103) == []
    assert rig.ready(102) == [SayReady()]
    assert rig.supervision.pids == (101, 102, 103)


def test_a_worker_that_dies_late_is_followed_at_once() -> None:
    rig = serving()
    rig.live_until(100.0)
    assert rig.ended(101, -9) == [Fork(0)]
    assert rig.ready(103) == []
    assert rig.supervision.pids == (102, 103)


def test_one_that_dies_early_is_followed_after_pauses_that_grow() -> None:
    rig = Rig(1)
    rig.begin()
    pauses = []
    for pid in range(101, 109):
        assert rig.ended(pid, 1) == []
        pauses.append(rig.supervision.next_deadline() - rig.now)
        assert rig.at(rig.now + pauses[-1]) == [Fork(0)]
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_a_steady_life_forgets_earlier_deaths() -> None:
    rig = Rig(1)
    rig.begin()
    rig.ended(101, 1)
    rig.at(1.0)
    rig.ready(102)
    rig.live_until(50.0)
    assert rig.ended(102, 0) == [Fork(0)]
    rig.live_until(51.0)
    rig.ended(103, 1)
    assert rig.supervision.next_deadline() == 51.5


def test_a_first_worker_that_cannot_use_its_configuration_ends_it_all() -> None:
    rig = Rig(2)
    rig.begin()
    assert rig.ended(102, CONFIGURATION) == [SayStopping(), TellToEnd(101)]
    assert rig.ended(101, 0) == [End(CONFIGURATION)]


def test_one_that_comes_later_is_followed_like_any() -> None:
    rig = serving()
    rig.live_until(100.0)
    assert rig.ended(101, -9) == [Fork(0)]
    assert rig.ended(103, CONFIGURATION) == []
    assert rig.at(101.0) == [Fork(0)]


def test_a_fork_that_fails_is_tried_again() -> None:
    rig = Rig(1)
    rig.supervision.begin(0.0)
    assert rig.supervision.not_forked(0, 0.0) == ()
    assert rig.at(0.4) == []
    assert rig.at(0.5) == [Fork(0)]


def test_the_end_tells_all_and_waits_for_them() -> None:
    rig = serving()
    assert rig.stop() == [SayStopping(), TellToEnd(101), TellToEnd(102)]
    assert rig.ended(102, 0) == []
    assert rig.ended(101, -15) == [End(0)]


def test_who_has_not_ended_in_time_is_killed() -> None:
    rig = serving(grace_seconds=60.0)
    for pid in (101, 102):
        rig.supervision.signed(pid, 70.0)
    rig.stop()
    rig.ended(102, 0)
    assert rig.at(74.9) == []
    assert rig.at(75.0) == [Kill(101)]
    assert rig.ended(101, -9) == [End(0)]


def test_an_end_without_a_limit_waits_for_ever() -> None:
    rig = serving(count=1, grace_seconds=math.inf)
    rig.supervision.signed(101, 10**9)
    rig.stop()
    assert rig.at(10**9) == []


def test_a_second_signal_makes_them_hurry_and_a_third_kills() -> None:
    rig = serving()
    rig.stop()
    assert rig.stop() == [TellToHurry(101), TellToHurry(102)]
    assert rig.stop() == [Kill(101), Kill(102)]


def test_who_does_not_hurry_is_killed() -> None:
    rig = serving()
    rig.stop()
    rig.stop()
    assert rig.at(5.0) == [Kill(101), Kill(102)]


def test_an_end_before_all_serve_stops_what_has_been_started() -> None:
    rig = Rig(2)
    rig.begin()
    assert rig.stop() == [SayStopping(), TellToEnd(101), TellToEnd(102)]
    assert rig.ready(101) == []
    rig.ended(101, 0)
    assert rig.ended(102, 0) == [End(0)]


def test_an_end_between_two_lives_forks_nobody() -> None:
    rig = Rig(1)
    rig.begin()
    rig.ended(101, 1)
    assert rig.stop() == [SayStopping(), End(0)]
    assert rig.at(100.0) == []


def test_a_frozen_worker_is_killed_and_followed() -> None:
    rig = serving()
    rig.supervision.signed(102, 59.0)
    assert rig.at(59.9) == []
    assert rig.at(60.0) == [Kill(101)]
    assert rig.ended(101, -9) == [Fork(0)]


def test_one_that_is_only_starting_is_not_called_frozen() -> None:
    rig = Rig(1)
    rig.begin()
    assert rig.at(1000.0) == []


def test_a_reload_replaces_one_after_the_other_and_ends_the_old_when_the_new_serves() -> None:
    rig = serving()
    rig.live_until(100.0)
    assert rig.reload() == [SayReloading(), Fork(0)]
    assert rig.ready(103) == [TellToEnd(101), Fork(1)]
    assert rig.ended(101, 0) == []
    assert rig.ready(104) == [TellToEnd(102), SayReady()]
    assert rig.ended(102, 0) == []
    assert rig.supervision.pids == (103, 104)


def test_a_successor_that_dies_leaves_the_old_in_office() -> None:
    rig = serving(count=1)
    rig.live_until(100.0)
    rig.reload()
    assert rig.ended(102, 1) == []
    assert rig.at(100.5) == [Fork(0)]
    assert rig.ready(103) == [TellToEnd(101), SayReady()]


def test_an_old_one_that_dies_in_a_reload_is_followed_by_its_successor() -> None:
    rig = serving(count=1)
    rig.live_until(100.0)
    rig.reload()
    assert rig.ended(101, -9) == []
    assert rig.ready(102) == [SayReady()]
    assert rig.supervision.pids == (102,)


def test_a_second_reload_replaces_those_of_the_first() -> None:
    rig = serving(count=1)
    rig.live_until(100.0)
    rig.reload()
    assert rig.reload() == [SayReloading(), TellToEnd(102), Fork(0)]
    assert rig.ready(103) == [TellToEnd(101), SayReady()]


def test_a_reload_while_ending_is_nothing() -> None:
    rig = serving()
    rig.stop()
    assert rig.reload() == []


def test_a_stop_in_the_middle_of_a_reload_ends_old_and_new() -> None:
    rig = serving(count=1)
    rig.reload()
    assert rig.stop() == [SayStopping(), TellToEnd(101), TellToEnd(102)]
    rig.ended(101, 0)
    assert rig.ended(102, 0) == [End(0)]


@pytest.mark.parametrize("event", ["ready", "ended", "signed"])
def test_strangers_change_nothing(event: str) -> None:
    rig = serving(count=1)
    match event:
        case "ready":
            assert rig.supervision.ready(999, 1.0) == ()
        case "ended":
            assert rig.supervision.ended(999, 0, 1.0) == ()
        case "signed":
            rig.supervision.signed(999, 1.0)
    assert rig.supervision.pids == (101,)
