"""How long an engine may act after a sign of life."""

from __future__ import annotations

import trio
from trio.testing import MockClock

from heat_io.drivers.lease import SignedLease, Unlimited


async def test_nothing_is_held_before_the_first_sign(autojump_clock: MockClock) -> None:
    lease = SignedLease(15)
    assert not lease.is_held()
    with trio.move_on_after(100) as scope:
        await lease.wait()
    assert scope.cancelled_caught


async def test_a_lease_counts_from_the_beginning_of_the_write(autojump_clock: MockClock) -> None:
    lease = SignedLease(15)
    began_at = trio.current_time()
    await trio.sleep(4)
    lease.sign(began_at)
    await trio.sleep(5.9)
    assert lease.is_held()
    await trio.sleep(0.2)
    assert not lease.is_held()


async def test_who_waits_goes_on_with_the_next_sign_that_is_young_enough(
    autojump_clock: MockClock,
) -> None:
    lease = SignedLease(15)
    ended: list[float] = []

    async def wait() -> None:
        await lease.wait()
        ended.append(trio.current_time() - began)

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.sleep(20)
        lease.sign(began)  # took too long to be stored
        await trio.sleep(5)
        lease.sign(trio.current_time())
    assert ended == [25]


async def test_an_engine_alone_always_acts(autojump_clock: MockClock) -> None:
    lease = Unlimited()
    await lease.wait()
    assert lease.is_held()
