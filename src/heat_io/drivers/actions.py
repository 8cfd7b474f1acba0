"""The procedures of one claimed resource: create, update, delete, and what a crash left behind."""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import trio

from heat_core.convergence.evaluation import Plan, view_of
from heat_core.convergence.node_events import Outcome, ProcedureFinished, RunProcedure
from heat_core.errors import Error, HeatException, ResourceInError, UpdateReplace
from heat_core.procedure import (
    Datum,
    ProcedureIO,
    Request,
    ServiceError,
    StoreCreated,
    StoreData,
)
from heat_core.resources import Change, ResourceType, prepare_create, resource_failure
from heat_core.rpc import RequestContext
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import Database, DatabaseFailure, resources
from heat_io.database.lanes import LanesClosed
from heat_io.drivers.children import ChildParts, Children
from heat_io.drivers.claimed_row import CUT_OFF_SECONDS, SEARCH_OWED, ClaimedRow, Discard
from heat_io.drivers.node_reading import is_local
from heat_io.drivers.node_rows import holds_as
from heat_io.drivers.node_store import NodeWrites
from heat_io.drivers.procedure_driver import (
    LockLost,
    ProcedureDriver,
    Session,
    UnitTimedOut,
)
from heat_io.drivers.slots import Slot
from heat_io.patience import PATIENCE_SECONDS

log = logging.getLogger(__name__)

IO = ProcedureIO()
REMOVE_STRAY_SECONDS = 120.0
HEIR_SECONDS = 60.0
"""how long the next holder of a row may take to find what was made for it"""
LOOK_AGAIN_SECONDS = 1.0


def may_retry(error: Exception) -> bool:
    """Whether another attempt may succeed where this one failed (rules/g-events-status.md#25)."""
    return isinstance(error, ResourceInError) or (
        isinstance(error, ServiceError) and error.conflict
    )


async def pause(attempt: int) -> None:
    """The pause before attempt number `attempt` (from 1): 2^n seconds and up to two more."""
    jitter = int.from_bytes(await IO.entropy(4)) / 2**31
    await IO.sleep(2.0**attempt + jitter)


@contextmanager
def _unbroken() -> Iterator[None]:
    """Look for what may have been made, whoever cancels, but not for ever: UnitTimedOut.

    Who gave up quietly would make the object once more, or forget it.
    """
    deadline = trio.current_time() + REMOVE_STRAY_SECONDS
    with trio.CancelScope(shield=True, deadline=deadline) as scope:
        yield
    if scope.cancelled_caught:
        raise UnitTimedOut(f"Nothing was found out within {REMOVE_STRAY_SECONDS} s.")


def may_have_made(row: ResourceRecord, plan: Plan) -> bool:
    """Whether a cut action of the row may have made an object that a search would find."""
    return (
        row.action is Action.CREATE
        and row.status is Status.IN_PROGRESS
        and row.physical_id is None
        and plan.resource_class.can_find
    )


