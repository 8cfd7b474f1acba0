from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from heat_app.config import ConfigurationProblem
from heat_app.web import asgi
from heat_app.web.asgi import LifespanApp
from heat_core.isolation import Job, isolated


class Lifespan:
    """A web server's side of the lifespan, and of requests beside it."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.said: list[Any] = []
        self._send, self._receive = trio.open_memory_channel[Any](2)
        self._answered = trio.Event()

    async def run(self) -> None:
        async def said(event: Any) -> None:
            self.said.append(event["type"])
            self._answered.set()

        await self.app({"type": "lifespan"}, self._receive.receive, said)

    async def tell(self, what: str) -> None:
        self._answered = trio.Event()
        await self._send.send({"type": f"lifespan.{what}"})
        await self._answered.wait()

    async def request(self) -> Any:
        answers: list[Any] = []

        async def send(event: Any) -> None:
            answers.append(event)

        async def receive() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        await self.app({"type": "http"}, receive, send)
        return answers


async def test_the_application_lives_as_long_as_the_lifespan() -> None:
    opened: list[str] = []

    async def answers(scope: Any, receive: Any, send: Any) -> None:
        await send({"opened": list(opened)})

    @asynccontextmanager
    async def opening() -> AsyncIterator[Any]:
        opened.append("open")
        yield answers
        opened.append("closed")

    server = Lifespan(LifespanApp(opening))
    with pytest.raises(RuntimeError, match="needs one"):
        await server.request()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.run)
        await server.tell("startup")
        assert server.said == ["lifespan.startup.complete"]
        assert await server.request() == [{"opened": ["open"]}]
        await server.tell("shutdown")
    assert server.said[-1] == "lifespan.shutdown.complete"
    assert opened == ["open", "closed"]
    with pytest.raises(RuntimeError):
        await server.request()


@pytest.mark.blocks_the_loop("the end of the sandbox's worker is waited for")
async def test_requests_have_the_sandbox_though_they_are_not_the_lifespans_tasks() -> None:
    def in_place(pattern: str, texts: list[str]) -> Any:
        raise AssertionError("there is no sandbox")

    async def matches(scope: Any, receive: Any, send: Any) -> None:
        arguments = (Job.MATCH, in_place, "^(a+)+$", ["aaa"])
        await send(await trio.to_thread.run_sync(isolated, *arguments))

    @asynccontextmanager
    async def opening() -> AsyncIterator[Any]:
        yield matches

    server = Lifespan(LifespanApp(opening))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.run)
        await server.tell("startup")
        assert await server.request() == [[3]]
        await server.tell("shutdown")


async def test_a_problem_at_the_start_is_told_to_the_server() -> None:
    @asynccontextmanager
    async def opening() -> AsyncIterator[Any]:
        raise ConfigurationProblem("nothing is set")
        yield

    server = Lifespan(LifespanApp(opening))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.run)
        await server.tell("startup")
    assert server.said == ["lifespan.startup.failed"]


def test_files_come_from_the_environment() -> None:
    environment = {"OS_HEAT_CONFIG_FILES": "/a.conf;/b.conf;", "OS_HEAT_CONFIG_DIR": "/d"}
    assert asgi._arguments(environment) == [
        "--config-file=/a.conf",
        "--config-file=/b.conf",
        "--config-dir=/d",
    ]
    assert asgi._arguments({}) == []


def test_hypercorns_command_line_says_what_is_wrong_with_the_configuration(tmp_path: Path) -> None:
    conf = tmp_path / "heat.conf"
    conf.write_text("[DEFAULT]\ntransport_url = kafka://x/\n")
    command = [sys.executable, "-m", "hypercorn", "--worker-class", "trio", "--bind", "127.0.0.1:0"]
    done = subprocess.run(
        [*command, "heat_app.native.asgi:app"],
        env=os.environ | {"OS_HEAT_CONFIG_FILES": str(conf)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "[keystone_authtoken]" in done.stderr or "RabbitMQ" in done.stderr
