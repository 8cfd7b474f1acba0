"""HTTP/2 without TLS, by its frames: answers while the server ends, and what clients are told."""

from __future__ import annotations

from dataclasses import dataclass, field

import h2.config
import h2.connection
import hpack
import pytest
import trio
import trio.testing
from hyperframe.frame import DataFrame, Frame, GoAwayFrame, HeadersFrame, SettingsFrame
from trio.testing import MockClock

from tests.unit.heat_app.processes.test_http_server import Server, served

ANY_STREAM = 2**31 - 1


@pytest.fixture
def clock() -> MockClock:
    return MockClock(rate=1.0)


@dataclass
class Client:
    """Sends by h2, and reads frame by frame: h2 would take no more answers after a GOAWAY."""

    stream: trio.SocketStream
    connection: h2.connection.H2Connection = field(
        default_factory=lambda: h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=True)
        )
    )
    decoder: hpack.Decoder = field(default_factory=hpack.Decoder)
    frames: list[Frame] = field(default_factory=list)
    status: dict[int, str] = field(default_factory=dict)
    ended: set[int] = field(default_factory=set)
    unread: bytes = b""

    @classmethod
    async def connected(cls, server: Server) -> Client:
        client = cls(await server.connect())
        client.connection.initiate_connection()
        await client.flush()
        await client.until(lambda: any(isinstance(one, SettingsFrame) for one in client.frames))
        return client

    async def flush(self) -> None:
        await self.stream.send_all(self.connection.data_to_send())

    async def ask(self, path: str, *, ends: bool = True) -> int:
        """Begin a request; its stream's number."""
        number: int = self.connection.get_next_available_stream_id()
        head = {":method": "POST", ":scheme": "http", ":authority": "h", ":path": path}
        self.connection.send_headers(number, list(head.items()), end_stream=ends)
        await self.flush()
        return number

    async def until(self, happened: object) -> None:
        """Read until `happened()`; the connection must not end before."""
        assert callable(happened)
        with trio.fail_after(30.0):
            while not happened():
                assert await self.read(), "the connection ended"

    async def read(self) -> bool:
        """Take what has come; False when the connection has ended."""
        got = await self.stream.receive_some()
        self.unread += got
        while len(self.unread) >= 9:
            frame, length = Frame.parse_frame_header(memoryview(self.unread[:9]))
            if len(self.unread) < 9 + length:
                break
            frame.parse_body(memoryview(self.unread[9 : 9 + length]))
            self.unread = self.unread[9 + length :]
            self._take(frame)
        return bool(got)

    def _take(self, frame: Frame) -> None:
        self.frames.append(frame)
        if isinstance(frame, HeadersFrame):
            self.status[frame.stream_id] = str(dict(self.decoder.decode(frame.data))[":status"])
        if isinstance(frame, HeadersFrame | DataFrame) and "END_STREAM" in frame.flags:
            self.ended.add(frame.stream_id)

    @property
    def goodbyes(self) -> list[int]:
        """The last streams that GOAWAY frames have named."""
        return [one.last_stream_id for one in self.frames if isinstance(one, GoAwayFrame)]


async def test_requests_under_way_are_answered_after_the_client_was_told(
    clock: MockClock,
) -> None:
    async with served() as server:
        server.app.may = trio.Event()
        client = await Client.connected(server)
        numbers = [await client.ask("/x"), await client.ask("/y")]
        await trio.testing.wait_all_tasks_blocked(0.01)
        server.ending.set()
        await client.until(lambda: client.goodbyes)
        # One that crossed with the word of the end.
        numbers.append(await client.ask("/z"))
        await trio.testing.wait_all_tasks_blocked(0.01)
        server.app.may.set()
        await client.until(lambda: client.ended >= set(numbers))
        assert client.status == dict.fromkeys(numbers, "200")
        assert client.goodbyes == [ANY_STREAM]
        await client.stream.aclose()
        await server.ended.wait()


async def test_what_takes_longer_is_answered_too_and_the_connection_ends_then(
    clock: MockClock,
) -> None:
    async with served() as server:
        server.app.may = trio.Event()
        client = await Client.connected(server)
        number = await client.ask("/x")
        await server.app.arrived.wait()
        server.ending.set()
        await client.until(lambda: client.goodbyes)
        clock.jump(6)
        await trio.testing.wait_all_tasks_blocked(0.01)
        server.app.may.set()
        await client.until(lambda: number in client.ended)
        clock.jump(6)
        with trio.fail_after(30.0):
            while await client.read():
                pass
        assert client.status == {number: "200"}
        assert client.goodbyes == [ANY_STREAM]
        await server.ended.wait()


async def test_an_idle_connection_is_told_and_closed(clock: MockClock) -> None:
    async with served() as server:
        client = await Client.connected(server)
        number = await client.ask("/x")
        await client.until(lambda: number in client.ended)
        server.ending.set()
        await client.until(lambda: client.goodbyes)
        clock.jump(6)
        with trio.fail_after(30.0):
            while await client.read():
                pass
        await server.ended.wait()


async def test_a_body_that_comes_after_the_answer_ends_its_connection_alone(
    clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with served() as server:
        client = await Client.connected(server)
        number = await client.ask("/x", ends=False)
        await client.until(lambda: number in client.ended)
        client.connection.send_data(number, b"late", end_stream=True)
        await client.flush()
        with trio.move_on_after(1.0):
            while await client.read():
                pass
        other = await Client.connected(server)
        number = await other.ask("/x")
        await other.until(lambda: number in other.ended)
        assert "a connection has ended in an unexpected error" in caplog.text