class Actions:
    """Runs what a RunProcedure effect asks for and says how it ended."""

    def __init__(
        self,
        database: Database,
        writes: NodeWrites,
        procedures: ProcedureDriver,
        retry_limit: int,
        children: ChildParts,
        *,
        goes_on: bool = True,
    ) -> None:
        """`goes_on`: what is cut is gone on with later (resume)."""
        self._goes_on = goes_on
        self._children = children
        self._database = database
        self._writes = writes
        self._procedures = procedures
        self._retry_limit = retry_limit

    async def run(
        self,
        effect: RunProcedure,
        stack: StackRecord,
        own_plan: Plan,
        credentials: Any,
        slot: Slot | None,
        context: RequestContext,
    ) -> tuple[ProcedureFinished, ClaimedRow]:
        """Run to the end; the row comes back with the ids and data of what was done.

        What it owes is to be stored with the outcome. `own_plan` is the plan of the action, or, for
        settling, of the definition that the row was made from.
        """
        claimed = ClaimedRow(
            self._database,
            self._writes,
            stack.id,
            effect.row,
            holds_back=is_local(own_plan.resource_class),
        )
        children = Children(self._children, stack, effect.row, own_plan, context)
        session = Session(claimed, credentials, slot, children, PATIENCE_SECONDS)
        job = _Job(self._procedures, stack, own_plan, claimed, session, self._retry_limit)
        try:
            finished = await job.run(effect)
        except LockLost:
            await self._remove_stray(job)
            finished = ProcedureFinished(Outcome.LOCK_LOST)
        except (DatabaseFailure, LanesClosed) as error:
            # The database's trouble is none of the resource's: what is stored is gone on with.
            if self._goes_on:
                raise
            if may_have_made(claimed.row, own_plan):
                await claimed.owe_search()
            failure = resource_failure(error, claimed.row.name)
            finished = ProcedureFinished(Outcome.FAILED, str(failure))
        return finished, claimed

    async def owe_search(
        self, effect: RunProcedure, stack: StackRecord, own_plan: Plan
    ) -> ResourceRecord:
        """Note on the row of a cut create, if it is one, that nobody could look for its object."""
        claimed = ClaimedRow(self._database, self._writes, stack.id, effect.row)
        if effect.resume and may_have_made(effect.row, own_plan):
            with suppress(LockLost):
                await claimed.owe_search()
        return claimed.row

    async def cut_off(
        self,
        effect: RunProcedure,
        stack: StackRecord,
        own_plan: Plan,
        credentials: Any,
        context: RequestContext,
    ) -> None:
        """Let the type stop what its cut off create or update has begun elsewhere."""
        if effect.action not in (Action.CREATE, Action.UPDATE):
            return
        with trio.CancelScope(shield=True, deadline=trio.current_time() + CUT_OFF_SECONDS):
            row = await self._database.read(
                lambda connection: resources.fetch(connection, effect.row.id)
            )
            if row is None or not holds_as(row, effect.row):
                return
            cls = own_plan.resource_class
            children = Children(self._children, stack, row, own_plan, context)
            session = Session(
                Discard(), credentials, children=children, patience_seconds=PATIENCE_SECONDS
            )
            try:
                await self._procedures.run(cls(view_of(row, stack, cls)).cut_off(IO), session)
            except Exception:
                log.exception(
                    "what a cut off action has begun could not be stopped",
                    extra={"fields": {"resource": row.name}},
                )

    async def _remove_stray(self, job: _Job) -> None:
        """Remove an object that nobody knows of: its row went to another holder meanwhile.

        Unless that one has looked for what a cut create made, and found it.
        """
        physical_id = job.claimed.stray
        if physical_id is None:
            return
        with trio.CancelScope(shield=True, deadline=trio.current_time() + REMOVE_STRAY_SECONDS):
            try:
                if not job.can_find or not await self._is_found(job.claimed.row, physical_id):
                    await job.remove_stray(physical_id)
            except Exception:
                log.exception(
                    "a stray object could not be removed",
                    extra={"fields": {"physical_id": physical_id}},
                )

    async def _is_found(self, row: ResourceRecord, physical_id: str) -> bool:
        """Whether the row names the object by now; waits for a holder that may be looking."""
        give_up_at = trio.current_time() + HEIR_SECONDS
        while True:
            current = await self._database.read(
                lambda connection: resources.fetch(connection, row.id)
            )
            if current is None:
                return False
            if current.physical_id is not None:
                return current.physical_id == physical_id
            is_looking = current.engine_id is not None and current.status is Status.IN_PROGRESS
            if not is_looking or trio.current_time() >= give_up_at:
                return False
            await trio.sleep(LOOK_AGAIN_SECONDS)


