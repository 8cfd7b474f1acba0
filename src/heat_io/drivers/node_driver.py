"""Runs visits: the effects of the NodeStep machine, one task a visit.

The driver decides nothing. It keeps what only this process can know: which visits are running (so
that a lock of our own without a visit is seen as left over), and how to stop those of a stack.
"""

from __future__ import annotations

import logging
from dataclasses import replace

import trio

from heat_core.convergence import (
    Node,
    NodeStep,
    began_before,
    settled_outcome,
    stack_deadline,
)
from heat_core.convergence.evaluation import (
    Plan,
)
from heat_core.convergence.node_events import (
    Acknowledge,
    CastCheck,
    Claimed,
    ClaimLost,
    ClaimNode,
    Drop,
    Effect,
    EvaluateNode,
    Event,
    FailStack,
    Holder,
    LoadNode,
    MakeReplacement,
    NodeLoaded,
    Outcome,
    OutcomeLost,
    OutcomeStored,
    Preempt,
    ProcedureFinished,
    Propagate,
    ReadAttributes,
    RemoveRow,
    ReplacementLost,
    ReplacementStored,
    RunProcedure,
    StackFailed,
    Started,
    StoreOutcome,
    StoreRefused,
    StoreUnchanged,
    StoreUnchecked,
    StoreWentDown,
    Visit,
    Waited,
    WaitToRetry,
    WakeTraversal,
    Woken,
)
from heat_core.errors import HeatException
from heat_core.procedure import CancelChild
from heat_core.resources import resource_failure
from heat_core.rpc import RequestContext
from heat_core.stack.ids import ResourceId, StackId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Applied,
    DatabaseFailure,
    Write,
    resources,
    stacks,
)
from heat_io.database.lanes import LanesClosed
from heat_io.drivers.actions import Actions, pause
from heat_io.drivers.check_messages import visit_of
from heat_io.drivers.children import Children
from heat_io.drivers.claimed_row import submit_row_write
from heat_io.drivers.foresight import FEW_VISITS, Foresight, claim_write, unchanged_write
from heat_io.drivers.node_parts import NodeParts
from heat_io.drivers.node_reading import NodeReader
from heat_io.drivers.node_reports import NodeReports
from heat_io.drivers.procedure_driver import NoRow, Session
from heat_io.drivers.running_visit import Acknowledger, RunningVisit, VisitsUnderWay
from heat_io.log_context import bound, caller_fields
from heat_io.messaging import CallTimeout, Cast, Delivery

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.05
FINISH_SECONDS = 5.0


class _LeftOff(Exception):
    """A procedure that this engine will not carry to its end: another one goes on with it."""


