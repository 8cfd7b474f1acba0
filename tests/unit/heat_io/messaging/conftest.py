"""One stage a kind of bus, for the tests that every kind must pass."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import pytest
import trio
import trio.testing

from heat_io.asyncio_loop import open_asyncio_loop
from heat_io.messaging import Bus, Handler, InProcessBus
from heat_io.messaging.amqp import AmqpBus
from tests.broker import NoBroker, VirtualHost, until, virtual_host
from tests.conftest import not_run


class Stage(Protocol):
    """A broker with nothing on it, and what a test must know of its speed."""

    short_seconds: float
    """enough for a call that is answered at once"""
    topic: str

    def open_bus(self, **options: Any) -> AbstractAsyncContextManager[Bus]:
        """A process on this broker."""
        ...

    async def settle(self) -> None:
        """Until everything that is on its way has arrived."""
        ...


class InProcessStage:
    """Everything in one bus, under a clock that jumps."""

    short_seconds = 1.0
    topic = "a_topic"

    def __init__(self) -> None:
        self._bus: InProcessBus | None = None

    @asynccontextmanager
    async def open_bus(self, *, call_timeout_seconds: float = 60.0) -> AsyncIterator[Bus]:
        if self._bus is None:
            self._bus = InProcessBus(call_timeout_seconds=call_timeout_seconds)
        yield self._bus

    async def settle(self) -> None:
        await trio.testing.wait_all_tasks_blocked()


class AmqpStage:
    """Real queues, which nobody else uses, and real time."""

    short_seconds = 0.4

    def __init__(self, place: VirtualHost) -> None:
        self._place = place
        self.topic = f"topic_{uuid.uuid4().hex[:8]}"

    @asynccontextmanager
    async def open_bus(self, **options: Any) -> AsyncIterator[Bus]:
        settings = self._place.settings(**options)
        async with open_asyncio_loop() as loop, AmqpBus.open(settings, loop=loop) as bus:
            yield bus

    async def settle(self) -> None:
        await trio.sleep(0.2)


@pytest.fixture(scope="session")
def place(amqp_url: str) -> Iterator[VirtualHost]:
    """A virtual host for this session's tests."""
    try:
        with virtual_host(amqp_url) as made:
            yield made
    except NoBroker as missing:
        not_run(str(missing))


@pytest.fixture(params=["in process", "amqp"])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def stage(transport: str, request: pytest.FixtureRequest) -> Stage:
    if transport == "amqp":
        return AmqpStage(request.getfixturevalue("place"))
    return InProcessStage()


@pytest.fixture
def clock(transport: str) -> trio.abc.Clock | None:
    """Named by every test of a stage: what waits in process costs no time."""
    return None if transport == "amqp" else trio.testing.MockClock(autojump_threshold=0)


type Serve = Callable[..., AbstractAsyncContextManager[None]]


@pytest.fixture
def serving() -> Serve:
    """serving(bus, target, {"method": handler}, ...): serves while the block runs."""

    @asynccontextmanager
    async def serve(
        bus: Bus, topic: str, server: str, handlers: Mapping[str, Handler], **options: Any
    ) -> AsyncIterator[None]:
        async with trio.open_nursery() as nursery:

            async def run(task_status: trio.TaskStatus[None]) -> None:
                await bus.serve(topic, server, "1.36", handlers, task_status=task_status, **options)

            await nursery.start(run)
            yield
            nursery.cancel_scope.cancel()

    return serve


class Seen[T](list[T]):
    """What handlers have noted; wait for as much as is expected."""

    async def until(self, count: int, seconds: float = 10.0) -> None:
        """Wait until `count` are here; fails when they don't come."""
        await until(lambda: len(self) >= count, seconds)


@pytest.fixture
def seen() -> Seen[Any]:
    return Seen()
