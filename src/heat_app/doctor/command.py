"""`heat-trio doctor STACK [--repair]`: what it is told, and what may be in the way.

The report only reads, whether `heat-trio up` runs or not. A running one repairs by itself, so
--repair is for a folder that nobody uses: it starts Keystone and an engine as `up` does, without
the API, and lets that engine attend to the one stack.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import timedelta
from pathlib import Path

from heat_app.standalone.data_folder import DataFolder, default_folder
from heat_app.standalone.problem import StartProblem
from heat_app.standalone.stopping import Stopping

FRESH_SECONDS = 15.0
"""three signs of life of an engine"""


def doctor(argv: list[str]) -> int:
    """Run it; 0: nothing is the matter, 1: something is or no such stack, 2: the environment."""
    stopping = Stopping()
    stopping.install()
    arguments = _arguments(argv)
    try:
        return _run(arguments, stopping)
    except StartProblem as problem:
        print(f"heat-trio: {problem}", file=sys.stderr)
        return 2


def _run(arguments: argparse.Namespace, stopping: Stopping) -> int:
    os.umask(0o077)
    path = (arguments.data or default_folder()).expanduser().absolute()
    database = path / "heat.sqlite"
    try:
        there = database.exists()
        holder = DataFolder.holder(path)
    except OSError as error:
        raise StartProblem(f"{path} cannot be read ({error.strerror}).") from None
    if not there:
        raise StartProblem(f"there is no database in {path}: choose another folder with --data.")
    if holder is not None and arguments.repair:
        raise StartProblem(
            f"{path} is in use by {holder}: its engine does by itself what is owed to a stack,"
            " within seconds. Stop it first if you want to watch a repair."
        )

    if arguments.repair:
        from heat_app.doctor.with_engine import run_repair

        return run_repair(path, arguments.stack, arguments.keystone_port, stopping)

    import trio

    from heat_app.doctor.show import show

    fresh = timedelta(seconds=FRESH_SECONDS)
    return trio.run(show, database, arguments.stack, holder is not None, fresh, arguments.all)


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="heat-trio doctor",
        description="Say what is the matter with a stack: how far its operation is, who is at it,"
        " what it waits for, and what is owed to it.",
    )
    parser.add_argument("stack", metavar="STACK", help="name or id")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=f"the folder of heat-trio up (default: {default_folder()})",
    )
    parser.add_argument("--all", action="store_true", help="show long lists whole")
    parser.add_argument(
        "--repair",
        action="store_true",
        help="do what is owed, and wait until the stack's operation has ended",
    )
    parser.add_argument(
        "--keystone-port",
        type=int,
        default=5000,
        metavar="N",
        help="with --repair: the port of the Keystone that is started for it (5000)",
    )
    return parser.parse_args(argv)