class NodeDriver:
    """Runs visits in tasks of `nursery`."""

    def __init__(self, parts: NodeParts, nursery: trio.Nursery) -> None:
        self._parts = parts
        self._nursery = nursery
        self._actions = Actions(
            parts.database,
            parts.writes,
            parts.procedures,
            parts.retry_limit,
            parts.children,
            goes_on=parts.takes_over,
        )
        self._reader = NodeReader(parts)
        self._reports = NodeReports(parts, self.start)
        self._visits = VisitsUnderWay(parts.slots)
        self._foresight = Foresight(parts, self._reader, self._visits)
        self._steps = 0
        self._leaving = False
        self._left: list[RunningVisit] = []

    # --- from outside ----------------------------------------------------------------------

    async def check_resource(self, delivery: Delivery) -> None:
        """Take a check_resource message; returns once the visit has acknowledged it."""
        acknowledger = Acknowledger(delivery)
        self.start(visit_of(delivery.arguments), delivery.context, acknowledger)
        await acknowledger.wait()

    def start(
        self, visit: Visit, context: RequestContext, acknowledger: Acknowledger | None = None
    ) -> None:
        """Run a visit in a task of its own."""
        running = self._visits.enlist(visit, context, acknowledger)
        self._nursery.start_soon(self._run, running)

    async def stop_superseded(self, stack_id: StackId) -> None:
        """Stop the stack's procedures that work for an earlier traversal; their rows are aborted.

        The request names no traversal and may come late: who works for the present one goes on,
        since nobody would wake it again.
        """
        # Taken before the look at the stack: what begins meanwhile belongs to what is found or to
        # something newer.
        at_work = [
            running
            for running in self._visits
            if running.stack is not None and running.stack.id == stack_id
        ]
        if not at_work:
            return
        stack = await self._parts.database.read(
            lambda connection: stacks.fetch(connection, stack_id, with_deps=False)
        )
        current = None if stack is None else stack.current_traversal
        for running in at_work:
            if running.visit.traversal_id != current:
                running.stopped = True
                running.scope.cancel()

    def holds(self, resource_id: ResourceId) -> bool:
        """Whether a visit of ours has that row's lock."""
        return any(running.holds == resource_id for running in self._visits)

    def is_visiting(self, visit: Visit) -> bool:
        """Whether a visit of the same row, traversal and direction is under way or waits."""
        same = (visit.resource_id, visit.traversal_id, visit.is_update)
        return any(
            (other.visit.resource_id, other.visit.traversal_id, other.visit.is_update) == same
            for other in self._visits
        )

    async def report_removed(self, stack: StackRecord, node: Node, context: RequestContext) -> None:
        """Report a clean-up node whose row was removed by a visit that could not report it."""
        visit = Visit(ResourceId(0), stack.current_traversal or TraversalId(""), False, {})
        running = self._visits.new(visit, context)
        await self._reports.report_removed(stack, node, running)

    async def settle(self, stack: StackRecord, resource_id: ResourceId) -> None:
        """Take a dead engine's lock on a row that no traversal will visit, and release it.

        What a cut create may have made is looked for first, so that a later delete finds it.
        """
        row = await self._parts.database.read(
            lambda connection: resources.fetch(
                connection, resource_id, with_properties=True, with_data=True
            )
        )
        if row is None or await self._holder(row) is not Holder.DEAD:
            return
        visit = Visit(resource_id, TraversalId(""), True, {})
        running = self._visits.enlist(visit, RequestContext())
        running.stack = stack
        try:
            async with running.slot.held():
                claimed = await self._claim(ClaimNode(row, row.action, None, True), running)
                if isinstance(claimed, Claimed):
                    effect = RunProcedure(claimed.row, Action.INIT, None, resume=True)
                    finished = await self._run_procedure(effect, running)
                    if finished.outcome is Outcome.DONE:
                        settled = settled_outcome(running.row or claimed.row)
                        await self._store_outcome(settled, running)
        finally:
            self._visits.dismiss(running)

    @property
    def busy(self) -> int:
        """How many visits are under way."""
        return len(self._visits)

    async def leave_off(self) -> tuple[Cast, ...]:
        """Cut the procedures that are under way, for another engine to go on with.

        Returns, once no visit is under way any more, the messages that have it do so. The rows
        stay locked by this engine: who gets a message goes on when this engine has said good-bye.
        Procedures are cut where they next wait, as what they have just asked for may be all that
        was left to do; after FINISH_SECONDS where they are, and visits that hold no row are not
        waited for any longer. A request that changes something is waited for in any case, and its
        answer stored: nobody may repeat it.
        """
        self._leaving = True
        cut_at = trio.current_time() + FINISH_SECONDS
        while len(self._visits):
            late = trio.current_time() >= cut_at
            for running in self._visits:
                if late or running.slot.is_parked:
                    running.scope.cancel()
            if late and all(running.holds is None for running in self._visits):
                break
            await trio.sleep(LOOK_SECONDS)
        return tuple([await self._reports.again(left) for left in self._left])

    # --- the loop --------------------------------------------------------------------------

    async def _run(self, running: RunningVisit) -> None:
        """Run a visit, and those that follow from it one after the other."""
        following: RunningVisit | None = running
        try:
            while following is not None:
                running = following
                await self._run_one(running)
                following = running.follower and running.follower[0]
        finally:
            # Cancelled on the way: nobody goes on with these in this process.
            while running.follower is not None:
                running = running.follower[0]
                self._visits.dismiss(running)

    async def _run_one(self, running: RunningVisit) -> None:
        self._steps += 1
        step_id = f"{self._parts.engine_id[:8]}-{self._steps}"
        with bound(step_id=step_id, **caller_fields(running.context)):
            try:
                await self._drive_guarded(running)
            finally:
                self._visits.dismiss(running)
                running.acknowledger.give_up()

    async def _drive_guarded(self, running: RunningVisit) -> None:
        """Drive a visit to its end; what nobody foresaw fails the stack instead of coming back.

        Trouble with the database or the bus is not of the stack's making: the sweeper visits again
        what is left undone.
        """
        unforeseen: list[Exception] = []
        try:
            async with running.slot.held():
                await self._drive(running)
        except* _LeftOff:
            self._left.append(running)
        except* (DatabaseFailure, LanesClosed, CallTimeout):
            log.exception("a visit was cut off by the database or the bus")
        except* Exception as errors:
            log.exception("a visit ended in an unexpected error")
            unforeseen.extend(errors.exceptions)
        stack = running.stack
        if not unforeseen or stack is None or stack.status is not Status.IN_PROGRESS:
            return
        if stack.current_traversal == running.visit.traversal_id:
            reason = f"{type(unforeseen[0]).__name__}: {unforeseen[0]}"
            await self._parts.traversals.fail(stack, reason, running.context)

    async def _drive(self, running: RunningVisit) -> None:
        machine = NodeStep(
            running.visit,
            retry_limit=self._parts.retry_limit,
            takes_over=self._parts.takes_over,
        )
        running.machine = machine
        event: Event | None = Started()
        while event is not None:
            effects = machine.handle(event)
            event = None
            for effect in effects:
                answer = await self._perform(effect, running)
                if answer is not None:
                    event = answer

    async def _perform(self, effect: Effect, running: RunningVisit) -> Event | None:
        if running.foreseen:
            return await self._as_foreseen(effect, running)
        match effect:
            case LoadNode():
                return await self._load(running)
            case EvaluateNode():
                return await self._reader.evaluate(effect, running)
            case ClaimNode():
                return await self._claim(effect, running)
            case Acknowledge():
                await running.acknowledger.acknowledge()
            case RunProcedure():
                return await self._run_procedure(effect, running)
            case StoreOutcome():
                return await self._store_outcome(effect, running)
            case StoreWentDown(row, action, plan):
                stack = running.known_stack
                type_name = await self._reader.type_name(stack, row, plan)
                write = self._parts.writes.went_down(row, action, stack, type_name)
                return await self._row_written(write, row, running)
            case StoreUnchanged(row, plan):
                write = unchanged_write(self._parts.writes, running, row, plan)
                if await self._works_ahead(effect, write, running):
                    return await self._as_foreseen(effect, running)
                return await self._written_in_traversal(write, running)
            case StoreUnchecked(row, plan):
                stack = running.known_stack
                write = self._parts.writes.unchecked(row, plan, stack)
                return await self._row_written(write, row, running)
            case StoreRefused(row, plan):
                stack, traversal = running.known_stack, running.visit.traversal_id
                write = self._parts.writes.refused(effect, stack, traversal, plan.type_name)
                return await self._written_in_traversal(write, running)
            case RemoveRow(row):
                stack = running.known_stack
                write = self._parts.writes.remove(row, stack, running.visit.traversal_id)
                return await self._written_in_traversal(write, running)
            case WaitToRetry(attempt):
                return await self._wait_to_retry(attempt, running)
            case MakeReplacement():
                return await self._replace(effect, running)
            case ReadAttributes(stack, row):
                return await self._reader.read_attributes(stack, row, running)
            case Propagate(stack, arrivals):
                if running.ahead and await self._works_ahead(effect, None, running):
                    return await self._as_foreseen(effect, running)
                return await self._reports.propagate(stack, arrivals, running)
            case CastCheck(resource_id):
                node = Node(resource_id, running.visit.is_update)
                await self._reports.ask(running.known_stack, node, running)
            case FailStack(stack, reason):
                applied = await self._parts.traversals.fail(stack, reason, running.context)
                return StackFailed(applied)
            case Preempt(stack, row):
                await self._preempt(stack, row, running.context)
            case WakeTraversal(row):
                await self._reports.wake(row, running)
                return Woken()
            case Drop(reason):
                log.debug("a visit has nothing to do", extra={"fields": {"why": reason}})
        return None

    async def _works_ahead(
        self, effect: Effect, write: Write[ResourceRecord] | None, running: RunningVisit
    ) -> bool:
        if len(self._visits) > FEW_VISITS:
            return False
        return await self._foresight.carry_out(running, effect, write)

    async def _as_foreseen(self, effect: Effect, running: RunningVisit) -> Event | None:
        """The answer to an effect whose turn was foreseen, see Foresight."""
        foreseen, found = running.foreseen.popleft()
        if foreseen != effect:
            raise AssertionError(f"foreseen was {foreseen!r}, asked for is {effect!r}")
        match effect:
            case ClaimNode():
                running.row = None
                return Claimed(self._told(found, running))
            case StoreUnchanged():
                return OutcomeStored(self._told(found, running))
            case Propagate():
                return await self._reports.propagated(effect, found, running)
        answer: Event = found
        return answer

    # --- reading ---------------------------------------------------------------------------

    async def _load(self, running: RunningVisit) -> NodeLoaded:
        found = await self._reader.load(running, ahead=len(self._visits) <= FEW_VISITS)
        return NodeLoaded(
            row=found.row,
            stack=running.stack,
            graph=found.graph,
            holder=await self._holder(found.row),
            now=self._parts.now(),
            stands_for=found.stands_for,
            reported=found.reported,
        )

    async def _holder(self, row: ResourceRecord | None) -> Holder:
        if row is None or row.engine_id is None:
            return Holder.NOBODY
        if row.engine_id == self._parts.engine_id:
            return Holder.ALIVE if self.holds(row.id) else Holder.DEAD
        dead = await self._parts.liveness.is_dead(row.engine_id)
        return Holder.DEAD if dead else Holder.ALIVE

    # --- writing ---------------------------------------------------------------------------

    async def _claim(self, effect: ClaimNode, running: RunningVisit) -> Claimed | ClaimLost:
        stack = running.known_stack
        running.holds = effect.row.id
        if effect.take_over:
            write = self._parts.writes.take_over(effect.row)
        elif effect.quietly:
            write = self._parts.writes.lock(effect.row, stack, running.visit.traversal_id)
        else:
            write = claim_write(self._parts.writes, running, effect)
        running.row = None
        verdict = await self._parts.database.submit(stack.id, write)
        if isinstance(verdict, Applied):
            return Claimed(self._told(verdict, running))
        # Lost, or nobody can tell: looking again shows whether the lock is ours after all.
        running.holds = None
        return ClaimLost()

    async def _store_outcome(
        self, effect: StoreOutcome, running: RunningVisit
    ) -> OutcomeStored | OutcomeLost:
        stack = running.known_stack
        type_name = await self._reader.type_name(stack, effect.row, effect.plan)
        now = replace(effect, row=running.row or effect.row)
        write = self._parts.writes.outcome(now, stack, type_name, running.owed)
        running.owed = None
        if effect.status is Status.COMPLETE and await self._works_ahead(effect, write, running):
            return self._outcome_stored(running.foreseen.popleft()[1], running)
        answer = await self._row_written(write, now.row, running)
        if isinstance(answer, OutcomeStored):
            running.holds = running.row = None
        return answer

    def _outcome_stored(
        self, written: Applied[ResourceRecord], running: RunningVisit
    ) -> OutcomeStored:
        running.holds = running.row = None
        return OutcomeStored(self._told(written, running))

    async def _row_written(
        self, write: Write[ResourceRecord], row: ResourceRecord, running: RunningVisit
    ) -> OutcomeStored | OutcomeLost:
        stack_id = running.known_stack.id
        written = await submit_row_write(self._parts.database, stack_id, write, row)
        return OutcomeLost() if written is None else OutcomeStored(self._told(written, running))

    async def _written_in_traversal(
        self, write: Write[ResourceRecord], running: RunningVisit
    ) -> OutcomeStored | OutcomeLost:
        """A write that is lost with the traversal too: it is not repeated, but looked at again."""
        verdict = await self._parts.database.submit(running.known_stack.id, write)
        if isinstance(verdict, Applied):
            return OutcomeStored(self._told(verdict, running))
        return OutcomeLost()

    def _told(self, written: Applied[ResourceRecord], running: RunningVisit) -> ResourceRecord:
        """The row that was written, once the listener knows of its events."""
        for event in written.events:
            self._parts.listener.stored(event, running.known_stack, running.context)
        return written.value

    async def _replace(
        self, effect: MakeReplacement, running: RunningVisit
    ) -> ReplacementStored | ReplacementLost:
        write = self._parts.writes.replacement(effect, running.visit.traversal_id)
        verdict = await self._parts.database.submit(effect.stack.id, write)
        if isinstance(verdict, Applied):
            return ReplacementStored(verdict.value)
        return ReplacementLost()

    # --- acting ----------------------------------------------------------------------------

    async def _run_procedure(
        self, effect: RunProcedure, running: RunningVisit
    ) -> ProcedureFinished:
        if self._leaving:
            raise _LeftOff
        stack = running.known_stack
        plan = effect.plan
        if not isinstance(plan, Plan):
            plan = await self._reader.own_plan(stack, effect.row)
        cls = plan.resource_class
        credentials = None
        if cls.service is not None or cls.needs_stored_credentials:
            try:
                credentials = await self._parts.credentials.for_stack(stack, running.context)
            except HeatException as error:
                running.row = await self._actions.owe_search(effect, stack, plan)
                failure = resource_failure(error, effect.row.name)
                return ProcedureFinished(Outcome.FAILED, str(failure))
        scope = running.scope = trio.CancelScope()
        if running.stopped:
            scope.cancel()
        deadline = stack_deadline(stack)
        if deadline is not None and stack.status is Status.IN_PROGRESS:
            remaining = (deadline - self._parts.now()).total_seconds()
            scope.deadline = trio.current_time() + max(remaining, 0.0)
        finished: ProcedureFinished | None = None
        with scope:
            finished, claimed = await self._actions.run(
                effect, stack, plan, credentials, running.slot, running.context
            )
            running.row, running.owed = claimed.row, claimed.owed
        if finished is None and self._leaving and not running.stopped:
            raise _LeftOff
        if finished is None:
            await self._actions.cut_off(effect, stack, plan, credentials, running.context)
            outcome = Outcome.CANCELLED if running.stopped else Outcome.TIMED_OUT
            why = "" if running.stopped else "Timed out"
            return ProcedureFinished(outcome, why)
        return finished

    async def _wait_to_retry(self, attempt: int, running: RunningVisit) -> Waited:
        session = Session(NoRow(), slot=running.slot)
        scope = running.scope = trio.CancelScope()
        if self._leaving or running.stopped:
            scope.cancel()
        with scope:
            await self._parts.procedures.run(pause(attempt), session)
        if self._leaving:
            raise _LeftOff
        return Waited()

    async def _preempt(
        self, stack: StackRecord, row: ResourceRecord, context: RequestContext
    ) -> None:
        """Stop a nested stack that works for an earlier traversal (rules/i-convergence.md#20)."""
        ours = (other.visit.traversal_id for other in self._visits if other.holds == row.id)
        if row.physical_id is None or not began_before(row, stack, next(ours, None)):
            return
        plan = await self._reader.own_plan(stack, row)
        if plan.resource_class.has_nested_stack:
            children = Children(self._parts.children, stack, row, plan, context)
            await children.ask(CancelChild(row.physical_id))
