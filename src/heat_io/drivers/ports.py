"""What the drivers need from outside, as small protocols; the simulator has its own of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

import trio
from sqlalchemy import Connection

from heat_core.procedure import HttpAnswer, HttpCall
from heat_core.rpc import RequestContext
from heat_core.stack.ids import EngineId, StackId
from heat_core.stack.records import EventRecord, StackRecord

type Now = Callable[[], datetime]
"""the wall clock: naive UTC, as the database stores it"""

type NewUuid = Callable[[], str]
type EntropySource = Callable[[int], bytes]


class Cloud(Protocol):
    """The services of the catalog."""

    async def send(self, credentials: Any, call: HttpCall) -> HttpAnswer:
        """The service's answer; ServiceError for one of 400 and above that `call` didn't expect."""
        ...

    def poll_delay(self, service: str | None, attempt: int, hint_seconds: float | None) -> float:
        """Seconds to wait before the next look."""
        ...


class CredentialsSource(Protocol):
    """Who acts on a stack's behalf when no user's request is there any more."""

    async def for_stack(self, stack: StackRecord, context: RequestContext | None = None) -> Any:
        """Credentials for Cloud.send, from the root stack's stored ones.

        Where these are of no use those of `context` serve, who asked, as long as their token does.
        """
        ...

    async def create_project(self, context: RequestContext, stack_id: StackId) -> str | None:
        """The id of the stack's own project, which may be there already; None: it has none.

        Raises HeatException when it can't be made.
        """
        ...

    async def context_for(self, stack: StackRecord, context: RequestContext) -> RequestContext:
        """`context` with what it takes to act on the stack's behalf, for any engine.

        Raises HeatException when nothing is stored to act with, ServiceError when nobody can say
        now what that may do.
        """
        ...

    async def prepare_removal(self, stack: StackRecord) -> None:
        """Find out what `remove` will need, to have it at hand; what fails is left for then."""
        ...

    async def remove(self, stack: StackRecord) -> None:
        """Remove trust, stored credentials and stack project of a deleted stack."""
        ...


class EventListener(Protocol):
    """Hears of the events that are stored. Nothing waits for what it does with them."""

    def stored(self, event: EventRecord, stack: StackRecord, context: RequestContext) -> None:
        """An event is durable; `stack` is as it was with it, `context` who asked for it."""
        ...

    async def caught_up(self, stack: StackRecord) -> None:
        """What needs the stack's credentials is done, or has had its few seconds."""
        ...


class Liveness(Protocol):
    """Which engines are alive."""

    async def is_dead(self, engine_id: EngineId) -> bool:
        """True only when the engine can't be acting on what it holds."""
        ...

    def is_still_dead(self, connection: Connection, engine_id: EngineId) -> bool:
        """Whether nothing has been seen of the engine since is_dead said that it is dead.

        For the transaction that takes something from it: the engine may have come back since.
        """
        ...


class NobodyListens:
    """For an engine that tells nobody."""

    def stored(self, event: EventRecord, stack: StackRecord, context: RequestContext) -> None:
        pass

    async def caught_up(self, stack: StackRecord) -> None:
        await trio.lowlevel.checkpoint()


class NoCloud:
    """For an engine whose types need no service."""

    async def send(self, credentials: Any, call: HttpCall) -> HttpAnswer:
        raise AssertionError(f"no service is configured for {call.method} {call.path}")

    def poll_delay(self, service: str | None, attempt: int, hint_seconds: float | None) -> float:
        return hint_seconds if hint_seconds is not None else min(0.2 * 1.5**attempt, 5.0)


class NoStoredCredentials:
    """For an engine whose stacks have none."""

    async def for_stack(self, stack: StackRecord, context: RequestContext | None = None) -> Any:
        await trio.lowlevel.checkpoint()

    async def context_for(self, stack: StackRecord, context: RequestContext) -> RequestContext:
        await trio.lowlevel.checkpoint()
        return replace(
            context, project_id=stack.tenant, username=context.username or stack.username
        )

    async def create_project(self, context: RequestContext, stack_id: StackId) -> str | None:
        await trio.lowlevel.checkpoint()
        return None

    async def prepare_removal(self, stack: StackRecord) -> None:
        await trio.lowlevel.checkpoint()

    async def remove(self, stack: StackRecord) -> None:
        await trio.lowlevel.checkpoint()


class OnlyEngine:
    """Liveness where no other engine can be running on the same database."""

    def __init__(self, engine_id: EngineId) -> None:
        self._engine_id = engine_id

    async def is_dead(self, engine_id: EngineId) -> bool:
        return engine_id != self._engine_id

    def is_still_dead(self, connection: Connection, engine_id: EngineId) -> bool:
        return True
