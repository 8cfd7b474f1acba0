from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest
import trio

from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging.amqp.link import Link
from heat_io.messaging.amqp.session import Session
from tests.broker import Gate, VirtualHost, until


async def _gates(nursery: trio.Nursery, place: VirtualHost, count: int) -> list[Gate]:
    gates = [Gate(place.address) for _ in range(count)]
    for gate in gates:
        await nursery.start(gate.run)
    return gates


async def _another(link: Link, before: Session) -> Session:
    await until(lambda: link.is_up and link._session is not before)
    return await link.session()


async def test_a_lost_connection_comes_back(
    place: VirtualHost, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        (gate,) = await _gates(nursery, place, 1)
        link = Link(loop, place.settings(addresses=(gate.address,)))
        assert not link.is_up
        nursery.start_soon(link.run)
        first = await link.session()
        assert link.is_up
        gate.cut()
        await first.attend()  # ends with the session
        assert first.is_lost
        await _another(link, first)
        assert link.is_up
        nursery.cancel_scope.cancel()
    assert "the connection to the broker is lost" in caplog.text


async def test_the_next_host_takes_over(place: VirtualHost) -> None:
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        one, two = await _gates(nursery, place, 2)
        settings = place.settings(addresses=(one.address, two.address))
        link = Link(loop, settings, shuffle=lambda addresses: None)
        nursery.start_soon(link.run)
        session = await link.session()
        assert (one.accepted, two.accepted) == (1, 0)
        one.refusing = True
        one.cut()
        await _another(link, session)
        assert two.accepted == 1
        nursery.cancel_scope.cancel()


async def test_a_broker_that_is_not_there_is_tried_again(
    place: VirtualHost, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        (gate,) = await _gates(nursery, place, 1)
        gate.refusing = True
        link = Link(loop, place.settings(addresses=(gate.address,)))
        nursery.start_soon(link.run)
        await until(lambda: gate.accepted >= 3)
        assert not link.is_up
        gate.refusing = False
        with trio.fail_after(10):
            await link.session()
        nursery.cancel_scope.cancel()
    ours = [record for record in caplog.records if record.name == "heat_io.messaging.amqp.link"]
    assert {record.message for record in ours} == {"no connection to the broker"}


async def test_a_wrong_password_is_said(
    place: VirtualHost, caplog: pytest.LogCaptureFixture
) -> None:
    address = replace(place.address, password="not-the-password")
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        link = Link(loop, place.settings(addresses=(address,), retry_seconds=100.0))
        nursery.start_soon(link.run)
        await until(lambda: "no connection to the broker" in caplog.text)
        nursery.cancel_scope.cancel()
    (record,) = [one for one in caplog.records if one.message == "no connection to the broker"]
    fields: Any = record
    assert "refused" in fields.fields["reason"].lower()
    assert "not-the-password" not in caplog.text


async def test_a_session_whose_call_hangs_is_given_up(place: VirtualHost) -> None:
    async with AsyncExitStack() as stack:
        loop = await stack.enter_async_context(open_asyncio_loop())
        nursery = await stack.enter_async_context(trio.open_nursery())
        (gate,) = await _gates(nursery, place, 1)
        link = Link(loop, place.settings(addresses=(gate.address,), request_seconds=0.3))
        nursery.start_soon(link.run)
        session = await link.session()
        gate.freeze()
        await session.delete_queue("whatever")  # never answered
        assert session.is_lost
        gate.thaw()
        await _another(link, session)
        nursery.cancel_scope.cancel()


async def test_hosts_are_begun_with_at_random(place: VirtualHost) -> None:
    async with open_asyncio_loop() as loop, trio.open_nursery() as nursery:
        one, two = await _gates(nursery, place, 2)
        settings = place.settings(addresses=(one.address, two.address))
        link = Link(loop, settings, shuffle=lambda addresses: addresses.reverse())
        nursery.start_soon(link.run)
        await link.session()
        assert (one.accepted, two.accepted) == (0, 1)
        nursery.cancel_scope.cancel()
