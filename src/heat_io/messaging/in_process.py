"""The bus within one process: Trio memory channels in place of a broker.

It keeps a broker's promises and no more. Everything passes through the wire codec. Messages for a
topic wait until somebody serves it; messages for a server that never came are lost, as they are
on a broker without such a queue. A cast is given back when its server is cancelled before it was
acknowledged; a call never is. What a server has had, it drops.

A router stands between sender and receivers and decides when, how often and whether a message
arrives. The default delivers at once; the simulator's reorders, repeats, delays and loses.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import trio

from heat_core.rpc import CallTimeout, Reply, Request, RequestContext, seal, unseal
from heat_io.messaging.bus import Cast, Handler, Target
from heat_io.messaging.serving import (
    ReceivedRequest,
    RecentIds,
    answer_call,
    find_handler,
    handle_cast,
)

DEFAULT_CALL_TIMEOUT_SECONDS = 60.0
DUPLICATE_WINDOW = 1024


@dataclass(frozen=True, slots=True)
class Posted:
    """One message between sender and receiver. `target` None: it is the reply to a call.

    `body` is the sealed text, `expires_at` the Trio time after which nobody waits for it,
    `method` and `unique_id` what a router may want to know without unsealing it.
    """

    target: Target | None
    method: str
    unique_id: str
    body: str
    is_call: bool = False
    expires_at: float = math.inf


type Deliver = Callable[[Posted], None]
"""Puts a message where it belongs, now; may be called any number of times, at any time."""

type Router = Callable[[Posted, Deliver], None]


def deliver_at_once(message: Posted, deliver: Deliver) -> None:
    """The router of a broker that never misbehaves."""
    deliver(message)


@dataclass(slots=True)
class _Queue:
    """A memory channel without bound: a sender never waits, as on a broker."""

    send: trio.MemorySendChannel[Posted] = field(init=False)
    receive: trio.MemoryReceiveChannel[Posted] = field(init=False)

    def __post_init__(self) -> None:
        self.send, self.receive = trio.open_memory_channel[Posted](math.inf)


@dataclass(slots=True)
class _Waiter:
    arrived: trio.Event = field(default_factory=trio.Event)
    reply: Reply | None = None


class InProcessBus:
    """A Bus for one process. `new_id` makes unique ids, 32 hex digits each.

    It starts no task of its own: everything runs in the tasks that call or serve.
    """

    def __init__(
        self,
        *,
        router: Router = deliver_at_once,
        new_id: Callable[[], str] | None = None,
        call_timeout_seconds: float = DEFAULT_CALL_TIMEOUT_SECONDS,
        duplicate_window: int = DUPLICATE_WINDOW,
    ) -> None:
        self._router = router
        self._new_id = new_id or (lambda: uuid4().hex)
        self._call_timeout_seconds = call_timeout_seconds
        self._duplicate_window = duplicate_window
        self._topics: defaultdict[str, _Queue] = defaultdict(_Queue)
        self._servers: dict[tuple[str, str], _Queue] = {}
        self._fanouts: defaultdict[str, list[_Queue]] = defaultdict(list)
        self._waiters: dict[str, _Waiter] = {}

    # --- the sender's side -------------------------------------------------------------------

    async def call(
        self,
        target: Target,
        method: str,
        arguments: Mapping[str, Any],
        context: RequestContext,
        *,
        timeout_seconds: float | None = None,
    ) -> Any:
        """Send a call and wait for its answer; see Bus.call."""
        limit = self._call_timeout_seconds if timeout_seconds is None else timeout_seconds
        message_id = self._new_id()
        waiter = self._waiters[message_id] = _Waiter()
        try:
            with trio.move_on_after(limit):
                expires_at = trio.current_time() + limit
                self._post(target, method, arguments, context, message_id, expires_at)
                await waiter.arrived.wait()
        finally:
            del self._waiters[message_id]
        if waiter.reply is None:
            raise CallTimeout(f"Timed out waiting for a reply to message ID {message_id}")
        return waiter.reply.value()

    async def cast(self, cast: Cast) -> None:
        """Send a cast."""
        await self.cast_many([cast])

    async def cast_many(self, casts: Sequence[Cast]) -> None:
        """Send casts: all of them, or none when cancelled before."""
        await trio.lowlevel.checkpoint()
        for cast in casts:
            self._post(cast.target, cast.method, cast.arguments, cast.context)

    def _post(
        self,
        target: Target,
        method: str,
        arguments: Mapping[str, Any],
        context: RequestContext,
        message_id: str | None = None,
        expires_at: float = math.inf,
    ) -> None:
        request = Request(
            method=method,
            arguments=arguments,
            context=context,
            unique_id=self._new_id(),
            version=target.version,
            message_id=message_id,
            reply_queue=None if message_id is None else "in-process",
        )
        body = seal(request.to_payload())
        message = Posted(
            target, method, request.unique_id, body, message_id is not None, expires_at
        )
        self._router(message, self.deliver)

    def deliver(self, message: Posted) -> None:
        """Put a message where it belongs, past the router: for one that held it back."""
        if message.target is None:
            self._deliver_reply(message)
            return
        for queue in self._queues_of(message.target):
            queue.send.send_nowait(message)

    def _queues_of(self, target: Target) -> Sequence[_Queue]:
        if target.fanout:
            return self._fanouts[target.topic]
        if target.server is None:
            return [self._topics[target.topic]]
        queue = self._servers.get((target.topic, target.server))
        return [] if queue is None else [queue]

    def _deliver_reply(self, message: Posted) -> None:
        reply = Reply.from_payload(unseal(message.body))
        waiter = self._waiters.get(reply.message_id)
        if waiter is not None:  # else the caller has given up
            waiter.reply = reply
            waiter.arrived.set()

    # --- the server's side -------------------------------------------------------------------

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
        """Serve a topic until cancelled; see Bus.serve."""
        own = self._servers.setdefault((topic, server), _Queue())
        fanout = _Queue()
        self._fanouts[topic].append(fanout)
        recent = RecentIds(self._duplicate_window)

        def handler_of(request: Request) -> Handler:
            return find_handler(request, version, handlers)

        try:
            async with trio.open_nursery() as handling, trio.open_nursery() as taking:
                for queue in (self._topics[topic], own, fanout):
                    slots = trio.Semaphore(concurrency)
                    consumer = _Consumer(self, queue, slots, recent, handler_of, handling)
                    taking.start_soon(consumer.run)
                task_status.started()
                if stopping is None:
                    await trio.sleep_forever()
                await stopping.wait()
                taking.cancel_scope.cancel()
        finally:
            self._fanouts[topic].remove(fanout)

    def reply(self, body: str, method: str, unique_id: str) -> None:
        """Send a sealed answer back to its caller."""
        self._router(Posted(None, method, unique_id, body), self.deliver)

    def new_id(self) -> str:
        """A fresh unique id."""
        return self._new_id()


@dataclass(slots=True)
class _Consumer:
    """Takes the messages of one queue, each into a task of its own, a bounded number at once."""

    bus: InProcessBus
    queue: _Queue
    slots: trio.Semaphore
    recent: RecentIds
    handler_of: Callable[[Request], Handler]
    nursery: trio.Nursery

    async def run(self) -> None:
        while True:
            await self.slots.acquire()
            message = await self.queue.receive.receive()
            if trio.current_time() > message.expires_at or self.recent.seen(message.unique_id):
                self.slots.release()
                continue
            self.nursery.start_soon(self._handle, message, name=f"message {message.method}")

    async def _handle(self, message: Posted) -> None:
        request = Request.from_payload(unseal(message.body))

        async def acknowledge() -> None:
            if not request.is_call:
                self.slots.release()

        delivery = ReceivedRequest(request, acknowledge)
        try:
            if request.is_call:
                reply_id = self.bus.new_id()
                body = await answer_call(delivery, request, self.handler_of, reply_id)
                self.bus.reply(body, request.method, reply_id)
            else:
                await handle_cast(delivery, request, self.handler_of)
        finally:
            if request.is_call:
                self.slots.release()
            elif not delivery.acknowledged:
                # Cancelled with the serving itself: another server of the topic shall have it.
                self.queue.send.send_nowait(message)
