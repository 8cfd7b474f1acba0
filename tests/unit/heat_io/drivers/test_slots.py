"""Slots: a bound on what is in memory, without a bound on what waits."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from heat_io.drivers.slots import Slots


async def test_only_so_many_are_held_at_once(autojump_clock: trio.testing.MockClock) -> None:
    slots = Slots(2)
    most = 0

    async def visit() -> None:
        nonlocal most
        async with slots.slot().held():
            most = max(most, slots.in_use)
            await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        for _ in range(6):
            nursery.start_soon(visit)
    assert most == 2
    assert trio.current_time() == pytest.approx(3)
    assert slots.in_use == 0


async def test_who_waits_holds_none(autojump_clock: trio.testing.MockClock) -> None:
    slots = Slots(1)

    async def poll() -> None:
        slot = slots.slot()
        async with slot.held():
            for _ in range(5):
                async with slot.parked():
                    await trio.sleep(1)

    async with trio.open_nursery() as nursery:
        for _ in range(50):
            nursery.start_soon(poll)
    # One after the other it would have been 250 seconds.
    assert trio.current_time() == pytest.approx(5)


async def test_a_parked_visit_comes_back_only_to_a_free_place(
    autojump_clock: trio.testing.MockClock,
) -> None:
    slots = Slots(1)
    order: list[str] = []

    async def parks() -> None:
        slot = slots.slot()
        async with slot.held():
            async with slot.parked():
                order.append("parked")
                await trio.sleep(1)
            order.append("back")

    async def works() -> None:
        async with slots.slot().held():
            order.append("works")
            await trio.sleep(5)
            order.append("done")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(parks)
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(works)
    assert order == ["parked", "works", "done", "back"]


async def test_a_cancelled_wait_takes_its_place_again_before_it_leaves(
    autojump_clock: trio.testing.MockClock,
) -> None:
    # What stores the aborted state has its place like everything else.
    slots = Slots(1)
    slot = slots.slot()
    async with slot.held():
        with trio.move_on_after(1) as scope:
            async with slot.parked():
                assert slots.in_use == 0
                await trio.sleep_forever()
        assert scope.cancelled_caught
        assert slots.in_use == 1
    assert slots.in_use == 0


async def test_an_error_while_waiting_takes_its_place_again_too() -> None:
    slots = Slots(1)
    slot = slots.slot()
    async with slot.held():
        with pytest.raises(OSError, match="gone"):
            async with slot.parked():
                raise OSError("gone")
        assert slots.in_use == 1


async def test_a_visit_that_is_cancelled_before_it_gets_a_place_holds_none(
    autojump_clock: trio.testing.MockClock,
) -> None:
    slots = Slots(1)
    async with slots.slot().held():
        with trio.move_on_after(1):
            async with slots.slot().held():
                raise AssertionError("there is no place")
    assert slots.in_use == 0
