from __future__ import annotations

import pytest

from heat_io.openstack import Pace, PollPolicy


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def policy(clock: Clock, jitter: float = 0.5) -> PollPolicy:
    paces = {"compute": Pace(first=1.0, growth=2.0, longest=5.0)}
    return PollPolicy(paces=paces, clock=clock, jitter=lambda: jitter)


def test_waits_grow_to_the_longest(clock: Clock) -> None:
    waits = [policy(clock).delay("compute", attempt) for attempt in range(5)]
    assert waits == [1, 2, 4, 5, 5]
    assert policy(clock).delay("compute", 10**9) == 5


def test_services_without_a_pace_have_the_default(clock: Clock) -> None:
    for service in ("placement", None):
        assert policy(clock).delay(service, 0) == pytest.approx(0.25)
        assert policy(clock).delay(service, 100) == pytest.approx(5)


def test_a_types_wish_replaces_the_first_wait(clock: Clock) -> None:
    assert policy(clock).delay("compute", 0, 0.1) == pytest.approx(0.1)
    assert policy(clock).delay("compute", 1, 0.1) == pytest.approx(0.2)
    assert policy(clock).delay("compute", 3, 30) == 30, "a long wish isn't cut"


def test_waits_are_spread_by_a_tenth(clock: Clock) -> None:
    assert policy(clock, 0.0).delay("compute", 0) == pytest.approx(0.9)
    assert policy(clock, 0.999).delay("compute", 0) == pytest.approx(1.1, abs=0.001)


def test_complaints_lengthen_the_waits_of_that_service_for_a_while(clock: Clock) -> None:
    polls = policy(clock)
    polls.throttled("compute")
    assert polls.delay("compute", 0) == 2
    polls.throttled("compute")
    assert polls.delay("compute", 0) == 4
    assert polls.delay("network", 0) == pytest.approx(0.25)
    for _ in range(10):
        polls.throttled("compute")
    assert polls.pressure("compute") == 16
    clock.now += 30
    assert polls.pressure("compute") == 8
    clock.now += 10_000
    assert polls.pressure("compute") == 1


def test_nobody_looks_before_the_time_that_the_service_named(clock: Clock) -> None:
    polls = policy(clock)
    polls.throttled("compute", 60)
    assert polls.delay("compute", 0) == 60
    clock.now += 59
    assert polls.delay("compute", 0) == pytest.approx(1.0, abs=0.05)
    polls.throttled("compute", 1)
    assert polls.delay("network", 0) < 1
