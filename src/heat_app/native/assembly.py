"""The native API put together on RabbitMQ, for a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

from heat_app.config import ConfigurationProblem, Settings
from heat_app.messaging_settings import messaging_settings
from heat_app.native.app import NativeApi, create_app
from heat_app.native.engine_client import EngineClient
from heat_app.native.pipeline import Pipeline, read_pipeline
from heat_app.openstack_settings import openstack_settings
from heat_app.policy import Policy
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging.amqp import AmqpBus, AmqpSettings
from heat_io.openstack import OpenStack, OpenStackSettings

__all__ = ["Start", "native_api"]


@dataclass(frozen=True, slots=True)
class Start:
    """A configuration that makes sense, in the forms that the parts want."""

    settings: Settings
    openstack: OpenStackSettings
    broker: AmqpSettings
    policy: Policy
    pipeline: Pipeline

    @classmethod
    def checked(cls, settings: Settings, program: str) -> Self:
        """Raises ConfigurationProblem for the first thing that can't be used."""
        try:
            return cls(
                settings,
                openstack_settings(settings),
                messaging_settings(settings, process=program),
                Policy.from_settings(settings),
                read_pipeline(settings, program),
            )
        except ValueError as error:
            raise ConfigurationProblem(str(error)) from error


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
