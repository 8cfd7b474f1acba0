"""Which parts `heat-trio up` consists of, and how they hang together."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from socket import socket

import hypercorn.trio
import trio
from hypercorn.config import Config

from heat_app.config import (
    Credentials,
    DatabaseSettings,
    IdentityClientSettings,
    PolicySettings,
    Settings,
    TokenSettings,
)
from heat_app.engine.assembly import Ground, database_ambient, engine_serving
from heat_app.native import EngineClient, NativeApi, create_app
from heat_app.openstack_settings import openstack_settings
from heat_app.policy import Policy
from heat_app.standalone.data_folder import DataFolder
from heat_app.standalone.identity_names import STACK_DOMAIN, STACK_DOMAIN_ADMIN
from heat_app.standalone.keystone import REGION
from heat_core.stack import EngineId
from heat_io.database import Database
from heat_io.drivers import Engine, OnlyEngine
from heat_io.messaging import InProcessBus
from heat_io.openstack import OpenStack

__all__ = ["Running", "assembled", "running_engine", "serve_api", "settings_for"]

MAX_HEAD_BYTES = 256 * 1024
"""A request's line and headers together: lists may be asked for by hundreds of ids."""

GRACE_SECONDS = 1.0
"""What a request that is being answered has to end when the process is told to."""


def settings_for(data: DataFolder, *, identity_url: str, cfn_url: str) -> Settings:
    """What heat.conf would say, for this data folder and these addresses."""
    made = data.secrets()
    return Settings(
        auth_encryption_key=made.encryption_key,
        enable_stack_abandon=True,
        enable_stack_adopt=True,
        hidden_stack_tags=("hidden",),
        region_name_for_services=REGION,
        heat_metadata_server_url=cfn_url.removesuffix("/v1"),
        heat_waitcondition_server_url=f"{cfn_url}/waitcondition",
        stack_user_domain_name=STACK_DOMAIN,
        stack_domain_admin=STACK_DOMAIN_ADMIN,
        stack_domain_admin_password=made.passwords[STACK_DOMAIN_ADMIN],
        environment_dir=str(data.path / "environment.d"),
        database=DatabaseSettings(connection=f"sqlite:///{data.path / 'heat.sqlite'}"),
        keystone_authtoken=TokenSettings(
            auth_type="password",
            auth_url=identity_url,
            username="heat",
            password=made.passwords["heat"],
            user_domain_id="default",
            project_name="service",
            project_domain_id="default",
            region_name=REGION,
            www_authenticate_uri=identity_url.removesuffix("/v3"),
        ),
        trustee=Credentials(
            auth_type="password",
            auth_url=identity_url,
            username="heat",
            password=made.passwords["heat"],
            user_domain_id="default",
        ),
        clients_keystone=IdentityClientSettings(auth_uri=identity_url),
        oslo_policy=PolicySettings(
            policy_file=str(data.path / "policy.yaml"),
            policy_dirs=(str(data.path / "policy.d"),),
        ),
    )


@dataclass(frozen=True, slots=True)
class Running:
    """An engine that serves its topics, and what it is made of."""

    engine: Engine
    database: Database
    bus: InProcessBus
    openstack: OpenStack


@asynccontextmanager
async def assembled(settings: Settings, policy: Policy) -> AsyncIterator[NativeApi]:
    """The API's application over a running engine; both end with the block."""
    async with running_engine(settings, policy) as running:
        client = EngineClient(running.bus, timeout_seconds=settings.rpc_response_timeout)
        yield create_app(client, running.openstack.authenticator, policy, settings)


@asynccontextmanager
async def running_engine(
    settings: Settings, policy: Policy, *, resume: bool = True
) -> AsyncIterator[Running]:
    """An engine; without `resume` it leaves alone what was cut off until it is told.

    Leaving the block cuts what is under way: the next start goes on with it.
    """
    async with (
        OpenStack.open(openstack_settings(settings)) as openstack,
        Database.open(
            settings.database.connection or "", surroundings=database_ambient(settings)
        ) as database,
    ):
        await database.migrate()
        bus = InProcessBus(call_timeout_seconds=settings.rpc_response_timeout)
        engine_id = EngineId(str(uuid.uuid4()))
        ground = Ground(
            settings=settings,
            policy=policy,
            engine_id=engine_id,
            database=database,
            bus=bus,
            openstack=openstack,
            # The data folder is locked: whoever else is in the database is gone.
            liveness=OnlyEngine(engine_id),
            alone=True,
            resume=resume,
        )
        async with engine_serving(ground) as engine:
            yield Running(engine, database, bus, openstack)


async def serve_api(
    app: NativeApi,
    sock: socket,
    *,
    shutdown: Callable[[], Awaitable[None]],
    task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve HTTP on a listening socket, which it takes over, until `shutdown` returns."""
    config = Config()
    config.bind = [f"fd://{sock.detach()}"]
    config.accesslog = None
    config.errorlog = logging.getLogger("hypercorn.error")
    config.include_server_header = False
    config.graceful_timeout = GRACE_SECONDS
    config.h11_max_incomplete_size = MAX_HEAD_BYTES
    await hypercorn.trio.serve(app, config, shutdown_trigger=shutdown, task_status=task_status)
