"""Talks to the real oslo.messaging on RabbitMQ: `python -m tests.conformance.wire`.

A real client (Heat's own where it has a method for it) to our server, our client to a real
server: every method of the contract, its arguments, context and answer; failures, timeouts, signs
of life, fanout, single servers, both kinds of servers on one topic; again with durable and with
quorum queues. A line a group with its counts, then what failed. Exit code 0: all passed or not
run; 1: something failed, or CI=true and something was not run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import trio

from heat_core.rpc import (
    ENGINE_METHODS,
    LISTENER_METHODS,
    WORKER_METHODS,
    Method,
    RequestContext,
    Topic,
    remote_failure,
)
from heat_io.messaging import CallTimeout, Cast, Target
from tests.broker import NoBroker, VirtualHost, amqp_url, until, virtual_host
from tests.conformance.wire_scene import Peer, Scene, scene_on

TOPICS = (ENGINE_METHODS, WORKER_METHODS, LISTENER_METHODS)
CLIENTS = {"engine": "engine", "engine_worker": "worker"}
CONTEXT = RequestContext(
    request_id="req-1",
    user_id="u",
    username="name",
    project_id="p",
    project_name="project",
    user_domain_id="default",
    project_domain_id="default",
    roles=("member", "reader"),
    auth_token="token",
    auth_url="http://keystone/v3",
    region_name="RegionOne",
    auth_token_info={"token": {"catalog": [{"ü": [1, None, True]}]}},
)
IDENTITY = {"tenant": "p", "stack_name": "s", "stack_id": "1-2-3", "path": ""}
FAILURES: list[tuple[str, dict[str, Any]]] = [
    ("EntityNotFound", {"entity": "Stack", "name": "s"}),
    ("StackExists", {"stack_name": "s"}),
    ("Forbidden", {}),
    ("ActionInProgress", {"stack_name": "s", "action": "UPDATE"}),
    ("StackValidationFailed", {"error": "Property error", "path": ["a", 1], "message": "bad"}),
    ("RequestLimitExceeded", {"message": "too much"}),
    ("ValueError", {"message": "bad value"}),
    ("KeyError", {"message": "key"}),
    ("ServersOwnError", {"message": "nobody knows it"}),
]
REFUSED = [("1.0", "no_such_method"), ("1.0", "_m"), ("1.99", "m"), ("2.0", "m")]
"""no method, a private one, a newer version, another major version"""


class Different(Exception):
    """What is, and what should be."""


def expect(got: Any, wanted: Any) -> None:
    """Different unless they are the same as JSON has them."""
    one, other = (json.dumps(value, sort_keys=True) for value in (got, wanted))
    if one != other:
        raise Different(f"got {one}, wanted {other}")


def sample(argument: str) -> Any:
    """A value for an argument of that name."""
    values: dict[str, Any] = {
        "stack_identity": IDENTITY,
        "args": {"timeout_mins": 5, "disable_rollback": True},
        "params": {"parameters": {"a": "ü", "b": [1, 2.5, None]}, "encrypted_param_names": []},
        "files": {"file:///a": "text\n"},
        "template": {"heat_template_version": "wallaby", "resources": {"r": {"type": "T"}}},
        "data": {'["tuple:(1, True)", 5]': {"id": 1}},
        "resource_id": 7,
        "limit": 10,
        "is_update": True,
        "sync_call": True,
        "mark_unhealthy": False,
        "tags": ["x", "y"],
        "timeout": 30,
        "engine_id": "ours",
    }
    return values.get(argument, f"<{argument}>")


def arguments_of(method: Method) -> dict[str, Any]:
    return {name: sample(name) for name, _ in method.client}


type Case = tuple[str, Callable[[], Awaitable[None]]]

# --- every method ----------------------------------------------------------------------------


def real_client_cases(scene: Scene, rpc: Any) -> list[Case]:
    """A real client to our server; through Heat's client class wherever there is one."""

    async def compare(topic: Topic, method: Method, mode: str) -> None:
        scene.told.clear()
        wanted = arguments_of(method)
        answer = await scene.peer.ask(
            mode,
            topic=topic.name,
            method=method.name,
            version=method.version,
            args=wanted,
            context=CONTEXT.to_wire(),
        )
        await until(lambda: scene.told)
        (told,) = scene.told
        expect(told, _told("ours", method.name, wanted))
        expect(answer, {"result": None if mode == "cast" else told})

    async def compare_heats(topic: Topic, method: Method) -> None:
        scene.told.clear()
        form = rpc["topics"][topic.name]["methods"][method.name]
        asked = {
            name: sample(name)
            for name in (part.partition("=")[0] for part in form["client_signature"])
        }
        answer = await scene.peer.ask(
            "heat",
            client=CLIENTS.get(topic.name, "listener"),
            server="ours",
            method=form["client_method"],
            args=asked,
            context=CONTEXT.to_wire(),
        )
        if "error" in answer:
            raise Different(str(answer))
        await until(lambda: scene.told)
        (told,) = scene.told
        method.accept(told["args"])
        expect(sorted(told["args"]), sorted(form["wire_args"]))
        expect(told["method"], method.name)

    cases: list[Case] = []
    for topic in TOPICS:
        for method in topic:
            for mode in _modes(method):
                label = f"{topic.name} {method.name} {mode}"
                cases.append((label, partial(compare, topic, method, mode)))
            if method.name in rpc["topics"][topic.name]["methods"]:
                label = f"{topic.name} {method.name} through Heat's client"
                cases.append((label, partial(compare_heats, topic, method)))
    return cases