class _Job:
    """One action of one resource."""

    def __init__(
        self,
        procedures: ProcedureDriver,
        stack: StackRecord,
        plan: Plan,
        claimed: ClaimedRow,
        session: Session,
        retry_limit: int,
    ) -> None:
        self._retry_limit = retry_limit
        self._procedures = procedures
        self._stack = stack
        self._plan = plan
        self.claimed = claimed
        self._session = session

    async def run(self, effect: RunProcedure) -> ProcedureFinished:
        try:
            if effect.makes_room:
                await self._make_room()
                return ProcedureFinished(Outcome.DONE)
            match effect.action:
                case Action.CREATE:
                    if not await self._create(effect.resume):
                        return ProcedureFinished(Outcome.UNRESUMABLE)
                case Action.UPDATE:
                    replace_reason = await self._update()
                    if replace_reason is not None:
                        return ProcedureFinished(Outcome.REPLACE, replace_reason)
                case Action.DELETE:
                    await self._delete()
                case Action.CHECK:
                    await self._check()
                case Action.INIT:
                    await self._settle()
                case _:
                    raise AssertionError(f"no procedure for {effect.action} yet")
        except (LockLost, DatabaseFailure, LanesClosed):
            raise
        except Exception as error:
            if effect.action is not Action.DELETE:
                log.info("a resource action failed", exc_info=not isinstance(error, ServiceError))
            failure = resource_failure(error, self.claimed.row.name)
            await self.claimed.settle()
            return ProcedureFinished(Outcome.FAILED, str(failure), may_retry(error))
        return ProcedureFinished(Outcome.DONE)

    def _instance(self) -> ResourceType:
        """A fresh instance sees what has been stored so far."""
        cls = self._plan.resource_class
        return cls(view_of(self.claimed.row, self._stack, cls))

    async def _step(self, procedure: Coroutine[Request, Any, Any]) -> Any:
        return await self._procedures.run(procedure, self._session)

    async def _create(self, resume: bool) -> bool:
        """False: it was cut before its id was stored, and the type can't tell what it made."""
        instance = self._instance()
        props = self._plan.props
        if props is None:
            raise AssertionError("a create needs the values that its evaluation gave")
        cut = resume or self._owes_search
        if self.claimed.row.physical_id is None and cut and not instance.create_repeatable:
            if not instance.can_find:
                return False
            await self._adopt_found(props)
        if self.claimed.row.physical_id is None or not cut or instance.create_repeatable:
            await self._start_create(props)
        await self._step(self._instance().finish_create(IO))
        return True

    async def _start_create(self, props: Mapping[str, Any]) -> None:
        """Start, and look for the object when the answer got lost: it may have been made.

        A connection that broke says that the service went away: what it has not made by the time
        it is back and finds nothing, it will not make, so it is asked once more.
        """
        attempt = 0
        while True:
            instance = self._instance()
            try:
                await self._step(instance.start_create(IO, props))
                return
            except (ServiceError, UnitTimedOut) as error:
                broke = isinstance(error, ServiceError) and error.lost
                maybe_done = isinstance(error, UnitTimedOut) or error.maybe_done
                stored = self.claimed.row.physical_id is not None
                if not maybe_done or not instance.can_find or stored:
                    raise
                attempt += 1
                if broke:
                    await self._pause_before_search(attempt)
                await self._adopt_found(props)
                if self.claimed.row.physical_id is not None:
                    return
                if not broke or attempt > self._retry_limit:
                    raise

    async def _pause_before_search(self, attempt: int) -> None:
        """Give the service time to come back; who is cut off meanwhile owes the search."""
        try:
            await self._step(pause(attempt))
        except trio.Cancelled:
            with suppress(LockLost):
                await self.claimed.owe_search()
            raise

    async def _adopt_found(self, props: Mapping[str, Any]) -> None:
        """Store the id of the object that a cut create made, if it made one.

        Raises what the search raises; then the search is owed: the row remembers that until a later
        one is answered, so that a delete doesn't leave the object behind.
        """
        try:
            with _unbroken():
                found = await self._step(self._instance().find(IO, props))
                done = (Datum(SEARCH_OWED, None),) if self._owes_search else ()
                if found is not None:
                    await self.claimed.created(StoreCreated(found, done))
                elif done:
                    await self.claimed.store(StoreData(done))
        except (ServiceError, UnitTimedOut):
            await self.claimed.owe_search()
            raise

    @property
    def _owes_search(self) -> bool:
        return self.claimed.row.physical_id is None and SEARCH_OWED in self.claimed.row.data

    async def _look_for_what_was_made(self) -> None:
        """Find what an earlier create made of its properties; ServiceError, UnitTimedOut.

        Properties that are not valid any more made nothing that a search could find.
        """
        properties = self.claimed.row.properties or {}
        try:
            props = await self._step(prepare_create(IO, self._plan.resource_class, properties))
        except ServiceError:
            await self.claimed.owe_search()
            raise
        except HeatException as error:
            log.info("what a cut create may have made can't be looked for", exc_info=error)
            return
        await self._adopt_found(props)

    async def _update(self) -> str | None:
        """The reason when the update ends in a replacement (rules/h-updates.md#15)."""
        reason = self._plan.replace_reason
        if reason is None:
            change = self._plan.change
            if change is None:
                raise AssertionError("an update needs the change that its evaluation found")
            try:
                await self._start_update(change)
                await self._step(self._instance().finish_update(IO, change))
            except UpdateReplace as error:
                reason = str(error)
            else:
                return None
        await self._make_room()
        return reason

    async def _start_update(self, change: Change) -> None:
        """Start, again when the connection broke meanwhile: an update may begin anew any time."""
        attempt = 0
        while True:
            try:
                await self._step(self._instance().start_update(IO, change))
                return
            except ServiceError as error:
                attempt += 1
                if not error.lost or attempt > self._retry_limit:
                    raise
            await self._step(pause(attempt))

    async def _make_room(self) -> None:
        """Let the type prepare for the object that is to replace this one."""
        await self._step(self._instance().prepare_replace(IO))

    async def _delete(self) -> None:
        """Delete, again after a pause where a service refuses for now (rules/g#26)."""
        if self._plan.retain:
            return
        if self._owes_search:
            await self._look_for_what_was_made()
        attempt = 0
        while True:
            try:
                await self._step(self._instance().start_delete(IO))
                await self._step(self._instance().finish_delete(IO))
                return
            except ServiceError as error:
                if error.not_found:
                    return
                attempt += 1
                if not error.conflict or attempt > self._retry_limit:
                    raise
            await self._step(pause(attempt))

    async def _check(self) -> None:
        row = self.claimed.row
        if row.physical_id is None:
            raise Error(f"Can not check {row.name}, resource not created yet.")
        await self._step(self._instance().start_check(IO))
        await self._step(self._instance().finish_check(IO))

    async def _settle(self) -> None:
        """Make sure that what a dead engine may have made is known, whatever comes next."""
        if not may_have_made(self.claimed.row, self._plan):
            return
        try:
            await self._look_for_what_was_made()
        except (ServiceError, UnitTimedOut) as error:
            log.warning(
                "what a cut create may have made is looked for again when it is deleted",
                exc_info=error,
                extra={"fields": {"resource": self.claimed.row.name}},
            )

    @property
    def can_find(self) -> bool:
        return self._plan.resource_class.can_find

    async def remove_stray(self, physical_id: str) -> None:
        cls = self._plan.resource_class
        row = self.claimed.row
        view = view_of(row, self._stack, cls)
        stray = cls(replace(view, physical_id=physical_id))
        session = replace(self._session, store=Discard(), slot=None)
        try:
            await self._procedures.run(stray.start_delete(IO), session)
            await self._procedures.run(stray.finish_delete(IO), session)
        except ServiceError as error:
            if not error.not_found:
                raise
