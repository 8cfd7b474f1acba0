"""`heat-trio up`: what it is told, what may be in the way, and the order of a start.

Signals first, then the folder and the ports (a reason not to start is said before anything slow
is imported), then Keystone, which needs the longest, then everything else beside it.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING

from heat_app.standalone.data_folder import DataFolder, default_folder
from heat_app.standalone.listening import advertised_host, listen, url_of
from heat_app.standalone.problem import StartProblem
from heat_app.standalone.stopping import Stopping

if TYPE_CHECKING:
    from heat_app.standalone.keystone import Keystone

__all__ = ["Start", "start_keystone", "up"]


@dataclass(frozen=True, slots=True)
class Start:
    """A start under way: what is asked for and what is already held."""

    data: DataFolder
    keystone: Keystone
    api: socket
    identity_url: str
    api_url: str
    cfn_url: str
    demo: bool
    once: bool


def up(argv: list[str]) -> int:
    """Run until told to stop; the exit code: 0, 1 for a demo stack that failed, 2 otherwise."""
    stopping = Stopping()
    stopping.install()
    arguments = _arguments(argv)
    try:
        return _run(arguments, stopping)
    except StartProblem as problem:
        print(f"heat-trio: {problem}", file=sys.stderr)
        return 2


def _run(arguments: argparse.Namespace, stopping: Stopping) -> int:
    # Databases and logs are made by others: they get this user's rights alone, too.
    os.umask(0o077)
    data = DataFolder.open(arguments.data or default_folder())
    try:
        api = listen(arguments.bind, arguments.port, "--port")
        identity = listen(arguments.bind, arguments.keystone_port, "--keystone-port")
        host = advertised_host(arguments.bind)
        identity_url = url_of(host, identity) + "/v3"
        api_url = url_of(host, api) + "/v1"
        cfn_url = api_url.rsplit(":", 1)[0] + f":{arguments.cfn_port}/v1"
        keystone = start_keystone(data, identity, identity_url, api_url)
        try:
            from heat_app.standalone.running import run

            return run(
                Start(
                    data=data,
                    keystone=keystone,
                    api=api,
                    identity_url=identity_url,
                    api_url=api_url,
                    cfn_url=cfn_url,
                    demo=arguments.demo,
                    once=arguments.once,
                ),
                stopping,
            )
        finally:
            keystone.stop()
    finally:
        data.close()


def start_keystone(data: DataFolder, sock: socket, identity_url: str, api_url: str) -> Keystone:
    from importlib.util import find_spec

    if find_spec("keystone") is None or find_spec("waitress") is None:
        raise StartProblem(
            "Keystone is not installed: install heat-trio with its extra, 'heat-trio[standalone]'."
        )
    from heat_app.standalone.keystone import Keystone

    return Keystone.start(
        data,
        sock,
        secrets=data.secrets(),
        identity_url=identity_url,
        orchestration_url=api_url + "/%(project_id)s",
    )


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="heat-trio up",
        description="Run everything in one process: Heat's API and engine on SQLite, and a"
        " Keystone beside it. What ran goes on at the next start.",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=f"where everything is kept (default: {default_folder()})",
    )
    parser.add_argument("--port", type=_port, default=8004, metavar="N", help="Heat's API (8004)")
    parser.add_argument(
        "--cfn-port",
        type=_port,
        default=8000,
        metavar="N",
        help="kept for the CloudFormation API, which does not exist yet (8000)",
    )
    parser.add_argument(
        "--keystone-port", type=_port, default=5000, metavar="N", help="Keystone (5000)"
    )
    parser.add_argument(
        "--bind", default="127.0.0.1", metavar="ADDR", help="address to listen at (127.0.0.1)"
    )
    parser.add_argument("--demo", action="store_true", help="create a stack and show how it goes")
    parser.add_argument(
        "--once",
        action="store_true",
        help="with --demo: stop then; exit 0 if the stack is complete, 1 if not",
    )
    arguments = parser.parse_args(argv)
    if arguments.once and not arguments.demo:
        parser.error("--once needs --demo")
    return arguments


def _port(text: str) -> int:
    try:
        port = int(text)
    except ValueError:
        port = -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port number")
    return port
