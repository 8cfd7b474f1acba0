from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from heat_io.openstack.single_flight import SingleFlight


class Work:
    def __init__(self) -> None:
        self.runs = 0
        self.gate = trio.Event()

    async def __call__(self) -> int:
        self.runs += 1
        run = self.runs
        await self.gate.wait()
        return run


async def test_many_who_ask_at_once_get_the_result_of_one_run() -> None:
    flights: SingleFlight[str, int] = SingleFlight()
    work = Work()
    results: list[int] = []

    async def ask() -> None:
        results.append(await flights.do("key", work))

    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        work.gate.set()
    assert results == [1] * 20
    assert await flights.do("key", work) == 2, "a result is not kept"


async def test_keys_do_not_wait_for_each_other() -> None:
    flights: SingleFlight[str, int] = SingleFlight()
    slow, fast = Work(), Work()
    fast.gate.set()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(flights.do, "slow", slow)
        await wait_all_tasks_blocked()
        assert await flights.do("fast", fast) == 1
        slow.gate.set()


async def test_when_the_first_is_cancelled_another_takes_over() -> None:
    flights: SingleFlight[str, int] = SingleFlight()
    work = Work()
    results: list[int] = []
    first = trio.CancelScope()

    async def ask_first() -> None:
        with first:
            await flights.do("key", work)

    async def ask() -> None:
        results.append(await flights.do("key", work))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask_first)
        await wait_all_tasks_blocked()
        for _ in range(3):
            nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        first.cancel()
        await wait_all_tasks_blocked()
        assert (first.cancelled_caught, work.runs, results) == (True, 2, [])
        work.gate.set()
    assert results == [2, 2, 2]


async def test_a_waiter_that_is_cancelled_takes_nobody_down() -> None:
    flights: SingleFlight[str, int] = SingleFlight()
    work = Work()
    results: list[int] = []
    waiter = trio.CancelScope()

    async def ask(scope: trio.CancelScope) -> None:
        with scope:
            results.append(await flights.do("key", work))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask, trio.CancelScope())
        await wait_all_tasks_blocked()
        nursery.start_soon(ask, waiter)
        nursery.start_soon(ask, trio.CancelScope())
        await wait_all_tasks_blocked()
        waiter.cancel()
        await wait_all_tasks_blocked()
        work.gate.set()
    assert results == [1, 1]


async def test_an_exception_is_for_the_one_whose_run_it_was() -> None:
    flights: SingleFlight[str, str] = SingleFlight()
    gate = trio.Event()

    async def fail() -> str:
        await gate.wait()
        raise RuntimeError("mine")

    async def succeed() -> str:
        return "fine"

    async def ask_first() -> None:
        with pytest.raises(RuntimeError, match="mine"):
            await flights.do("key", fail)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask_first)
        await wait_all_tasks_blocked()
        nursery.start_soon(_set_later, gate)
        assert await flights.do("key", succeed) == "fine"


async def _set_later(gate: trio.Event) -> None:
    await wait_all_tasks_blocked()
    gate.set()
