"""HttpClient over real sockets (what a cancelled request does to the pool) and over a stand-in."""

from __future__ import annotations

import json
import logging
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import httpx2
import pytest
import trio
import trio.lowlevel
from trio.testing import MockClock, wait_all_tasks_blocked

from heat_io.openstack.client import (
    MASK,
    AnswerLost,
    HttpClient,
    NoAnswer,
    NotSent,
    TlsOptions,
    masked_headers,
    shown_url,
)
from tests.certificates import Certificates


class Server:
    """An HTTP/1.1 server that answers {"path": ...}, /slow only once the gate is open."""

    def __init__(self) -> None:
        self.gate = trio.Event()
        self.seen: list[str] = []
        self.url = ""
        self._arrival = trio.Event()

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncIterator[Server]:
        server = cls()
        async with trio.open_nursery() as nursery:
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            server.url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}"
            nursery.start_soon(trio.serve_listeners, server.serve, listeners)
            yield server
            nursery.cancel_scope.cancel()

    async def arrived(self, count: int) -> None:
        with trio.fail_after(5):
            while len(self.seen) < count:
                await self._arrival.wait()

    async def serve(self, stream: trio.SocketStream) -> None:
        buffer = b""
        while True:
            while b"\r\n\r\n" not in buffer:
                try:
                    received = await stream.receive_some()
                except trio.BrokenResourceError:
                    return
                if not received:
                    return
                buffer += received
            head, buffer = buffer.split(b"\r\n\r\n", 1)
            length = 0
            for line in head.split(b"\r\n"):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            while len(buffer) < length:
                buffer += await stream.receive_some()
            buffer = buffer[length:]
            path = head.split(b" ")[1].decode()
            self.seen.append(path)
            self._arrival.set()
            self._arrival = trio.Event()
            if path.startswith("/hang-up"):
                return
            if path.startswith("/slow"):
                await self.gate.wait()
            body = json.dumps({"path": path}).encode()
            await stream.send_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Case: Kept\r\n"
                b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
            )


async def test_a_request_and_its_answer() -> None:
    async with Server.running() as server, HttpClient.open() as http:
        answer = await http.request("POST", server.url + "/x", body={"a": 1}, query=[("q", "v w")])
        assert (answer.status, answer.body) == (200, {"path": "/x?q=v+w"})
        assert answer.headers["x-case"] == "Kept", "names are in lower case"


async def test_cancelled_requests_leave_the_pool_in_order() -> None:
    async with Server.running() as server, HttpClient.open(max_connections=5) as http:
        for _ in range(3):
            # More requests than connections: some wait in the pool, some for the answer.
            async with trio.open_nursery() as nursery:
                for number in range(20):
                    nursery.start_soon(http.request, "GET", f"{server.url}/slow/{number}")
                await server.arrived(5)
                nursery.cancel_scope.cancel()
            server.seen.clear()
        answers = []

        async def ask(number: int) -> None:
            answer = await http.request("GET", f"{server.url}/fast/{number}")
            answers.append(answer.body["path"])

        with trio.fail_after(5):
            async with trio.open_nursery() as nursery:
                for number in range(20):
                    nursery.start_soon(ask, number)
        assert sorted(answers) == sorted(f"/fast/{number}" for number in range(20))


async def test_one_cancelled_request_does_not_disturb_its_neighbours() -> None:
    async with Server.running() as server, HttpClient.open() as http:
        paths: list[str] = []
        doomed = trio.CancelScope()

        async def ask(path: str, scope: trio.CancelScope) -> None:
            with scope:
                paths.append((await http.request("GET", server.url + path)).body["path"])

        with trio.fail_after(5):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(ask, "/slow/1", trio.CancelScope())
                nursery.start_soon(ask, "/slow/2", doomed)
                nursery.start_soon(ask, "/slow/3", trio.CancelScope())
                await server.arrived(3)
                doomed.cancel()
                await trio.lowlevel.checkpoint()
                server.gate.set()
        assert sorted(paths) == ["/slow/1", "/slow/3"]


