from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
from trio.testing import MockClock

from heat_core.procedure import ServiceError
from heat_io.patience import LOOK_AGAIN_SECONDS, patiently


class Service:
    """Away until a time, and then for good or not."""

    def __init__(self, until: float, *, away: bool = True) -> None:
        self.until = until
        self.away = away
        self.asked = 0

    async def __call__(self) -> str:
        await trio.lowlevel.checkpoint()
        self.asked += 1
        if trio.current_time() < self.until:
            raise ServiceError(
                "s", 503, "away", error_class="Unavailable", text="away", away=self.away
            )
        return "here"


async def test_an_answer_is_given_at_once(autojump_clock: MockClock) -> None:
    service = Service(0)
    assert await patiently(service) == "here"
    assert (service.asked, trio.current_time()) == (1, 0)


async def test_who_is_away_is_asked_again(autojump_clock: MockClock) -> None:
    service = Service(9)
    assert await patiently(service, 60) == "here"
    assert service.asked == 6
    assert trio.current_time() == 5 * LOOK_AGAIN_SECONDS


@pytest.mark.parametrize(
    ("limit", "asked"),
    [(lambda: trio.move_on_after(1000), 6), (lambda: trio.move_on_after(5), 3)],
    ids=["patience", "deadline"],
)
async def test_patience_ends_with_its_time_and_before_the_callers(
    autojump_clock: MockClock, limit: Callable[[], trio.CancelScope], asked: int
) -> None:
    service = Service(1000)
    with limit() as scope, pytest.raises(ServiceError):
        await patiently(service, 10)
    assert not scope.cancelled_caught
    assert service.asked == asked


async def test_a_refusal_is_none_to_wait_for(autojump_clock: MockClock) -> None:
    service = Service(9, away=False)
    with pytest.raises(ServiceError):
        await patiently(service, 60)
    assert service.asked == 1


async def test_the_caller_says_how_to_wait(autojump_clock: MockClock) -> None:
    waited = []

    async def pause(seconds: float) -> None:
        waited.append(seconds)
        await trio.sleep(seconds)

    await patiently(Service(3), 60, pause=pause)
    assert waited == [LOOK_AGAIN_SECONDS] * 2
