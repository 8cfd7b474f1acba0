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
import sys
import threading
import warnings
from typing import Any

THREADS = 1


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
    if identity is None:
        backends.load_backends()
    else:
        from keystone.common.sql import upgrades

        from heat_app.standalone import identity as identity_setup

        upgrades.offline_sync_database_to_version()
        identity_setup.make_keys()
        identity_setup.provision(identity)
    return core.setup_app_middleware(application.application_factory("public"))


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
