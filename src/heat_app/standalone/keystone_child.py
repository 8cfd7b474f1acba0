"""The process that is Keystone: python -m heat_app.standalone.keystone_child CONFIG IDENTITY FD

CONFIG is a keystone.conf, IDENTITY a JSON file with what must exist in it
(heat_app.standalone.identity), FD a listening socket that the parent opened: connections queue
there while this process is still importing. One JSON line on standard output says how it went:
{"ready": true} or {"error": "..."}; everything else goes to standard error.

Standard input is a pipe from the parent. Its end, however it comes, is ours: kill -9 of the
parent closes it too.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import sys
import threading
import traceback
import warnings
from typing import Any

THREADS = 1
"""Keystone on SQLite answers 500 to writers that meet; one at a time is as fast, with one GIL."""


def end_with_parent(stdin: int) -> None:
    """Leave the process as soon as the parent's end of the pipe is closed."""

    def watch() -> None:
        while os.read(stdin, 1024):
            pass
        os._exit(0)

    threading.Thread(target=watch, daemon=True, name="parent-watch").start()


def load(config: str, identity: dict[str, Any] | None) -> Any:
    """Keystone's WSGI application on a database that is complete, made complete when asked."""
    warnings.simplefilter("ignore")
    # Keystone reads the command line as its own.
    sys.argv = ["keystone"]
    import keystone.server
    from keystone.server import backends
    from keystone.server.flask import application, core

    # Not keystone.server.wsgi: its steps, but configured and loaded once for both uses.
    keystone.server.configure(config_files=[config])
    if identity is not None:
        complete(identity)
    backends.load_backends()
    return core.setup_app_middleware(application.application_factory("public"))


def complete(identity: dict[str, Any]) -> None:
    """Make database, keys, users and catalog complete, in a fork of this process.

    Keystone leaves read transactions open behind what it did; here they would stay for good and
    lock every later writer out. Raises RuntimeError when the fork fails; the log has its reason.
    """
    worker = os.fork()
    if worker:
        _, status = os.waitpid(worker, 0)
        if status:
            raise RuntimeError("its database could not be set up")
        return
    code = 1
    try:
        end_with_parent(sys.stdin.fileno())
        from keystone.common.sql import upgrades
        from keystone.conf import CONF

        from heat_app.standalone import identity as identity_setup

        upgrades.offline_sync_database_to_version()
        identity_setup.make_keys()
        identity_setup.provision(identity)
        # Stays with the file: readers don't stand in the way of a writer any more.
        with sqlite3.connect(CONF.database.connection.removeprefix("sqlite:///")) as database:
            database.execute("PRAGMA journal_mode=WAL")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def main(config: str, identity_file: str, listening: int) -> None:
    """Serve until the parent is gone."""
    end_with_parent(sys.stdin.fileno())
    report = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    # Keystone and its libraries may print; only the report belongs on the pipe.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(**answer: Any) -> None:
        report.write(json.dumps(answer) + "\n")
        report.flush()

    try:
        identity = None
        if identity_file != "-":
            with open(identity_file, encoding="utf-8") as file:
                identity = json.load(file)
        application = load(config, identity)
        from waitress import create_server

        server = create_server(
            application,
            sockets=[socket.socket(fileno=listening)],
            threads=THREADS,
            ident=None,
            clear_untrusted_proxy_headers=True,
        )
    except BaseException as error:
        say(error=f"{type(error).__name__}: {error}")
        raise
    say(ready=True)
    server.run()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
