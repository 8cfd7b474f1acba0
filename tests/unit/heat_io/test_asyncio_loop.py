from __future__ import annotations

import asyncio
from typing import Any

import pytest
import trio
import trio_asyncio

from heat_io.asyncio_loop import CALLBACKS_A_PASS, open_asyncio_loop


async def test_a_stray_error_is_logged_and_nothing_more(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("nobody waits for this")

    async with open_asyncio_loop() as loop:
        loop.call_soon(fail)
        await trio.testing.wait_all_tasks_blocked()
        assert await loop.run_aio_coroutine(asyncio.sleep(0, "still there")) == "still there"
    assert [record.message for record in caplog.records] == ["stray error in the asyncio loop"]
    assert caplog.records[0].exc_info is not None


async def test_a_stray_message_without_an_error_is_logged_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with open_asyncio_loop() as loop:
        loop.call_exception_handler({"message": "something is odd", "task": "with secrets"})
    fields: Any = caplog.records[0]
    assert fields.fields == {"error": "NoneType", "what": "something is odd"}


async def test_ready_callbacks_share_a_pass_and_trio_gets_its_turn() -> None:
    order: list[str] = []

    async def trios_own() -> None:
        for _ in range(3):
            order.append("trio")
            await trio.lowlevel.checkpoint()

    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        for _ in range(3 * CALLBACKS_A_PASS):
            loop.call_soon(order.append, "asyncio")
        nursery.start_soon(trios_own)
        await trio.testing.wait_all_tasks_blocked()
    runs = "".join("t" if kind == "trio" else "." for kind in order)
    assert runs.count(".") == 3 * CALLBACKS_A_PASS
    # Two passes in a row: at the end of one of the scheduler's rounds, first in the next.
    assert max(len(run) for run in runs.split("t")) <= 2 * CALLBACKS_A_PASS
    assert "." * (CALLBACKS_A_PASS - 1) in runs


async def test_timers_run_in_time() -> None:
    rang = trio.Event()
    async with open_asyncio_loop() as loop:
        loop.call_later(0.01, rang.set)
        with trio.fail_after(5):
            await rang.wait()


def test_the_private_method_is_still_there() -> None:
    """What open_asyncio_loop replaces; a new trio-asyncio may have done away with it."""
    assert asyncio.iscoroutinefunction(trio_asyncio.TrioEventLoop._main_loop_one)
