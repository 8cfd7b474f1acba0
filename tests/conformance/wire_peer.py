"""An oslo.messaging client and server for tests.conformance.wire; runs in Heat's own Python.

Started with a transport_url; takes a JSON map a line on stdin and answers each with one on stdout:

    {"do": "serve", "topic", "server", "version"}      serves with methods that report themselves
    {"do": "call" | "cast", "topic", "method", "args", "context"[, "server", "fanout", "version",
     "timeout", "monitor"]}                            {"result"} or {"error", "module", "text"}
    {"do": "heat", "client": "engine" | "worker" | "listener", "method", "args", "context"}
                                                       the same through Heat's own client
    {"do": "seen"}                                     what its servers were told since it was asked
    {"do": "quit"}
"""

import builtins
import functools
import json
import os
import sys
import threading
import time

import oslo_messaging
from heat.common import config as _heat_options  # noqa: F401 - registers what the context reads
from heat.common import context, exception, messaging
from heat.rpc.client import EngineClient
from heat.rpc.listener_client import EngineListenerClient
from heat.rpc.worker_client import WorkerClient
from oslo_config import cfg

SEEN = []
LOCK = threading.Lock()


class ServersOwnError(Exception):
    """A class that no client has."""


class Endpoint:
    """Has every public method."""

    def __init__(self, target):
        self.target = target

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "no_such_method":
            raise AttributeError(name)
        return functools.partial(_report, self.target.server, name)


def _wrapped(function):
    """As Heat's endpoints are: its own exceptions are expected ones."""

    @context.request_context
    def with_self(self, ctx, **arguments):
        return function(ctx, **arguments)

    return functools.partial(with_self, None)


def _report(server, method, ctx, **arguments):
    return _wrapped(functools.partial(_act, server, method))(ctx, **arguments)


def _act(server, method, ctx, **arguments):
    told = {"server": server, "method": method, "args": arguments, "context": ctx.to_dict()}
    with LOCK:
        SEEN.append(told)
    if method == "be_slow":
        time.sleep(arguments["seconds"])
    if method == "fail":
        raise _error(arguments["error"], arguments["arguments"])
    return told


def _error(name, arguments):
    if name == "ServersOwnError":
        return ServersOwnError(*arguments.values())
    kind = getattr(exception, name, None)
    if kind is not None:
        return kind(**arguments)
    return getattr(builtins, name)(*arguments.values())


def serve(ask):
    target = oslo_messaging.Target(topic=ask["topic"], server=ask["server"], version=ask["version"])
    server = messaging.get_rpc_server(target, Endpoint(target))
    server.start()
    return {}


def send(ask):
    client = messaging.get_rpc_client(topic=ask["topic"], version="1.0")
    options = {
        name: ask[name] for name in ("server", "fanout", "version", "timeout") if name in ask
    }
    if "monitor" in ask:
        options["call_monitor_timeout"] = ask["monitor"]
    client = client.prepare(**options)
    return _outcome(functools.partial(getattr(client, ask["do"]), method=ask["method"]), ask)


def send_as_heat(ask):
    clients = {
        "engine": EngineClient,
        "worker": WorkerClient,
        "listener": functools.partial(EngineListenerClient, ask.get("server")),
    }
    client = clients[ask["client"]]()
    # The arguments of some methods are for the client itself.
    return _outcome(getattr(client, ask["method"]), ask)


def _outcome(act, ask):
    ctx = context.RequestContext.from_dict(ask["context"])
    try:
        return {"result": act(ctx, **ask["args"])}
    except Exception as error:
        kind = type(error)
        return {
            "error": kind.__name__,
            "module": kind.__module__,
            "text": str(error),
            "first": str(error.args[0]) if error.args else "",
        }


def seen(ask):
    with LOCK:
        told, SEEN[:] = list(SEEN), []
    return {"seen": told}


def main():
    cfg.CONF([], project="heat")
    messaging.setup(sys.argv[1])
    dos = {"serve": serve, "call": send, "cast": send, "heat": send_as_heat, "seen": seen}
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        ask = json.loads(line)
        if ask["do"] == "quit":
            break
        print(json.dumps(dos[ask["do"]](ask)), flush=True)
    os._exit(0)  # threads of its servers are still there


if __name__ == "__main__":
    main()
