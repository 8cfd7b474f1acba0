"""A bus behind a gate: its connections can be cut, held up and refused."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
import trio

from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging.amqp import AmqpBus
from tests.broker import Gate, VirtualHost

type OpenGated = Callable[..., AbstractAsyncContextManager[tuple[AmqpBus, Gate]]]


@pytest.fixture
def topic() -> str:
    """A topic that no other test uses."""
    return f"topic_{uuid.uuid4().hex[:8]}"


@pytest.fixture
def gated(place: VirtualHost) -> OpenGated:
    """gated(**settings): a bus and the gate that all its connections go through."""

    @asynccontextmanager
    async def open_gated(**options: Any) -> AsyncIterator[tuple[AmqpBus, Gate]]:
        gate = Gate(place.address)
        async with trio.open_nursery() as nursery:
            await nursery.start(gate.run)
            settings = place.settings(addresses=(gate.address,), **options)
            async with open_asyncio_loop() as loop, AmqpBus.open(settings, loop=loop) as bus:
                try:
                    yield bus, gate
                finally:
                    gate.thaw()
            nursery.cancel_scope.cancel()

    return open_gated


@pytest.fixture
def open_direct(place: VirtualHost) -> Callable[..., AbstractAsyncContextManager[AmqpBus]]:
    """open_direct(**settings): a bus without a gate."""

    @asynccontextmanager
    async def open_bus(**options: Any) -> AsyncIterator[AmqpBus]:
        settings = place.settings(**options)
        async with open_asyncio_loop() as loop, AmqpBus.open(settings, loop=loop) as bus:
            yield bus

    return open_bus
