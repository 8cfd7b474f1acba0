"""An engine put together and serving, on whatever database, bus and liveness it is given."""

from __future__ import annotations

import platform
import secrets
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import trio

from heat_app.config import Settings
from heat_app.engine.ports import Parts
from heat_app.engine.reporting import report, service_record
from heat_app.engine.service import EngineService
from heat_app.engine.serving import serve
from heat_app.engine.settings import EngineSettings
from heat_app.engine.validator import CallersProcedures, DefinitionValidator
from heat_app.policy import Policy
from heat_core.stack import EngineId
from heat_core.stack.announcements import publisher_of
from heat_io.announcing import (
    Announcer,
    EventSinks,
    NotificationDriver,
    NotificationSettings,
    StackNotifications,
)
from heat_io.database import Database
from heat_io.database.ambient import Ambient, Retention, utc_now
from heat_io.database.cipher import Cipher
from heat_io.drivers import Engine, Surroundings
from heat_io.drivers.lease import SignedLease, Unlimited
from heat_io.drivers.ports import Liveness
from heat_io.drivers.procedure_driver import ProcedureDriver
from heat_io.fetching import TemplateFetcher
from heat_io.messaging import Bus
from heat_io.openstack import OpenStack
from heat_io.openstack.stack_credentials import StackCredentials

CALLS_SECONDS = 10.0
HAND_OVER_SECONDS = 5.0
"""a broker that is away by then leaves it to the others' sweepers"""

