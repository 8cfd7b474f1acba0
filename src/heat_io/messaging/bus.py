"""The bus as the rest of heat-trio sees it; one implementation in process, one on AMQP.

Arguments, results and failures pass through the JSON codec of heat_core.rpc in every
implementation, so that nothing works only inside one process.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import trio

from heat_core.rpc import RequestContext


@dataclass(frozen=True, slots=True)
class Target:
    """Where a message goes. `server` None: any one server of the topic; `fanout`: all of them."""

    topic: str
    server: str | None = None
    fanout: bool = False
    version: str = "1.0"


ENGINE = Target("engine", version="1.36")
ENGINE_WORKER = Target("engine_worker", version="1.9")
LISTENER_TOPIC = "heat-engine-listener"


@dataclass(frozen=True, slots=True)
class Cast:
    """A message that wants no answer."""

    target: Target
    method: str
    arguments: Mapping[str, Any]
    context: RequestContext


class Delivery(Protocol):
    """A message that has arrived.

    A call is acknowledged on receipt by the server itself. A cast to engine_worker is
    acknowledged by its handler, once what it asks for is safe in the database or dropped; a
    handler that ends without doing so has it acknowledged then (and one that is cancelled, not).
    An unacknowledged cast is given to another server of the topic, with the same unique id.
    """

    @property
    def method(self) -> str: ...
    @property
    def arguments(self) -> Mapping[str, Any]: ...
    @property
    def context(self) -> RequestContext: ...
    @property
    def unique_id(self) -> str: ...
    async def acknowledge(self) -> None: ...


type Handler = Callable[[Delivery], Awaitable[Any]]


class Bus(Protocol):
    """Send messages and serve topics."""

    async def call(
        self,
        target: Target,
        method: str,
        arguments: Mapping[str, Any],
        context: RequestContext,
        *,
        timeout_seconds: float | None = None,
    ) -> Any:
        """Return the server's result; raise its failure as the class it had there.

        Heat's classes come back as heat_core.errors, builtins as themselves, anything else as
        RemoteError; CallTimeout when no answer came in time.
        """
        ...

    async def cast(self, cast: Cast) -> None:
        """Return once the message is with the bus."""
        ...

    async def cast_many(self, casts: Sequence[Cast]) -> None:
        """One publish batch."""
        ...

    async def serve(
        self,
        topic: str,
        server: str,
        version: str,
        handlers: Mapping[str, Handler],
        *,
        concurrency: int = 64,
        stopping: trio.Event | None = None,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Take messages for (topic), (topic, server) and the topic's fanout until cancelled.

        Once `stopping` is set no more are taken, and this returns when the handlers have ended.

        Each message is handled in a task of the serving's own nursery, so that cancelling this
        stops its handlers too. At most `concurrency` messages of each of the three kinds are held
        at a time: a call until it is answered, a cast until it is acknowledged. Unknown methods
        and versions are answered with oslo.messaging's failures. `task_status.started()` once
        messages can no longer be missed.
        """
        ...
