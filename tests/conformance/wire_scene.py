"""The stage of tests.conformance.wire: a real oslo.messaging process and one of ours."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import trio

from heat_core import errors
from heat_core.rpc import Topic
from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging import Delivery
from heat_io.messaging.amqp import AmqpBus
from tests.broker import VirtualHost

PEER = Path(__file__).with_name("wire_peer.py")


class ServersOwnError(Exception):
    """A class that no client has."""


@dataclass(slots=True)
class Peer:
    """An oslo.messaging process; one question at a time."""

    process: trio.Process
    _lock: trio.Lock = field(default_factory=trio.Lock)
    _rest: bytes = b""

    @classmethod
    @asynccontextmanager
    async def open(cls, python: str, transport_url: str) -> AsyncIterator[Peer]:
        async with trio.open_nursery() as nursery:
            command = [python, str(PEER), transport_url]
            run = partial(
                trio.run_process,
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                check=False,
            )
            process = await nursery.start(run)
            peer = cls(process)
            with trio.fail_after(120):
                await peer._line()  # it is ready
            try:
                yield peer
            finally:
                with trio.move_on_after(5, shield=True):
                    await process.stdin.send_all(b'{"do": "quit"}\n')
                    await process.wait()
                nursery.cancel_scope.cancel()

    async def ask(self, do: str, **what: Any) -> Any:
        """The peer's answer."""
        async with self._lock:
            assert self.process.stdin is not None, "it was asked for"
            await self.process.stdin.send_all(json.dumps({"do": do} | what).encode() + b"\n")
            with trio.fail_after(60):
                return json.loads(await self._line())

    async def _line(self) -> bytes:
        assert self.process.stdout is not None, "it was asked for"
        while b"\n" not in self._rest:
            piece = await self.process.stdout.receive_some()
            if not piece:
                raise EOFError("the oslo.messaging process has ended")
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        return line


@dataclass(slots=True)
class Scene:
    """A broker with a real process and one of ours on it."""

    peer: Peer
    bus: AmqpBus
    told: list[dict[str, Any]] = field(default_factory=list)
    """what our servers were told"""

    def handlers(self, server: str, methods: Topic | tuple[str, ...]) -> dict[str, Any]:
        """Our side's methods: they report themselves, as the peer's do."""
        names = [one.name for one in methods] if isinstance(methods, Topic) else list(methods)
        return {name: partial(self._report, server) for name in (*names, "fail", "be_slow")}

    async def _report(self, server: str, delivery: Delivery) -> Any:
        told = {
            "server": server,
            "method": delivery.method,
            "args": delivery.arguments,
            "context": delivery.context.to_wire(),
        }
        self.told.append(told)
        if delivery.method == "be_slow":
            await trio.sleep(delivery.arguments["seconds"])
        if delivery.method == "fail":
            raise _error(delivery.arguments["error"], delivery.arguments["arguments"])
        return told

    @asynccontextmanager
    async def serving(self, topic: Topic | str, server: str) -> AsyncIterator[None]:
        """Our server on a topic."""
        name, version = (topic, "1.0") if isinstance(topic, str) else (topic.name, topic.version)
        methods = ("m",) if isinstance(topic, str) else topic
        async with trio.open_nursery() as nursery:
            await nursery.start(
                partial(self.bus.serve, name, server, version, self.handlers(server, methods))
            )
            yield
            nursery.cancel_scope.cancel()


def _error(name: str, arguments: Mapping[str, Any]) -> Exception:
    own: dict[str, type[Exception]] = {
        "ServersOwnError": ServersOwnError,
        "ValueError": ValueError,
        "KeyError": KeyError,
    }
    if name in own:
        return own[name](*arguments.values())
    kind: type[Exception] = getattr(errors, name)
    return kind(**arguments)


@asynccontextmanager
async def scene_on(
    place: VirtualHost, python: str, query: str, options: Mapping[str, Any]
) -> AsyncIterator[Scene]:
    """Both processes on a virtual host, their options in their own spelling."""
    settings = place.settings(retry_seconds=1.0, **options)
    async with (
        Peer.open(python, place.transport_url + query) as peer,
        open_asyncio_loop() as loop,
        AmqpBus.open(settings, loop=loop) as bus,
    ):
        yield Scene(peer, bus)
