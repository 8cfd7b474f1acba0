"""Which parts `heat-trio up` consists of, and how they hang together."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
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
from heat_app.native import EngineClient, NativeApi, create_app
from heat_app.openstack_settings import openstack_settings
from heat_app.policy import Policy
from heat_app.standalone.command import Start
from heat_app.standalone.identity_names import STACK_DOMAIN, STACK_DOMAIN_ADMIN
from heat_app.standalone.keystone import REGION
from heat_io.messaging import InProcessBus
from heat_io.openstack import OpenStack

__all__ = ["assembled", "serve_api", "settings_for"]

GRACE_SECONDS = 1.0
"""What a request that is being answered has to end when the process is told to."""


def settings_for(start: Start) -> Settings:
    """What heat.conf would say, for this data folder and these addresses."""
    secrets = start.data.secrets()
    return Settings(
        auth_encryption_key=secrets.encryption_key,
        enable_stack_abandon=True,
        enable_stack_adopt=True,
        hidden_stack_tags=("hidden",),
        region_name_for_services=REGION,
        heat_metadata_server_url=start.cfn_url.removesuffix("/v1"),
        heat_waitcondition_server_url=f"{start.cfn_url}/waitcondition",
        stack_user_domain_name=STACK_DOMAIN,
        stack_domain_admin=STACK_DOMAIN_ADMIN,
        stack_domain_admin_password=secrets.passwords[STACK_DOMAIN_ADMIN],
        environment_dir=str(start.data.path / "environment.d"),
        template_dir=str(start.data.path / "templates"),
        database=DatabaseSettings(connection=f"sqlite:///{start.data.path / 'heat.sqlite'}"),
        keystone_authtoken=TokenSettings(
            auth_type="password",
            auth_url=start.identity_url,
            username="heat",
            password=secrets.passwords["heat"],
            user_domain_id="default",
            project_name="service",
            project_domain_id="default",
            region_name=REGION,
            www_authenticate_uri=start.identity_url.removesuffix("/v3"),
        ),
        trustee=Credentials(
            auth_type="password",
            auth_url=start.identity_url,
            username="heat",
            password=secrets.passwords["heat"],
            user_domain_id="default",
        ),
        clients_keystone=ClientSettings(auth_uri=start.identity_url),
        oslo_policy=PolicySettings(
            policy_file=str(start.data.path / "policy.yaml"),
            policy_dirs=(str(start.data.path / "policy.d"),),
        ),
    )


@asynccontextmanager
async def assembled(settings: Settings, policy: Policy) -> AsyncIterator[NativeApi]:
    """The API's application over a running engine; both end with the block."""
    async with OpenStack.open(openstack_settings(settings)) as openstack:
        bus = InProcessBus(call_timeout_seconds=settings.rpc_response_timeout)
        yield create_app(EngineClient(bus), openstack.authenticator, policy, settings)


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
    await hypercorn.trio.serve(app, config, shutdown_trigger=shutdown, task_status=task_status)