__all__ = ["Ground", "database_ambient", "engine_serving"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What an engine stands on. `alone`: no other engine can be on the same database.

    Without `resume` it leaves alone what was cut off until it is told.
    """

    settings: Settings
    policy: Policy
    engine_id: EngineId
    database: Database
    bus: Bus
    openstack: OpenStack
    liveness: Liveness
    alone: bool
    resume: bool = True
    notifications: Sequence[NotificationDriver] = ()


@asynccontextmanager
async def engine_serving(
    ground: Ground,
    *,
    stopping: trio.Event | None = None,
    work_ended: Callable[[], None] = lambda: None,
) -> AsyncIterator[Engine]:
    """An engine that serves its topics and shows that it is alive.

    Once `stopping` is set it takes no more messages; `work_ended` is called when those that it had
    are handled. Leaving the block in order hands what is under way over to other engines, after
    which calls get CALLS_SECONDS for their answers. An engine that is `alone`, or whose block is
    cancelled, is cut as it is: the next start goes on with it, or a sweeper.
    """
    settings, openstack = ground.settings, ground.openstack
    credentials = StackCredentials(
        ground.database,
        openstack.services,
        openstack.trusts,
        openstack.stack_domain,
        method="trusts" if settings.deferred_auth_method == "trusts" else "password",
    )
    announcer = _announcer(ground, credentials)
    lease = None if ground.alone else SignedLease(settings.heat_trio.lease_ttl)
    around = Surroundings(
        engine_id=ground.engine_id,
        database=ground.database,
        bus=ground.bus,
        cloud=openstack.services,
        credentials=credentials,
        liveness=ground.liveness,
        now=utc_now,
        new_uuid=_new_uuid,
        entropy=secrets.token_bytes,
        lease=lease or Unlimited(),
        nodes_in_flight=settings.heat_trio.nodes_in_flight,
        action_retry_limit=settings.action_retry_limit,
        sweep_interval_seconds=settings.heat_trio.heartbeat_interval,
        alone=ground.alone,
        resume=ground.resume,
        takes_over=settings.heat_trio.resume,
        limits=_engine_settings(settings).stack_limits,
        may_abandon=settings.enable_stack_abandon,
        listener=announcer,
        may_begin=lambda: stopping is None or not stopping.is_set(),
    )
    async with _telling(announcer), Engine.open(around) as engine:
        procedures = ProcedureDriver(openstack.services, secrets.token_bytes)
        service = EngineService(
            Parts(
                database=ground.database,
                operations=engine.operations,
                definitions=engine.definitions,
                attributes=engine.attributes,
                credentials=credentials,
                validator=_validator(settings, procedures),
                procedures=CallersProcedures(procedures, ground.database),
                settings=_engine_settings(settings),
                allows_type=ground.policy.allows_resource_type,
                new_id=_new_uuid,
                now=utc_now,
                listener=announcer,
            )
        )
        handled = trio.Event()

        def all_handled() -> None:
            handled.set()
            work_ended()

        async with trio.open_nursery() as serving:
            await serving.start(_report, ground, lease)
            await serving.start(_serve, ground, engine, service, stopping, all_handled)
            yield engine
            casts = () if ground.alone else await engine.hand_over()
            if stopping is not None and stopping.is_set():
                with trio.move_on_after(CALLS_SECONDS):
                    await handled.wait()
            serving.cancel_scope.cancel()
        # It has said good-bye and answers no more: from here on its locks are nobody's.
        with trio.move_on_after(HAND_OVER_SECONDS):
            await ground.bus.cast_many(casts)


@asynccontextmanager
async def _telling(announcer: Announcer) -> AsyncIterator[None]:
    """The announcer at work until the block has ended."""
    async with trio.open_nursery() as nursery:
        await nursery.start(announcer.run)
        yield
        nursery.cancel_scope.cancel()


def _announcer(ground: Ground, credentials: StackCredentials) -> Announcer:
    settings = ground.settings
    return Announcer(
        StackNotifications(
            ground.database,
            ground.notifications,
            NotificationSettings(
                settings.default_publisher_id or publisher_of(settings.host),
                settings.default_notification_level,
            ),
            new_uuid=_new_uuid,
            now=utc_now,
        ),
        EventSinks(ground.database, ground.openstack.services, credentials, new_uuid=_new_uuid),
    )


async def _report(
    ground: Ground, lease: SignedLease | None, *, task_status: trio.TaskStatus[None]
) -> None:
    record = service_record(
        service_id=_new_uuid(),
        engine_id=ground.engine_id,
        host=ground.settings.host,
        hostname=platform.node(),
        report_interval=ground.settings.periodic_interval,
    )
    await report(
        ground.database,
        record,
        interval_seconds=ground.settings.heat_trio.heartbeat_interval,
        signed=(lambda began_at: None) if lease is None else lease.sign,
        task_status=task_status,
    )


async def _serve(
    ground: Ground,
    engine: Engine,
    service: EngineService,
    stopping: trio.Event | None,
    work_ended: Callable[[], None],
    *,
    task_status: trio.TaskStatus[None],
) -> None:
    await serve(
        ground.bus,
        service,
        engine_id=ground.engine_id,
        host=ground.settings.host,
        worker_handlers=engine.worker_handlers,
        stopping=stopping,
        work_ended=work_ended,
        task_status=task_status,
    )


def database_ambient(settings: Settings) -> Ambient:
    """What the database needs to know of the configuration."""
    cipher = Cipher(
        settings.auth_encryption_key,
        encrypt_properties=settings.encrypt_parameters_and_properties,
    )
    retention = Retention(settings.max_events_per_stack, settings.event_purge_batch_size)
    return Ambient(cipher=cipher, retention=retention)


def _validator(settings: Settings, procedures: ProcedureDriver) -> DefinitionValidator:
    fetcher = TemplateFetcher(
        limit_bytes=settings.max_template_size, deadline_seconds=settings.template_fetch_timeout
    )
    return DefinitionValidator(
        procedures,
        limits=_engine_settings(settings).stack_limits,
        fetch=fetcher.fetch,
        max_template_size=settings.max_template_size,
    )


def _engine_settings(settings: Settings) -> EngineSettings:
    return EngineSettings(
        max_stacks_per_tenant=settings.max_stacks_per_tenant,
        max_resources_per_stack=settings.max_resources_per_stack,
        max_nested_stack_depth=settings.max_nested_stack_depth,
        hidden_stack_tags=settings.hidden_stack_tags,
        heat_revision=settings.revision.heat_revision,
        heat_stack_user_role=settings.heat_stack_user_role,
        region_name=settings.region_name_for_services,
        deferred_auth_method=settings.deferred_auth_method,
    )


def _new_uuid() -> str:
    return str(uuid.uuid4())
