"""How often and how late units are tried again."""

from __future__ import annotations

import pytest

from heat_io.database import Conflict, ConnectionLost, Retrier, RetryPolicy


class Recorder:
    """A sleep that only remembers, and a call that fails in a given way at first."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.slept: list[float] = []
        self.calls = 0

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def __call__(self) -> str:
        self.calls += 1
        if self.failures:
            raise self.failures.pop(0)
        return "done"

    def retrier(self, random: float = 1.0, **policy: float) -> Retrier:
        return Retrier(RetryPolicy(**policy), lambda: random, self.sleep)


async def test_conflicts_wait_longer_each_time_up_to_a_bound() -> None:
    call = Recorder(*(Conflict() for _ in range(8)))
    assert await call.retrier(first_pause_seconds=0.1).run(call) == "done"
    assert call.slept == [0.2, 0.4, 0.8, 1.0, 1.0, 1.0, 1.0, 1.0]


async def test_pauses_are_jittered() -> None:
    call = Recorder(Conflict())
    await call.retrier(random=0.25, first_pause_seconds=0.1).run(call)
    assert call.slept == [0.05]


async def test_the_first_lost_connection_is_retried_at_once() -> None:
    call = Recorder(ConnectionLost(), ConnectionLost())
    await call.retrier(first_pause_seconds=1.0).run(call)
    assert call.slept == [0.0, 4.0]


@pytest.mark.parametrize("kind", [Conflict, ConnectionLost])
async def test_retries_are_bounded(kind: type[Exception]) -> None:
    call = Recorder(*(kind(str(number)) for number in range(9)))
    with pytest.raises(kind, match="2"):
        await call.retrier(conflict_attempts=3, lost_attempts=3).run(call)
    assert call.calls == 3


async def test_other_errors_are_not_retried() -> None:
    call = Recorder(ValueError("x"))
    with pytest.raises(ValueError, match="x"):
        await call.retrier().run(call)
    assert call.calls == 1
    assert RetryPolicy().pause_seconds(ValueError(), 1, 1.0) is None