def real_server_cases(scene: Scene, rpc: Any) -> list[Case]:
    """Our client to a real server."""

    async def compare(topic: Topic, method: Method, mode: str) -> None:
        await scene.peer.ask("seen")
        arguments = arguments_of(method)
        target = Target(topic.name, "real", version=method.version)
        if mode == "cast":
            await scene.bus.cast(Cast(target, method.name, arguments, CONTEXT))
            told = await _seen(scene.peer, 1)
        else:
            answer = await scene.bus.call(target, method.name, arguments, CONTEXT)
            told = await _seen(scene.peer, 1)
            expect(answer, told[0])
        expect(told, [_told("real", method.name, arguments)])

    return [
        (f"{topic.name} {method.name} {mode}", partial(compare, topic, method, mode))
        for topic in TOPICS
        for method in topic
        for mode in _modes(method)
    ]


def _modes(method: Method) -> list[str]:
    return ["call"] * method.call + ["cast"] * method.cast


def _told(server: str, method: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"server": server, "method": method, "args": arguments, "context": CONTEXT.to_wire()}


async def _seen(peer: Peer, count: int) -> list[Any]:
    told: list[Any] = []
    with trio.fail_after(10):
        while len(told) < count:
            told += (await peer.ask("seen"))["seen"]
    return told


# --- failures --------------------------------------------------------------------------------