async def test_a_refused_connection_was_not_sent() -> None:
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}/x"
    await listeners[0].aclose()
    async with HttpClient.open() as http:
        with pytest.raises(NotSent) as failure:
            await http.request("POST", url + "?secret=1", body={})
    assert (failure.value.sent, failure.value.timed_out, failure.value.url) == (False, False, url)


async def test_a_connection_that_breaks_after_sending_lost_the_answer() -> None:
    async with Server.running() as server, HttpClient.open() as http:
        with pytest.raises(AnswerLost) as failure:
            await http.request("POST", server.url + "/hang-up", body={})
        assert failure.value.sent is True
        assert (await http.request("GET", server.url + "/after")).status == 200


async def test_the_deadline_tells_sent_from_not_sent(mock_clock: MockClock) -> None:
    async with Server.running() as server, HttpClient.open(max_connections=1) as http:
        outcomes: dict[str, NoAnswer] = {}

        async def ask(path: str) -> None:
            with pytest.raises(NoAnswer) as failure:
                await http.request("GET", server.url + path)
            outcomes[path] = failure.value

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, "/slow/sent")
            await server.arrived(1)
            nursery.start_soon(ask, "/slow/waits-for-a-connection")
            await wait_all_tasks_blocked()
            mock_clock.jump(60)
        assert {path: (type(o), o.timed_out) for path, o in outcomes.items()} == {
            "/slow/sent": (AnswerLost, True),
            "/slow/waits-for-a-connection": (NotSent, True),
        }
        assert server.seen == ["/slow/sent"]


async def test_a_deadline_is_no_cancellation_of_the_caller(autojump_clock: MockClock) -> None:
    async def never(request: httpx2.Request) -> httpx2.Response:
        await trio.sleep_forever()
        raise AssertionError

    async with HttpClient.open(transport=httpx2.MockTransport(never)) as http:
        started = trio.current_time()
        with pytest.raises(NoAnswer, match=r"no answer from http://x/y: no answer within 60 s"):
            await http.request("GET", "http://x/y")
        assert trio.current_time() - started == pytest.approx(60)
        with trio.move_on_after(1) as scope:
            await http.request("GET", "http://x/y")
        assert scope.cancelled_caught


@pytest.mark.parametrize(
    ("content", "content_type", "body"),
    [
        (b'{"a": 1}', "application/json", {"a": 1}),
        (b'{"a": 1}', "application/json; charset=utf-8", {"a": 1}),
        (b'{"a": 1}', "application/openstack-x-v1.1+json", {"a": 1}),
        (b"not json", "application/json", "not json"),
        (b"<p>no</p>", "text/html", "<p>no</p>"),
        (b"", "application/json", None),
        (b"7", "text/plain", "7"),
    ],
)
async def test_bodies_are_decoded_by_their_type(
    content: bytes, content_type: str, body: object
) -> None:
    def respond(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, content=content, headers={"content-type": content_type})

    async with HttpClient.open(transport=httpx2.MockTransport(respond)) as http:
        assert (await http.request("GET", "http://x/")).body == body


