"""The native API put together on RabbitMQ, for a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from heat_app.native.app import NativeApi, create_app
from heat_app.native.engine_client import EngineClient
from heat_app.web.start import Start
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging.amqp import AmqpBus
from heat_io.openstack import OpenStack

__all__ = ["native_api"]


@asynccontextmanager
async def native_api(start: Start) -> AsyncIterator[NativeApi]:
    """The API's application; the loop, the broker and OpenStack are open while the block runs.

    Its requests may be served by tasks that were not begun in the block.
    """
    settings = start.settings
    async with (
        open_asyncio_loop() as loop,
        OpenStack.open(start.openstack) as openstack,
        AmqpBus.open(start.broker, loop=loop) as bus,
    ):
        engine = EngineClient(bus, timeout_seconds=settings.rpc_response_timeout)
        yield create_app(
            engine, openstack.authenticator, start.policy, settings, pipeline=start.pipeline
        )