def failure_cases(scene: Scene, rpc: Any) -> list[Case]:
    """The same error from a real server to a real client, and one of the two ours."""

    async def ask_real(server: str, error: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = await scene.peer.ask(
            "call",
            topic="engine",
            server=server,
            method="fail",
            args={"error": error, "arguments": arguments},
            context=CONTEXT.to_wire(),
        )
        if error in ("KeyError", "ValueError"):  # their text is the message and the traceback
            answer["first"] = answer["first"].split("\n")[0]
        if answer["error"] == "RemoteError":
            answer["first"] = answer["text"].split("\n")[0]
        # The traceback follows, for a KeyError within the repr of the whole.
        answer["text"] = answer["text"].split("\n")[0].split("\\n")[0]
        return answer

    async def at_real_client(error: str, arguments: Mapping[str, Any]) -> None:
        expect(await ask_real("ours", error, arguments), await ask_real("real", error, arguments))

    async def at_our_client(error: str, arguments: Mapping[str, Any]) -> None:
        descriptions = []
        for server in ("real", "ours"):
            try:
                await scene.bus.call(
                    Target("engine", server),
                    "fail",
                    {"error": error, "arguments": arguments},
                    CONTEXT,
                )
            except Exception as caught:
                failure = remote_failure(caught)
                assert failure is not None, "it came over the bus"
                module = "" if error == "ServersOwnError" else failure.module
                text = str(caught).split("\n")[0]
                described = (failure.kind, module, failure.message, failure.args, failure.kwargs)
                descriptions.append((type(caught).__name__, text, *described))
        expect(descriptions[1], descriptions[0])

    async def refused(at: str, version: str, method: str) -> None:
        texts = []
        for server in ("real", "ours"):
            if at == "real":
                answer = await scene.peer.ask(
                    "call",
                    topic="engine",
                    server=server,
                    version=version,
                    method=method,
                    args={},
                    context=CONTEXT.to_wire(),
                )
                texts.append([answer["error"], answer["text"].split("\n")[0]])
            else:
                try:
                    await scene.bus.call(
                        Target("engine", server, version=version), method, {}, CONTEXT
                    )
                except Exception as caught:
                    texts.append([type(caught).__name__, str(caught).split("\n")[0]])
        expect(texts[1], texts[0])

    cases: list[Case] = []
    for error, arguments in FAILURES:
        cases.append((f"{error} at a real client", partial(at_real_client, error, arguments)))
        cases.append((f"{error} at our client", partial(at_our_client, error, arguments)))
    for at in ("real", "our"):
        cases.append(
            (f"NoSuchMethod at {at} client", partial(refused, at, "1.0", "no_such_method"))
        )
        cases.append((f"a private method at {at} client", partial(refused, at, "1.0", "_m")))
        cases.append((f"UnsupportedVersion at {at} client", partial(refused, at, "1.99", "m")))
        cases.append((f"another major version at {at} client", partial(refused, at, "2.0", "m")))
    return cases


# --- time ------------------------------------------------------------------------------------


def timing_cases(scene: Scene, rpc: Any) -> list[Case]:
    """Timeouts, answers that come too late, calls that are monitored."""

    async def nobody_for_real_client() -> None:
        answer = await scene.peer.ask(
            "call",
            topic="nobody",
            method="m",
            args={},
            timeout=1,
            context=CONTEXT.to_wire(),
        )
        expect(answer["error"], "MessagingTimeout")

    async def nobody_for_our_client() -> None:
        try:
            await scene.bus.call(Target("nobody"), "m", {}, CONTEXT, timeout_seconds=0.5)
        except CallTimeout:
            return
        raise Different("no timeout")

    async def late(server: str) -> None:
        target = Target("engine", server)
        try:
            await scene.bus.call(target, "be_slow", {"seconds": 1}, CONTEXT, timeout_seconds=0.3)
        except CallTimeout:
            pass
        else:
            raise Different("no timeout")
        told = await scene.bus.call(target, "be_slow", {"seconds": 1}, CONTEXT, timeout_seconds=10)
        expect(told["server"], server)

    async def late_for_real_client() -> None:
        options = {"topic": "engine", "server": "ours", "context": CONTEXT.to_wire()}
        slow = {"method": "be_slow", "args": {"seconds": 2}}
        answer = await scene.peer.ask("call", **options, **slow, timeout=1)
        expect(answer["error"], "MessagingTimeout")
        answer = await scene.peer.ask("call", **options, **slow, timeout=10)
        expect(answer["result"]["server"], "ours")

    async def monitored_by_real_client() -> None:
        answer = await scene.peer.ask(
            "call",
            topic="engine",
            server="ours",
            method="be_slow",
            args={"seconds": 4},
            timeout=20,
            monitor=2,
            context=CONTEXT.to_wire(),
        )
        expect(answer.get("error"), None)
        expect(answer["result"]["method"], "be_slow")

    async def monitored_by_our_client() -> None:
        told = await scene.bus.call(
            Target("engine", "real"),
            "be_slow",
            {"seconds": 4},
            CONTEXT,
            timeout_seconds=20,
            monitor_seconds=2,
        )
        expect(told["method"], "be_slow")

    return [
        ("nobody answers a real client", nobody_for_real_client),
        ("nobody answers our client", nobody_for_our_client),
        ("a real server's late answer", partial(late, "real")),
        ("our late answer to our client", partial(late, "ours")),
        ("our late answer to a real client", late_for_real_client),
        ("a real client monitors our server", monitored_by_real_client),
        ("our client monitors a real server", monitored_by_our_client),
    ]


# --- who gets it -----------------------------------------------------------------------------


def routing_cases(scene: Scene, rpc: Any) -> list[Case]:
    """Fanout, single servers, and both kinds of servers on one topic."""

    async def fanout(sender: str) -> None:
        await _forget(scene)
        if sender == "real":
            await scene.peer.ask(
                "cast",
                topic="engine",
                fanout=True,
                method="m",
                args={"n": 1},
                context=CONTEXT.to_wire(),
            )
        else:
            await scene.bus.cast(Cast(Target("engine", fanout=True), "m", {"n": 1}, CONTEXT))
        real = await _seen(scene.peer, 1)
        await until(lambda: scene.told)
        expect([one["server"] for one in real + scene.told], ["real", "ours"])

    async def single(sender: str, server: str) -> None:
        await _forget(scene)
        for n in range(5):
            if sender == "real":
                answer = await scene.peer.ask(
                    "call",
                    topic="engine",
                    server=server,
                    method="m",
                    args={"n": n},
                    context=CONTEXT.to_wire(),
                )
                expect(answer["result"]["server"], server)
            else:
                told = await scene.bus.call(Target("engine", server), "m", {"n": n}, CONTEXT)
                expect(told["server"], server)

    async def shared(sender: str) -> None:
        """Each call is answered by exactly one; each kind of server has its part."""
        await _forget(scene)
        servers = []
        for n in range(30):
            if sender == "real":
                answer = await scene.peer.ask(
                    "call", topic="engine", method="m", args={"n": n}, context=CONTEXT.to_wire()
                )
                servers.append(answer["result"]["server"])
            else:
                told = await scene.bus.call(Target("engine"), "m", {"n": n}, CONTEXT)
                servers.append(told["server"])
        counts = {server: servers.count(server) for server in ("real", "ours")}
        if min(counts.values()) < 5:
            raise Different(f"answered by {counts}")
        expect(len((await scene.peer.ask("seen"))["seen"]), counts["real"])
        expect(len(scene.told), counts["ours"])

    async def many_casts() -> None:
        await _forget(scene)
        await scene.bus.cast_many(
            [Cast(Target("engine"), "m", {"n": n}, CONTEXT) for n in range(200)]
        )
        real: list[Any] = []
        with trio.fail_after(20):
            while len(real) + len(scene.told) < 200:
                real += (await scene.peer.ask("seen"))["seen"]
        expect(sorted(one["args"]["n"] for one in real + scene.told), list(range(200)))

    cases: list[Case] = [("a batch of casts over both servers", many_casts)]
    for sender in ("real", "our"):
        cases.append((f"fanout of {sender} client", partial(fanout, sender)))
        cases.append((f"one topic, {sender} client", partial(shared, sender)))
        for server in ("real", "ours"):
            cases.append((f"{sender} client to {server} alone", partial(single, sender, server)))
    return cases


async def _forget(scene: Scene) -> None:
    await scene.peer.ask("seen")
    scene.told.clear()


# --- the run ---------------------------------------------------------------------------------


async def run_group(name: str, cases: list[Case]) -> int:
    """Run and print; how many failed."""
    failed = []
    for label, work in cases:
        try:
            with trio.fail_after(90):
                await work()
        except Exception as error:  # told as what failed
            failed.append(f"{label}: {type(error).__name__}: {error}")
    print(f"{name}: {len(cases) - len(failed)} passed, {len(failed)} failed", flush=True)
    for text in failed[:20]:
        print(f"  {text[:1500]}", flush=True)
    return len(failed)


async def all_groups(place: VirtualHost, python: str, rpc: Any) -> int:
    """Everything, with the default kind of queues."""
    failed = 0
    async with scene_on(place, python, "", {}) as scene:
        async with trio.open_nursery() as nursery:
            for topic in TOPICS:
                handlers = scene.handlers("ours", topic)
                serve = partial(scene.bus.serve, topic.name, "ours", topic.version, handlers)
                await nursery.start(serve)
            cases = real_client_cases(scene, rpc)
            failed += await run_group("wire: real client, our server", cases)
            nursery.cancel_scope.cancel()
        for topic in TOPICS:
            await scene.peer.ask("serve", topic=topic.name, server="real", version=topic.version)
        cases = real_server_cases(scene, rpc)
        failed += await run_group("wire: our client, real server", cases)
        async with scene.serving("engine", "ours"):
            for name, group in BOTH.items():
                failed += await run_group(f"wire: {name}", group(scene, rpc))
    return failed


BOTH: Mapping[str, Callable[[Scene, Any], list[Case]]] = {
    "failures": failure_cases,
    "timeouts": timing_cases,
    "routing": routing_cases,
}
"""what is tried with both kinds of servers on the topic"""

KINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "compressed bodies": ("?kombu_compression=gzip", {}),
    "durable queues": ("?amqp_durable_queues=true", {"durable": True}),
    "quorum queues": (
        "?rabbit_quorum_queue=true&rabbit_transient_quorum_queue=true",
        {"quorum": True, "transient_quorum": True},
    ),
}


