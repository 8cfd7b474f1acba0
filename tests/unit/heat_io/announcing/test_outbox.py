from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from heat_io.announcing.outbox import Outbox


async def test_what_is_put_in_is_delivered_in_order(autojump_clock: MockClock) -> None:
    got: list[int] = []

    async def deliver(item: int) -> None:
        await trio.sleep(1)
        got.append(item)

    outbox = Outbox("numbers", deliver)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(outbox.run)
        await outbox.emptied()
        assert all(outbox.put(number) for number in range(3))
        assert outbox.waiting == 3
        await outbox.emptied()
        assert got == [0, 1, 2]
        assert outbox.waiting == 0
        nursery.cancel_scope.cancel()


async def test_who_puts_never_waits_and_what_has_no_room_is_dropped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def deliver(item: int) -> None:
        await trio.sleep_forever()

    outbox = Outbox("numbers", deliver, capacity=2)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(outbox.run)
        assert outbox.put(0)
        await wait_all_tasks_blocked()  # it is being delivered
        assert [outbox.put(number) for number in range(8)] == [True, True] + [False] * 6
        assert outbox.waiting == 3
        nursery.cancel_scope.cancel()
    told = [record.fields["dropped"] for record in caplog.records]  # type: ignore[attr-defined]
    assert told == [1, 2, 4]


async def test_what_cannot_be_delivered_is_logged_and_the_next_goes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    got: list[int] = []

    async def deliver(item: int) -> None:
        await trio.lowlevel.checkpoint()
        if not item:
            raise RuntimeError("no")
        got.append(item)

    outbox = Outbox("numbers", deliver)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(outbox.run)
        outbox.put(0)
        outbox.put(1)
        await outbox.emptied()
        nursery.cancel_scope.cancel()
    assert got == [1]
    assert [record.message for record in caplog.records] == ["it could not be delivered"]
