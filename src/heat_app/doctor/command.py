"""`heat-trio doctor STACK [--repair]`: what it is told, and what may be in the way.

On the folder of a `heat-trio up` the report only reads, whether that runs or not. A running one
repairs by itself, so --repair is for a folder that nobody uses: it starts Keystone and an engine as
`up` does, without the API, and lets that engine attend to the one stack.

With --config-file it is about a cloud's database and broker (heat_app.doctor.cloud).
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import timedelta
from functools import partial
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
    if arguments.config_file or arguments.config_dir:
        from heat_app.doctor.cloud import run_on_cloud

        return run_on_cloud(
            [
                *(f"--config-file={path}" for path in arguments.config_file),
                *(f"--config-dir={path}" for path in arguments.config_dir),
            ],
            arguments.stack,
            with_repair=arguments.repair,
            everything=arguments.all,
            stopping=stopping,
        )
    return _run_on_folder(arguments, stopping)


def _run_on_folder(arguments: argparse.Namespace, stopping: Stopping) -> int:
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

    from heat_app.doctor.examination import by_signs
    from heat_app.doctor.show import show_folder

    judge = by_signs(timedelta(seconds=FRESH_SECONDS), somebody_runs=holder is not None)
    return trio.run(
        partial(show_folder, database, arguments.stack, judge, everything=arguments.all)
    )


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="heat-trio doctor",
        description="Say what is the matter with a stack: how far its operation is, who is at it,"
        " what it waits for, and what is owed to it.",
    )
    parser.add_argument("stack", metavar="STACK", help="name or id")
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help=f"the folder of heat-trio up (default: {default_folder()})",
    )
    place.add_argument(
        "--config-file",
        action="append",
        default=[],
        metavar="FILE",
        help="heat.conf of a cloud: look at its database, and ask its engines; may be repeated",
    )
    parser.add_argument(
        "--config-dir",
        action="append",
        default=[],
        metavar="DIR",
        help="a folder of more such files",
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
