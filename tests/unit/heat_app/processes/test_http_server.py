"""Over real sockets: how connections are kept, and how nobody is lost at the end.

Sockets need a moment to pass on what is written: the clock runs, and tests move it forward.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from trio.testing import MockClock

from heat_app.processes.http_server import HttpSettings, serve_http, ssl_problem

SETTINGS = HttpSettings(keep_alive_seconds=5.0, client_seconds=60.0, max_head_bytes=4096)
REQUEST = b"GET /x HTTP/1.1\r\nHost: h\r\n\r\n"


@pytest.fixture
def clock() -> MockClock:
    return MockClock(rate=1.0)


class App:
    """Answers with the path, once it may."""

    def __init__(self) -> None:
        self.may = trio.Event()
        self.may.set()
        self.asked: list[str] = []
        self.arrived = trio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        self.arrived.set()
        await self.may.wait()
        body = scope["path"].encode()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@dataclass
class Server:
    app: App
    address: tuple[str, int]
    ending: trio.Event
    ended: trio.Event
    streams: list[trio.SocketStream] = field(default_factory=list)

    async def connect(self) -> trio.SocketStream:
        """A connection, which is closed at the end of the test."""
        self.streams.append(await trio.open_tcp_stream(*self.address))
        return self.streams[-1]

    def connect_unheard(self) -> trio.SocketStream:
        """One that is made without giving the loop a turn."""
        made = socket.create_connection(self.address)
        made.setblocking(False)
        self.streams.append(trio.SocketStream(trio.socket.from_stdlib_socket(made)))
        return self.streams[-1]


@asynccontextmanager
async def served(
    settings: HttpSettings = SETTINGS, *, grace_seconds: float = 60.0
) -> AsyncIterator[Server]:
    sock = socket.create_server(("127.0.0.1", 0))
    sock.setblocking(False)
    server = Server(App(), sock.getsockname(), trio.Event(), trio.Event())

    async def run(*, task_status: trio.TaskStatus[Any]) -> None:
        await serve_http(
            server.app,
            sock,
            settings,
            ending=server.ending,
            grace_seconds=grace_seconds,
            task_status=task_status,
        )
        server.ended.set()

    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(run)
            yield server
            nursery.cancel_scope.cancel()
    finally:
        sock.close()
        for stream in server.streams:
            stream.socket.close()


async def answer(stream: trio.abc.Stream) -> bytes:
    """One answer, whose body is a path that ends in x."""
    got = b""
    while not got.endswith(b"x"):
        piece = await stream.receive_some(4096)
        assert piece, f"the connection ended after {got!r}"
        got += piece
    return got


async def test_a_connection_takes_several_requests(clock: MockClock) -> None:
    async with served() as server:
        stream = await server.connect()
        for _ in range(2):
            await stream.send_all(REQUEST)
            got = await answer(stream)
            assert got.startswith(b"HTTP/1.1 200")
            assert b"connection: close" not in got
            assert b"server:" not in got


async def test_an_idle_connection_and_a_slow_head_are_closed(clock: MockClock) -> None:
    async with served() as server:
        idle, slow = await server.connect(), await server.connect()
        await slow.send_all(REQUEST[:20])
        await trio.testing.wait_all_tasks_blocked(0.01)
        clock.jump(5.1)
        assert await idle.receive_some() == b""
        assert await slow.receive_some() == b""
        assert server.app.asked == []


async def test_a_head_that_is_too_long_is_refused(clock: MockClock) -> None:
    async with served() as server:
        stream = await server.connect()
        await stream.send_all(b"GET /" + b"a" * 5000)
        assert (await stream.receive_some()).startswith(b"HTTP/1.1 431")


async def test_a_request_under_way_is_answered_and_says_that_it_is_the_last(
    clock: MockClock,
) -> None:
    async with served() as server:
        server.app.may = trio.Event()
        stream = await server.connect()
        await stream.send_all(REQUEST)
        await server.app.arrived.wait()
        server.ending.set()
        await trio.testing.wait_all_tasks_blocked(0.01)
        server.app.may.set()
        assert b"connection: close\r\n" in await answer(stream)
        assert await stream.receive_some() == b""
        clock.jump(1)
        await server.ended.wait()


async def test_what_comes_on_an_idle_connection_at_the_end_is_answered(
    clock: MockClock,
) -> None:
    async with served() as server:
        stream = await server.connect()
        await stream.send_all(REQUEST)
        await answer(stream)
        server.ending.set()
        await trio.testing.wait_all_tasks_blocked(0.01)
        await stream.send_all(REQUEST)
        assert b"connection: close\r\n" in await answer(stream)
        assert len(server.app.asked) == 2


async def test_connections_that_nobody_has_taken_yet_are_served_and_later_ones_refused(
    clock: MockClock,
) -> None:
    async with served() as server:
        # It has not heard of them when it is told to end.
        streams = [server.connect_unheard() for _ in range(3)]
        server.ending.set()
        for stream in streams:
            await stream.send_all(REQUEST)
            assert b"connection: close\r\n" in await answer(stream)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(server.address)


async def test_a_connection_that_its_client_has_closed_is_not_waited_for(
    clock: MockClock,
) -> None:
    async with served(replace(SETTINGS, keep_alive_seconds=3600.0)) as server:
        stream = await server.connect()
        await stream.send_all(REQUEST)
        await answer(stream)
        await trio.testing.wait_all_tasks_blocked(0.01)
        await stream.aclose()
        server.ending.set()
        with trio.fail_after(30.0):
            await server.ended.wait()


async def test_after_the_grace_what_is_open_is_closed(clock: MockClock) -> None:
    async with served(grace_seconds=30.0) as server:
        server.app.may = trio.Event()
        stream = await server.connect()
        await stream.send_all(REQUEST)
        await server.app.arrived.wait()
        server.ending.set()
        await trio.testing.wait_all_tasks_blocked(0.01)
        clock.jump(6)
        await trio.testing.wait_all_tasks_blocked(0.01)
        assert not server.ended.is_set()
        clock.jump(25)
        await server.ended.wait()
        assert await stream.receive_some() == b""


def certificate(folder: Path) -> tuple[str, str]:
    """Files with a certificate for localhost, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return str(folder / "cert.pem"), str(folder / "key.pem")


async def test_tls(tmp_path: Path, clock: MockClock) -> None:
    cert, key = certificate(tmp_path)
    settings = replace(SETTINGS, cert_file=cert, key_file=key)
    assert ssl_problem(settings) is None
    trusting = ssl.create_default_context(cafile=cert)
    async with served(settings) as server:
        plain = await server.connect()
        stream = trio.SSLStream(plain, trusting, server_hostname="localhost")
        await stream.send_all(REQUEST)
        assert (await answer(stream)).startswith(b"HTTP/1.1 200")


def test_certificates_that_cannot_be_used(tmp_path: Path) -> None:
    cert, _ = certificate(tmp_path)
    assert ssl_problem(SETTINGS) is None
    half = ssl_problem(replace(SETTINGS, cert_file=cert))
    assert half == "cert_file and key_file belong together"
    for bad in (cert, str(tmp_path / "nothing")):
        problem = ssl_problem(replace(SETTINGS, cert_file=cert, key_file=bad))
        assert problem is not None
        assert problem.startswith("cert_file and key_file can't be used: ")