async def test_redirects_are_answers() -> None:
    def respond(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(302, headers={"location": "http://elsewhere/"})

    async with HttpClient.open(transport=httpx2.MockTransport(respond)) as http:
        answer = await http.request("GET", "http://x/")
        assert (answer.status, answer.headers["location"]) == (302, "http://elsewhere/")


async def test_what_is_sent() -> None:
    sent: list[httpx2.Request] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return httpx2.Response(204)

    async with HttpClient.open(transport=httpx2.MockTransport(respond)) as http:
        await http.request("POST", "http://x/", body={"ä": [1]}, headers={"X-Auth-Token": "t"})
        await http.request("PUT", "http://x/", body=b"raw")
        await http.request("GET", "http://x/")
    assert json.loads(sent[0].content) == {"ä": [1]}
    assert sent[0].headers["content-type"] == "application/json"
    assert sent[0].headers["accept"] == "application/json"
    assert sent[0].headers["x-auth-token"] == "t"
    assert (sent[1].content, sent[2].content) == (b"raw", b"")


async def test_logs_hold_neither_tokens_nor_bodies_nor_queries(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)

    def respond(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/fail":
            raise httpx2.ReadError("broken")
        return httpx2.Response(200, json={"p": "hush"}, headers={"X-Subject-Token": "hush"})

    async with HttpClient.open(transport=httpx2.MockTransport(respond)) as http:
        for path in ("/x", "/fail"):
            url = f"http://user:hush@x{path}?sig=hush#hush"
            outcome: object
            try:
                outcome = await http.request(
                    "POST", url, body={"password": "hush"}, headers={"X-Auth-Token": "hush"}
                )
            except AnswerLost as error:
                outcome = str(error)
            assert ("hush" in repr(outcome)) is (path == "/x"), "the answer itself is whole"
    assert len(caplog.records) == 2
    for record in caplog.records:
        assert "hush" not in repr(record.__dict__), record
        assert record.__dict__["fields"]["url"].startswith("http://x/")


async def test_the_library_itself_may_not_log_headers(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("httpcore2").setLevel(logging.NOTSET)
    caplog.set_level(logging.DEBUG)
    async with Server.running() as server, HttpClient.open() as http:
        await http.request("GET", server.url + "/x?k=hush", headers={"X-Auth-Token": "hush"})
    assert "hush" not in repr([record.__dict__ for record in caplog.records])


def test_masks() -> None:
    assert masked_headers({"X-Auth-Token": "a", "X-SUBJECT-TOKEN": "b", "Accept": "c"}) == {
        "X-Auth-Token": MASK,
        "X-SUBJECT-TOKEN": MASK,
        "Accept": "c",
    }
    assert shown_url("https://u:p@host:1/a/b?c=d#e") == "https://host:1/a/b"


async def test_an_own_authority_can_be_named_and_must_exist() -> None:
    with pytest.raises(FileNotFoundError):
        async with HttpClient.open(tls=TlsOptions(ca_file="/nowhere/ca.pem")):
            pass
    async with HttpClient.open(tls=TlsOptions(insecure=True)):
        await wait_all_tasks_blocked()


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.made(tmp_path_factory.mktemp("certificates"))


async def _answer(stream: trio.SSLStream[trio.SocketStream]) -> None:
    with suppress(trio.BrokenResourceError):
        await stream.receive_some(65536)
        await stream.send_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


@pytest.mark.blocks_the_loop("handshakes compute")
async def test_tls_by_the_options(certificates: Certificates) -> None:
    """A server that wants a certificate, under an authority that nobody else knows."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=certificates.ca)
    context.load_cert_chain(certificates.cert, certificates.key)
    context.verify_mode = ssl.CERT_REQUIRED
    ca, cert, key = map(str, (certificates.ca, certificates.cert, certificates.key))
    async with trio.open_nursery() as nursery:
        serve = partial(trio.serve_ssl_over_tcp, _answer, 0, context, host="127.0.0.1")
        (listener,) = await nursery.start(serve)
        port = listener.transport_listener.socket.getsockname()[1]

        async def status(tls: TlsOptions) -> int:
            async with HttpClient.open(tls=tls) as http:
                return (await http.request("GET", f"https://127.0.0.1:{port}/")).status

        assert await status(TlsOptions(ca, cert, key)) == 200
        assert await status(TlsOptions(None, cert, key, insecure=True)) == 200
        with pytest.raises(NotSent, match="certificate verify failed"):
            await status(TlsOptions(None, cert, key))
        with pytest.raises(NoAnswer):
            await status(TlsOptions(ca))
        nursery.cancel_scope.cancel()


def test_files_that_cannot_be_used(certificates: Certificates) -> None:
    assert TlsOptions().verification() is True
    with pytest.raises(OSError, match="PEM"):
        TlsOptions(str(certificates.ca), str(certificates.ca), str(certificates.ca)).verification()
