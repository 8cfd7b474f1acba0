"""What an engine on MariaDB and RabbitMQ stands on, from its configuration."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Self

import trio

from heat_app.config import ConfigurationProblem, Settings
from heat_app.database_settings import DatabasePlan
from heat_app.engine.assembly import Ground, database_ambient
from heat_app.engine.operator_files import OperatorFiles
from heat_app.messaging_settings import messaging_settings
from heat_app.notification_settings import NotificationPlan
from heat_app.openstack_settings import openstack_settings
from heat_app.policy import Policy
from heat_core.stack import EngineId
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.drivers.liveness import FleetLiveness
from heat_io.messaging.amqp import AmqpBus, AmqpSettings
from heat_io.openstack import OpenStack, OpenStackSettings

__all__ = ["Start", "ground_of"]


@dataclass(frozen=True, slots=True)
class Start:
    """A configuration that makes sense, in the forms that the parts want."""

    settings: Settings
    openstack: OpenStackSettings
    broker: AmqpSettings
    notifications: NotificationPlan
    database: DatabasePlan
    policy: Policy
    files: OperatorFiles

    @classmethod
    def checked(cls, settings: Settings, program: str) -> Self:
        """Raises ConfigurationProblem for the first thing that can't be used."""
        try:
            return cls(
                settings,
                openstack_settings(settings),
                messaging_settings(settings, process=program),
                NotificationPlan.from_settings(settings, process=program),
                DatabasePlan.from_settings(settings.database),
                Policy.from_settings(settings),
                OperatorFiles.read(settings),
            )
        except ValueError as error:
            raise ConfigurationProblem(str(error)) from error


@asynccontextmanager
async def ground_of(start: Start, *, resume: bool) -> AsyncIterator[Ground]:
    """Database, broker, services and the watch over other engines, while the block runs.

    `resume`: an engine on it goes on by itself with what nobody is at.
    """
    settings = start.settings
    engine_id = EngineId(str(uuid.uuid4()))
    async with (
        open_asyncio_loop() as loop,
        OpenStack.open(start.openstack) as openstack,
        start.database.open(database_ambient(settings), loop=loop) as database,
        AmqpBus.open(start.broker, loop=loop) as bus,
        start.notifications.open(loop=loop) as notifications,
        trio.open_nursery() as nursery,
    ):
        liveness = FleetLiveness(
            database,
            bus,
            engine_id,
            lease_seconds=settings.heat_trio.lease_ttl,
            answer_seconds=settings.engine_life_check_timeout,
        )
        nursery.start_soon(liveness.observe, settings.heat_trio.heartbeat_interval)
        yield Ground(
            settings=settings,
            policy=start.policy,
            engine_id=engine_id,
            database=database,
            bus=bus,
            openstack=openstack,
            liveness=liveness,
            alone=False,
            resume=resume,
            notifications=notifications,
        )
        nursery.cancel_scope.cancel()
