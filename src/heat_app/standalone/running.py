"""The one `trio.run` of `heat-trio up`: Keystone watched, engine and API served, demo shown."""

from __future__ import annotations

import logging
import sys
from functools import partial

import httpx2
import trio

from heat_app.config import Settings
from heat_app.engine.operator_files import OperatorFiles
from heat_app.logging import configure
from heat_app.policy import Policy
from heat_app.standalone.assembly import assembled, serve_api, settings_for
from heat_app.standalone.client import RequestFailed
from heat_app.standalone.command import Start
from heat_app.standalone.demo import demonstrate, open_http
from heat_app.standalone.exports import as_shell, clouds_yaml, exports
from heat_app.standalone.keystone import REGION, KeystoneEnded
from heat_app.standalone.problem import StartProblem
from heat_app.standalone.stopping import Stopping
from heat_io.sandbox import Sandbox

log = logging.getLogger(__name__)


def run(start: Start, stopping: Stopping) -> int:
    """Run until told to stop; the exit code."""
    settings = settings_for(start.data, identity_url=start.identity_url, cfn_url=start.cfn_url)
    handler = configure(path=str(start.data.path / "heat-trio.log"), debug=settings.debug)
    files = OperatorFiles.read(settings)
    files.announce()
    try:
        with Sandbox().installed(), files.installed():
            return trio.run(_main, start, settings, stopping)
    except BaseExceptionGroup as group:
        known, others = group.split((StartProblem, KeystoneEnded))
        if others is not None or known is None:
            raise
        print(f"heat-trio: {_first(known)}", file=sys.stderr)
        return 2
    finally:
        stopping.begin()
        handler.close()


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _main(start: Start, settings: Settings, stopping: Stopping) -> int:
    asked = trio.Event()
    token = trio.lowlevel.current_trio_token()
    stopping.attach(lambda: token.run_sync_soon(asked.set))
    code = 0
    api_stop = trio.Event()
    keystone_ready = trio.Event()
    until_asked = trio.CancelScope()
    async with trio.open_nursery() as outer:
        outer.start_soon(_keep_keystone, start, keystone_ready)
        outer.start_soon(_cancel_when, asked, until_asked)
        policy = Policy.from_settings(settings)
        async with assembled(settings, policy) as app, trio.open_nursery() as serving:
            await serving.start(partial(serve_api, app, start.api, shutdown=api_stop.wait))
            with until_asked:
                await keystone_ready.wait()
                code = await _ready(start)
            # The server ends by itself, after the requests that it is answering.
            api_stop.set()
        outer.cancel_scope.cancel()
    return code


async def _cancel_when(asked: trio.Event, scope: trio.CancelScope) -> None:
    await asked.wait()
    scope.cancel()


async def _keep_keystone(start: Start, ready: trio.Event) -> None:
    await start.keystone.wait_ready()
    ready.set()
    await start.keystone.watch()


async def _ready(start: Start) -> int:
    """Say what is there; run the demo if asked to; wait for the end unless --once."""
    passwords = start.data.secrets().passwords
    clouds = start.data.write("clouds.yaml", clouds_yaml(start.identity_url, REGION, passwords))
    shell = as_shell(exports(start.identity_url, REGION, passwords))
    rc = start.data.write("openrc", shell)
    print(
        f"Heat      {start.api_url}\n"
        f"Keystone  {start.identity_url}\n"
        f"data      {start.data.path} (log: heat-trio.log)\n",
        flush=True,
    )
    code = 0
    if start.demo:
        try:
            async with open_http() as http:
                complete = await demonstrate(http, start.identity_url, passwords["demo"])
        except (RequestFailed, httpx2.HTTPError) as failure:
            print(f"heat-trio: the demonstration failed: {failure}", file=sys.stderr)
            complete = False
        code = 0 if complete else 1
        if start.once:
            print(f"\nIt is kept: heat-trio up --data {start.data.path} goes on from there.")
            return code
    print(
        f"{shell}\n"
        "Go on with the openstack client (pip install python-openstackclient python-heatclient):\n"
        f"  . {rc}    # the exports above\n"
        f"  # or: export OS_CLIENT_CONFIG_FILE={clouds} OS_CLOUD=demo\n"
        "  openstack stack list\n"
        "  openstack stack resource list hello\n"
        "  openstack stack event list hello\n"
        "Ctrl-C stops everything; the next start goes on from there.",
        flush=True,
    )
    await trio.sleep_forever()
    return code
