from __future__ import annotations

import asyncio

import pytest
import trio
import trio.testing

from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging.amqp.crossing import BrokerLost, Crossings


async def _stubborn() -> None:
    """A call that is cancelled and hangs all the same, once."""
    try:
        await asyncio.sleep(1000)
    except asyncio.CancelledError:
        await asyncio.sleep(1000)


async def test_results_and_errors_come_back() -> None:
    async def fail() -> None:
        raise ValueError("there")

    async def late() -> None:
        raise TimeoutError

    async with open_asyncio_loop() as loop:
        crossings = Crossings(loop)
        assert await crossings.run(asyncio.sleep(0, 5), 1) == 5
        with pytest.raises(ValueError, match="there"):
            await crossings.run(fail(), 1)
        with pytest.raises(BrokerLost):
            await crossings.run(late(), 1)
        assert not crossings.severed.is_set()


async def test_a_deadline_holds_even_if_the_call_does_not_end(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with open_asyncio_loop() as loop:
        crossings = Crossings(loop)
        start = trio.current_time()
        with pytest.raises(BrokerLost):
            await crossings.run(_stubborn(), 5)
        assert trio.current_time() - start == 5
        assert crossings.severed.is_set()
        with pytest.raises(BrokerLost):
            await crossings.run(asyncio.sleep(0), 5)


async def test_who_waits_is_told_when_the_connection_goes(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        crossings = Crossings(loop)

        async def sever() -> None:
            await trio.sleep(1)
            crossings.sever()

        nursery.start_soon(sever)
        with pytest.raises(BrokerLost):
            await crossings.run(asyncio.sleep(1000), 500)
        assert trio.current_time() < 100


async def test_asyncios_own_cancellation_is_a_loss() -> None:
    async def cancelled() -> None:
        raise asyncio.CancelledError

    async with open_asyncio_loop() as loop:
        with pytest.raises(BrokerLost):
            await Crossings(loop).run(cancelled(), 1)


async def test_a_shielded_crossing_ends_before_a_cancellation() -> None:
    done: list[int] = []

    async def work() -> None:
        await asyncio.sleep(0.01)
        done.append(1)

    async with open_asyncio_loop() as loop:
        crossings = Crossings(loop)
        with trio.CancelScope() as scope:
            scope.cancel()
            await crossings.run(work(), 5)
        assert done == [1]


async def test_a_caller_who_goes_does_not_stop_the_work() -> None:
    done: list[int] = []

    async def work() -> None:
        await asyncio.sleep(0.01)
        done.append(1)

    async with open_asyncio_loop() as loop:
        crossings = Crossings(loop)
        with trio.move_on_after(0) as scope:
            await crossings.run(work(), 5, shielded=False)
        assert scope.cancelled_caught
        assert done == []
        await crossings.idle(5)
        assert done == [1]


async def test_work_that_nobody_waits_for_has_its_deadline_too(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with open_asyncio_loop() as loop:
        crossings = Crossings(loop)
        crossings.start(asyncio.sleep(1000), 5)
        await crossings.watch(1)
        assert 5 < trio.current_time() < 8
        assert crossings.severed.is_set()
        await crossings.idle(1)


async def test_idle_does_not_wait_for_ever(autojump_clock: trio.testing.MockClock) -> None:
    async with open_asyncio_loop() as loop:
        crossings = Crossings(loop)
        await crossings.idle(5)
        assert trio.current_time() == 0
        task = crossings.start(asyncio.sleep(1000), 500)
        await crossings.idle(5)
        assert trio.current_time() == 5
        await trio.testing.wait_all_tasks_blocked()
        assert task.cancelled()


async def test_errors_of_forgotten_work_are_no_stray_errors(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail() -> None:
        raise ValueError

    async with open_asyncio_loop() as loop:
        crossings = Crossings(loop)
        crossings.start(fail(), 5)
        await crossings.idle(5)
    assert caplog.records == []
