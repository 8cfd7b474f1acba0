"""Which parts `heat-trio up` consists of, and how they hang together."""

from __future__ import annotations

import logging
import platform
import secrets
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from socket import socket

import hypercorn.trio
import trio
from hypercorn.config import Config

from heat_app.config import (
    ClientSettings,
    Credentials,
    DatabaseSettings,
    PolicySettings,
    Settings,
    TokenSettings,
)
from heat_app.engine import (
    EngineService,
    EngineSettings,
    Parts,
    report,
    serve,
    service_record,
)
from heat_app.engine.validator import CallersProcedures, DefinitionValidator
from heat_app.native import EngineClient, NativeApi, create_app
from heat_app.openstack_settings import openstack_settings
from heat_app.policy import Policy
from heat_app.standalone.data_folder import DataFolder
from heat_app.standalone.identity_names import STACK_DOMAIN, STACK_DOMAIN_ADMIN
from heat_app.standalone.keystone import REGION
from heat_core.stack import EngineId
from heat_io.database import Database
from heat_io.database.ambient import Ambient, Retention, utc_now
from heat_io.database.cipher import Cipher
from heat_io.drivers import Engine, OnlyEngine, Surroundings
from heat_io.drivers.procedure_driver import ProcedureDriver
from heat_io.messaging import InProcessBus
from heat_io.openstack import OpenStack
from heat_io.openstack.stack_credentials import StackCredentials

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
        template_dir=str(data.path / "templates"),
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
        clients_keystone=ClientSettings(auth_uri=identity_url),
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
            settings.database.connection or "", surroundings=_ambient(settings)
        ) as database,
    ):
        await database.migrate()
        bus = InProcessBus(call_timeout_seconds=settings.rpc_response_timeout)
        engine_id = EngineId(_new_uuid())
        credentials = StackCredentials(
            database,
            openstack.services,
            openstack.trusts,
            openstack.stack_domain,
            method="trusts" if settings.deferred_auth_method == "trusts" else "password",
        )
        around = Surroundings(
            engine_id=engine_id,
            database=database,
            bus=bus,
            cloud=openstack.services,
            credentials=credentials,
            # The data folder is locked: whoever else is in the database is gone.
            liveness=OnlyEngine(engine_id),
            now=utc_now,
            new_uuid=_new_uuid,
            entropy=secrets.token_bytes,
            nodes_in_flight=settings.heat_trio.nodes_in_flight,
            action_retry_limit=settings.action_retry_limit,
            sweep_interval_seconds=settings.heat_trio.heartbeat_interval,
            resume=resume,
        )
        async with Engine.open(around) as engine, trio.open_nursery() as serving:
            procedures = ProcedureDriver(openstack.services, secrets.token_bytes)
            service = EngineService(
                Parts(
                    database=database,
                    operations=engine.operations,
                    definitions=engine.definitions,
                    attributes=engine.attributes,
                    credentials=credentials,
                    validator=DefinitionValidator(procedures),
                    procedures=CallersProcedures(procedures),
                    settings=_engine_settings(settings),
                    allows_type=policy.allows_resource_type,
                    new_id=_new_uuid,
                    now=utc_now,
                )
            )
            record = service_record(
                service_id=_new_uuid(),
                engine_id=engine_id,
                host=settings.host,
                hostname=platform.node(),
                report_interval=settings.periodic_interval,
            )
            await serving.start(
                partial(
                    report,
                    database,
                    record,
                    interval_seconds=settings.heat_trio.heartbeat_interval,
                )
            )
            await serving.start(
                partial(
                    serve,
                    bus,
                    service,
                    engine_id=engine_id,
                    host=settings.host,
                    worker_handlers=engine.worker_handlers,
                )
            )
            yield Running(engine, database, bus, openstack)
            serving.cancel_scope.cancel()


def _ambient(settings: Settings) -> Ambient:
    cipher = Cipher(
        settings.auth_encryption_key,
        encrypt_properties=settings.encrypt_parameters_and_properties,
    )
    retention = Retention(settings.max_events_per_stack, settings.event_purge_batch_size)
    return Ambient(cipher=cipher, retention=retention)


def _engine_settings(settings: Settings) -> EngineSettings:
    return EngineSettings(
        max_stacks_per_tenant=settings.max_stacks_per_tenant,
        max_resources_per_stack=settings.max_resources_per_stack,
        max_nested_stack_depth=settings.max_nested_stack_depth,
        hidden_stack_tags=settings.hidden_stack_tags,
        heat_revision=settings.revision.heat_revision,
        heat_stack_user_role=settings.heat_stack_user_role,
        region_name=settings.region_name_for_services,
        enable_stack_adopt=settings.enable_stack_adopt,
    )


def _new_uuid() -> str:
    return str(uuid.uuid4())


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
