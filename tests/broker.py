"""A virtual host of one's own on the tests' RabbitMQ, and a place to cut the way to it."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import struct
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import trio

from heat_io.messaging.amqp import Address, AmqpSettings


class NoBroker(Exception):
    """What is missing, in a sentence."""


@dataclass(frozen=True, slots=True)
class VirtualHost:
    """A virtual host that nobody else uses."""

    name: str
    address: Address

    @property
    def transport_url(self) -> str:
        """As heat.conf has it."""
        place = self.address
        return f"rabbit://{place.user}:{place.password}@{place.host}:{place.port}/{self.name}"

    def settings(self, **changes: object) -> AmqpSettings:
        """For a bus on it, with a test's patience."""
        wanted: dict[str, object] = {
            "addresses": (self.address,),
            "virtual_host": self.name,
            "retry_seconds": 0.1,
            "retry_step_seconds": 0.1,
            "retry_max_seconds": 0.5,
        }
        return AmqpSettings(**(wanted | changes))  # type: ignore[arg-type] # the caller's names

    def cut_connections(self) -> None:
        """Have the broker close every connection to it."""
        rabbitmqctl("close_all_connections", "--vhost", self.name, "cut by a test")

    def queues(self) -> dict[str, tuple[bool, bool, str, int]]:
        """By name: durable, auto_delete, the printed arguments, messages."""
        columns = ("name", "durable", "auto_delete", "arguments", "messages")
        return {
            row[0]: (row[1] == "true", row[2] == "true", row[3], int(row[4]))
            for row in self._rows("list_queues", *columns)
        }

    def exchanges(self) -> dict[str, tuple[str, bool, bool]]:
        """By name: type, durable, auto_delete."""
        columns = ("name", "type", "durable", "auto_delete")
        return {
            row[0]: (row[1], row[2] == "true", row[3] == "true")
            for row in self._rows("list_exchanges", *columns)
        }

    def bindings(self) -> set[tuple[str, str, str]]:
        """Exchange, queue, routing key."""
        columns = ("source_name", "destination_name", "routing_key")
        return {(row[0], row[1], row[2]) for row in self._rows("list_bindings", *columns)}

    def _rows(self, command: str, *columns: str) -> list[list[str]]:
        text = rabbitmqctl("--no-table-headers", command, "-p", self.name, *columns)
        return [line.split("\t") for line in text.splitlines() if line]


def rabbitmqctl(*arguments: str) -> str:
    """What the command prints; NoBroker when there is none or it fails."""
    if shutil.which("rabbitmqctl") is None:
        raise NoBroker("no rabbitmqctl")
    done = subprocess.run(
        ["rabbitmqctl", "-q", *arguments], capture_output=True, text=True, timeout=60
    )
    if done.returncode:
        raise NoBroker(f"rabbitmqctl {arguments[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


@contextmanager
def virtual_host(url: str) -> Iterator[VirtualHost]:
    """A new virtual host of the broker at `url`, where the user may do everything."""
    parts = urlsplit(url)
    user = unquote(parts.username or "guest")
    address = Address(
        parts.hostname or "127.0.0.1", parts.port or 5672, user, unquote(parts.password or "guest")
    )
    try:
        socket.create_connection((address.host, address.port), timeout=2).close()
    except OSError as error:
        raise NoBroker(f"no RabbitMQ at {address.host}:{address.port}: {error}") from error
    name = f"heat_trio_test_{uuid.uuid4().hex[:12]}"
    rabbitmqctl("add_vhost", name)
    try:
        rabbitmqctl("set_permissions", "-p", name, user, ".*", ".*", ".*")
        yield VirtualHost(name, address)
    finally:
        rabbitmqctl("delete_vhost", name)


@dataclass(slots=True)
class Gate:
    """Passes TCP connections on to a broker, until told otherwise. Serve it with `run`."""

    target: Address
    port: int = 0
    host: str = "127.0.0.1"
    """what it is called"""
    accepted: int = 0
    refusing: bool = False
    """connections are taken and closed at once"""
    tls: ssl.SSLContext | None = None
    """to this side; never to the broker"""
    _open: set[trio.SocketStream] = field(default_factory=set)
    _flowing: trio.Event = field(default_factory=trio.Event)

    @property
    def address(self) -> Address:
        """Where to connect to."""
        return Address(self.host, self.port, self.target.user, self.target.password)

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Take connections until cancelled."""
        self._flowing.set()
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        await trio.serve_listeners(self._pass_on, [listener])

    def cut(self) -> None:
        """Reset every connection."""
        for stream in self._open:
            # Closed with nothing more to say: the other side gets a reset.
            linger = struct.pack("ii", 1, 0)
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            stream.socket.close()
        self._open.clear()

    def freeze(self) -> None:
        """Keep the connections open and let nothing through, in either direction."""
        self._flowing = trio.Event()

    def thaw(self) -> None:
        """Let everything through again."""
        self._flowing.set()

    async def _pass_on(self, outer: trio.SocketStream) -> None:
        self.accepted += 1
        if self.refusing:
            await outer.aclose()
            return
        near: trio.abc.Stream = outer
        if self.tls is not None:
            near = trio.SSLStream(outer, self.tls, server_side=True, https_compatible=True)
        far = await trio.open_tcp_stream(self.target.host, self.target.port)
        self._open |= {outer, far}
        try:
            async with outer, far, trio.open_nursery() as nursery:
                nursery.start_soon(self._copy, near, far, nursery.cancel_scope)
                nursery.start_soon(self._copy, far, near, nursery.cancel_scope)
        finally:
            self._open -= {outer, far}

    async def _copy(
        self, source: trio.abc.Stream, sink: trio.abc.Stream, both: trio.CancelScope
    ) -> None:
        try:
            while piece := await source.receive_some():
                await self._flowing.wait()
                await sink.send_all(piece)
        except (trio.BrokenResourceError, trio.ClosedResourceError, OSError):
            pass
        both.cancel()


async def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    """Look until it holds; TooSlowError when it does not come to that."""
    with trio.fail_after(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in a broker
            await trio.sleep(0.002)


def amqp_url() -> str:
    """The tests' broker."""
    return os.environ.get("HEAT_TRIO_TEST_AMQP") or "amqp://guest:guest@127.0.0.1:5672"