async def other_kinds(name: str, place: VirtualHost, python: str, rpc: Any) -> int:
    """Routing again, on queues of another kind."""
    query, options = KINDS[name]
    async with scene_on(place, python, query, options) as scene:
        await scene.peer.ask("serve", topic="engine", server="real", version="1.0")
        async with scene.serving("engine", "ours"):
            return await run_group(f"wire: {name}", routing_cases(scene, rpc))


def main() -> int:
    """Run and print; the exit code."""
    shared = Path(os.environ.get("HEAT_TRIO_SHARED", "../shared")).absolute()
    python = shared / "reference" / "python"
    facts = shared / "facts" / "rpc.json"
    missing = [str(path) for path in (python, facts) if not path.exists()]
    if missing:
        return _not_run(f"there is no {missing[0]}")
    if not _peer_is_installed(python):
        # Heat's own environment is nothing that a check of this project installs.
        print(
            f"wire: not run: {python} has no oslo.messaging; {python.parent}/install gives it one"
        )
        return 0
    rpc = json.loads(facts.read_text())
    failed = 0
    try:
        with virtual_host(amqp_url()) as place:
            failed += trio.run(all_groups, place, str(python), rpc)
        for name in KINDS:
            with virtual_host(amqp_url()) as place:
                failed += trio.run(other_kinds, name, place, str(python), rpc)
    except NoBroker as error:
        return _not_run(str(error))
    return 1 if failed else 0


def _peer_is_installed(python: Path) -> bool:
    """Whether the real oslo.messaging can be started here."""
    probe = [str(python), "-c", "import oslo_messaging"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def _not_run(reason: str) -> int:
    print(f"wire: not run: {reason}")
    return 1 if os.environ.get("CI", "").lower() == "true" else 0


if __name__ == "__main__":
    sys.exit(main())
