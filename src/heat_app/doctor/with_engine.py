"""The repair: a process like `heat-trio up` without its API, for one stack."""

from __future__ import annotations

from pathlib import Path

import trio

from heat_app.doctor.repair import repair
from heat_app.doctor.show import only_stack, print_report
from heat_app.logging import configure
from heat_app.policy import Policy
from heat_app.standalone.assembly import running_engine, settings_for
from heat_app.standalone.command import start_keystone
from heat_app.standalone.data_folder import DataFolder
from heat_app.standalone.keystone import Keystone, KeystoneEnded
from heat_app.standalone.listening import listen, url_of
from heat_app.standalone.problem import StartProblem
from heat_app.standalone.stopping import Stopping

HOST = "127.0.0.1"


def run_repair(path: Path, text: str, keystone_port: int, stopping: Stopping) -> int:
    """Lock the folder, start Keystone and an engine, and repair; the exit code."""
    data = DataFolder.open(path, user="heat-trio doctor")
    try:
        identity = listen(HOST, keystone_port, "--keystone-port")
        identity_url = url_of(HOST, identity) + "/v3"
        api_url = f"http://{HOST}:8004/v1"
        keystone = start_keystone(data, identity, identity_url, api_url)
        handler = configure(path=str(path / "heat-trio.log"), debug=False)
        try:
            return trio.run(_main, data, keystone, identity_url, text, stopping)
        except BaseExceptionGroup as group:
            known, others = group.split((StartProblem, KeystoneEnded))
            if others is not None or known is None:
                raise
            raise StartProblem(str(_first(known))) from None
        finally:
            stopping.begin()
            handler.close()
            keystone.stop()
    finally:
        data.close()


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _main(
    data: DataFolder, keystone: Keystone, identity_url: str, text: str, stopping: Stopping
) -> int:
    token = trio.lowlevel.current_trio_token()
    code = 1
    async with trio.open_nursery() as nursery:
        stopping.attach(lambda: token.run_sync_soon(nursery.cancel_scope.cancel))
        await keystone.wait_ready()
        nursery.start_soon(keystone.watch)
        settings = settings_for(data, identity_url=identity_url, cfn_url=identity_url)
        policy = Policy.from_settings(settings)
        async with running_engine(settings, policy, resume=False) as running:
            stack_id = await only_stack(running.database, text)
            if stack_id is not None:
                found = await repair(running.engine, running.database, stack_id, _say)
                _say("")
                print_report(found, everything=False)
                code = 0 if found.is_well else 1
        nursery.cancel_scope.cancel()
    return code


def _say(line: str) -> None:
    print(line, flush=True)
