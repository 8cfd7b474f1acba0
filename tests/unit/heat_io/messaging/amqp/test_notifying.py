from __future__ import annotations

import pytest
import trio

from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging.amqp import NotificationWriter
from tests.broker import Gate, VirtualHost


async def test_queues_are_made_and_filled(place: VirtualHost, topic: str) -> None:
    async with (
        open_asyncio_loop() as loop,
        NotificationWriter.open(place.settings(), loop=loop) as writer,
    ):
        for name in (f"{topic}.info", f"{topic}.info", f"{topic}.error"):
            assert await writer.write(name, b"{}", retries=None)
    queues = await trio.to_thread.run_sync(place.queues)
    assert queues[f"{topic}.info"] == (False, False, "[]", 2)
    assert queues[f"{topic}.error"] == (False, False, "[]", 1)
    bindings = await trio.to_thread.run_sync(place.bindings)
    for name in (f"{topic}.info", f"{topic}.error"):
        assert ("heat", name, name) in bindings


async def test_a_queue_that_another_service_made_otherwise_serves(
    place: VirtualHost, topic: str
) -> None:
    async with open_asyncio_loop() as loop:
        for durable in (False, True):
            settings = place.settings(durable=durable)
            async with NotificationWriter.open(settings, loop=loop) as writer:
                assert await writer.write(f"{topic}.info", b"{}", retries=None)
    queues = await trio.to_thread.run_sync(place.queues)
    assert queues[f"{topic}.info"] == (False, False, "[]", 2)


async def test_it_is_given_up_after_so_many_tries(
    place: VirtualHost, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    gate = Gate(place.address, refusing=True)
    async with trio.open_nursery() as nursery:
        await nursery.start(gate.run)
        settings = place.settings(addresses=(gate.address,))
        async with (
            open_asyncio_loop() as loop,
            NotificationWriter.open(settings, loop=loop) as writer,
        ):
            assert not await writer.write(f"{topic}.info", b"{}", retries=1)
            gate.refusing = False
            assert await writer.write(f"{topic}.info", b"{}", retries=None)
        nursery.cancel_scope.cancel()
    told = [record for record in caplog.records if "could not be sent" in record.message]
    assert len(told) == 1
    queues = await trio.to_thread.run_sync(place.queues)
    assert queues[f"{topic}.info"][3] >= 1


async def test_it_goes_on_when_the_connection_is_cut(place: VirtualHost, topic: str) -> None:
    gate = Gate(place.address)
    async with trio.open_nursery() as nursery:
        await nursery.start(gate.run)
        settings = place.settings(addresses=(gate.address,))
        async with (
            open_asyncio_loop() as loop,
            NotificationWriter.open(settings, loop=loop) as writer,
        ):
            assert await writer.write(f"{topic}.info", b"{}", retries=None)
            gate.cut()
            assert await writer.write(f"{topic}.info", b"{}", retries=None)
        nursery.cancel_scope.cancel()
    queues = await trio.to_thread.run_sync(place.queues)
    assert queues[f"{topic}.info"][3] >= 2
