"""Runs the core's procedures: answers each request from the real world.

A mutating request and the write of the id that it gave are one unit: it is shielded, so that a
cancel lands in polls, sleeps and reads, and it has a deadline of its own, so that a shield never
hangs. What a service refuses is thrown into the procedure.

An engine whose lease is over asks for no change (DESIGN: liveness). Once it has the lease again,
it makes sure that the row is still its own.
"""

from __future__ import annotations

import logging
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Any, Protocol

import trio

from heat_core.procedure import (
    All,
    CancelChild,
    CheckChild,
    ChildRequest,
    CreateChild,
    DeleteChild,
    Entropy,
    Evaluate,
    FindChild,
    Finished,
    HttpCall,
    LookAtChild,
    Pause,
    ProcedureRun,
    Request,
    ServiceError,
    Sleep,
    StoreCreated,
    StoreData,
    SurveyChild,
    UpdateChild,
)
from heat_io.drivers.lease import Lease, Unlimited
from heat_io.drivers.ports import Cloud, EntropySource
from heat_io.drivers.slots import Slot
from heat_io.patience import patiently
from heat_io.sandbox.evaluation import evaluate_in_thread

log = logging.getLogger(__name__)

UNIT_SECONDS = 120.0
CHANGING_CHILD = (CreateChild, UpdateChild, DeleteChild, CheckChild, CancelChild)
CHILD_REQUESTS = (*CHANGING_CHILD, FindChild, SurveyChild, LookAtChild)


class LockLost(Exception):
    """The row's lock was taken from us: what the procedure made must not stay unnoticed."""


class UnitTimedOut(Exception):
    """A shielded unit didn't end in time; nobody knows what became of its request."""


class RowStore(Protocol):
    """Writes of one claimed row; each raises LockLost when the claim doesn't hold any more.

    `settle` stores what was held back so far, if anything was: the procedure is about to wait.
    """

    async def created(self, request: StoreCreated) -> None: ...
    async def store(self, request: StoreData) -> None: ...
    async def check_held(self) -> None: ...
    async def settle(self) -> None: ...


class ChildStacks(Protocol):
    """The nested stack of one resource: answers the requests about it (heat_core.procedure)."""

    async def ask(self, request: ChildRequest) -> Any: ...


class NoRow:
    """For procedures that only look: finders, attributes."""

    async def created(self, request: StoreCreated) -> None:
        raise AssertionError("a procedure that only looks has made an object")

    async def store(self, request: StoreData) -> None:
        raise AssertionError("a procedure that only looks has stored data")

    async def check_held(self) -> None:
        await trio.lowlevel.checkpoint()

    async def settle(self) -> None:
        await trio.lowlevel.checkpoint()


@dataclass(frozen=True, slots=True)
class Session:
    """Whose resource, whose credentials, whose slot; how long to wait for services to come back.

    `patience_seconds` is for work that nobody waits for at the other end of a connection.
    """

    store: RowStore
    credentials: Any = None
    slot: Slot | None = None
    children: ChildStacks | None = None
    patience_seconds: float = 0.0


class ProcedureDriver:
    """Runs procedures one request at a time. Stateless between runs."""

    def __init__(self, cloud: Cloud, entropy: EntropySource, lease: Lease | None = None) -> None:
        self._cloud = cloud
        self._entropy = entropy
        self._lease = lease or Unlimited()

    async def run(self, procedure: Coroutine[Request, Any, Any], session: Session) -> Any:
        """Return what the procedure returns; raise what it raises, or LockLost."""
        run = ProcedureRun(procedure)
        try:
            step = run.start()
            while not isinstance(step, Finished):
                if _begins_unit(step):
                    if _changes_others(step):
                        await self._may_act(session)
                    step = await self._unit(run, step, session)
                else:
                    step = await self._answer(run, step, session)
        except BaseException:
            run.close()
            raise
        return step.value

    async def _unit(
        self, run: ProcedureRun, step: Request | Finished, session: Session
    ) -> Request | Finished:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + UNIT_SECONDS) as scope:
            while not isinstance(step, Finished) and _in_unit(step):
                step = await self._answer(run, step, session)
                if not self._lease.is_held() and _changes_others(step):
                    break
        if scope.cancelled_caught:
            raise UnitTimedOut(f"A request and its write took longer than {UNIT_SECONDS} s.")
        return step

    async def _may_act(self, session: Session) -> None:
        """Wait for the lease where it is over; LockLost when the row has another holder by then."""
        if self._lease.is_held():
            return
        log.warning("a request waits: this engine can't show that it lives")
        if session.slot is None:
            await self._lease.wait()
        else:
            async with session.slot.parked():
                await self._lease.wait()
        await session.store.check_held()

    async def _answer(
        self, run: ProcedureRun, request: Request, session: Session
    ) -> Request | Finished:
        try:
            answer = await patiently(
                lambda: self._ask(request, session),
                session.patience_seconds,
                pause=lambda seconds: self._wait(seconds, session),
            )
        except ServiceError as error:
            return run.throw(error)
        except Exception as error:
            if isinstance(request, (Evaluate, *CHILD_REQUESTS)):
                return run.throw(error)
            raise
        return run.answer(answer)

    async def _ask(self, request: Request, session: Session) -> Any:
        match request:
            case HttpCall():
                return await self._cloud.send(session.credentials, request)
            case StoreCreated():
                await self._stored(request, session)
            case StoreData():
                await session.store.store(request)
            case Pause(service, attempt, hint):
                await self._wait(self._cloud.poll_delay(service, attempt, hint), session)
            case Sleep(seconds):
                await self._wait(seconds, session)
            case Entropy(size):
                return self._entropy(size)
            case Evaluate(work):
                return await evaluate_in_thread(work)
            case All(branches):
                return await self._all(branches, session)
            case _:
                if session.children is None:
                    raise AssertionError(f"nobody answers {request!r} here")
                return await session.children.ask(request)
        return None

    async def _stored(self, request: StoreCreated, session: Session) -> None:
        try:
            await session.store.created(request)
        except LockLost:
            log.warning(
                "the lock of a row was lost while its object was made",
                extra={"fields": {"physical_id": request.physical_id}},
            )
            raise

    async def _wait(self, seconds: float, session: Session) -> None:
        if seconds <= 0:
            await trio.lowlevel.checkpoint()
            return
        await session.store.settle()
        if session.slot is None:
            await trio.sleep(seconds)
        else:
            async with session.slot.parked():
                await trio.sleep(seconds)

    async def _all(
        self, branches: tuple[Coroutine[Request, Any, Any], ...], session: Session
    ) -> tuple[Any, ...]:
        results: list[Any] = [None] * len(branches)
        errors: list[Exception] = []
        alone = replace(session, slot=None)

        async def run_branch(index: int, branch: Coroutine[Request, Any, Any]) -> None:
            try:
                results[index] = await self.run(branch, alone)
            except Exception as error:
                errors.append(error)

        async with trio.open_nursery() as nursery:
            for index, branch in enumerate(branches):
                nursery.start_soon(run_branch, index, branch)
        if errors:
            raise errors[0]
        return tuple(results)


def _begins_unit(request: Request) -> bool:
    return isinstance(request, (StoreCreated, StoreData)) or _changes_others(request)


def _changes_others(request: Request | Finished) -> bool:
    """Whether it asks a service or another stack to change something."""
    return isinstance(request, CHANGING_CHILD) or (
        isinstance(request, HttpCall) and request.mutating
    )


def _in_unit(request: Request) -> bool:
    return _begins_unit(request) or isinstance(request, Entropy)
