"""Runs visits: the effects of the NodeStep machine, one task a visit.

The driver decides nothing. It keeps what only this process can know: which visits are running (so
that a lock of our own without a visit is seen as left over), and how to stop those of a stack.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import trio
from sqlalchemy import Connection

from heat_core.convergence import (
    Node,
    NodeStep,
    began_before,
    entries,
    node_results,
    settled_outcome,
    stack_deadline,
)
from heat_core.convergence import arrivals as node_arrivals
from heat_core.convergence.evaluation import (
    Plan,
    Situation,
    class_of,
    clean_up_without_delete,
    delete_plan,
    evaluate,
)
from heat_core.convergence.node_events import (
    Acknowledge,
    AttributesRead,
    AttributesUnreadable,
    CastCheck,
    Claimed,
    ClaimLost,
    ClaimNode,
    Drop,
    Effect,
    EvaluateNode,
    EvaluationFailed,
    Event,
    FailStack,
    Holder,
    LoadNode,
    MakeReplacement,
    NodeEvaluated,
    NodeLoaded,
    Outcome,
    OutcomeLost,
    OutcomeStored,
    Preempt,
    ProcedureFinished,
    Propagate,
    Propagated,
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
from heat_core.convergence.sync_point import NO_FAILURES, Arrival
from heat_core.errors import HeatException
from heat_core.graph import Graph
from heat_core.procedure import CancelChild, ProcedureIO
from heat_core.resources import resource_failure
from heat_core.rpc import RequestContext
from heat_core.stack.ids import EngineId, ResourceId, StackId, TemplateId, TraversalId
from heat_core.stack.node_data import encode_key
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Applied,
    Database,
    DatabaseFailure,
    TemplateKey,
    Write,
    resources,
    stacks,
    visits,
)
from heat_io.database.lanes import LanesClosed
from heat_io.drivers.actions import Actions, pause, submit_row_write
from heat_io.drivers.attributes import Attributes
from heat_io.drivers.children import ChildParts, Children
from heat_io.drivers.definitions import NONE_KNOWN, Definitions, Graphs
from heat_io.drivers.node_store import NodeWrites
from heat_io.drivers.ports import CredentialsSource, Liveness, Now, service_context
from heat_io.drivers.procedure_driver import NoRow, ProcedureDriver, Session
from heat_io.drivers.rendezvous import Complete, Gone, Point, Rendezvous
from heat_io.drivers.slots import Slot, Slots
from heat_io.drivers.traversal_driver import TraversalDriver
from heat_io.log_context import bound
from heat_io.messaging import ENGINE_WORKER, Bus, CallTimeout, Cast, Delivery
from heat_io.sandbox import evaluation

log = logging.getLogger(__name__)

type _Keys = Mapping[TemplateId, TemplateKey]

IO = ProcedureIO()
CHECK_RESOURCE = "check_resource"


class Acknowledger:
    """Acknowledges a delivery once; a visit of the sweeper's own has none."""

    def __init__(self, delivery: Delivery | None) -> None:
        self._delivery = delivery
        self._released = trio.Event()

    async def acknowledge(self) -> None:
        delivery, self._delivery = self._delivery, None
        if delivery is not None:
            await delivery.acknowledge()
        self._released.set()

    def give_up(self) -> None:
        """The visit has ended without an acknowledgement: nobody needs to wait for one."""
        self._released.set()

    async def wait(self) -> None:
        await self._released.wait()


@dataclass(slots=True, eq=False)
class _Running:
    """A visit that is under way; `holds` is the row whose lock it has."""

    visit: Visit
    context: RequestContext
    acknowledger: Acknowledger
    slot: Slot
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    stack: StackRecord | None = None
    templates: Mapping[TemplateId, TemplateKey] = NONE_KNOWN
    """keys of the templates of stack and row"""
    holds: ResourceId | None = None
    row: ResourceRecord | None = None
    """the held row with the ids and data that its procedure stored"""
    stopped: bool = False
    """told to stop by an operation that supersedes its traversal"""


@dataclass(frozen=True, slots=True)
class NodeParts:
    """What a node driver is made of."""

    database: Database
    bus: Bus
    engine_id: EngineId
    writes: NodeWrites
    definitions: Definitions
    graphs: Graphs
    attributes: Attributes
    procedures: ProcedureDriver
    rendezvous: Rendezvous
    traversals: TraversalDriver
    credentials: CredentialsSource
    liveness: Liveness
    children: ChildParts
    slots: Slots
    now: Now
    retry_limit: int
    takes_over: bool = True


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
        )
        self._running: dict[_Running, None] = {}
        # A dict, not a set: what is stopped together is stopped in one fixed order.
        self._steps = 0

    # --- from outside ----------------------------------------------------------------------

    async def check_resource(self, delivery: Delivery) -> None:
        """Take a check_resource message; returns once the visit has acknowledged it."""
        arguments = delivery.arguments
        visit = Visit(
            resource_id=ResourceId(arguments["resource_id"]),
            traversal_id=TraversalId(arguments["current_traversal"]),
            is_update=bool(arguments["is_update"]),
            input_data=arguments["data"] or {},
            skip=bool(arguments.get("skip_propagate")),
            failures=arguments.get("accumulated_failures") or {},
        )
        acknowledger = Acknowledger(delivery)
        self.start(visit, delivery.context, acknowledger)
        await acknowledger.wait()

    def start(
        self, visit: Visit, context: RequestContext, acknowledger: Acknowledger | None = None
    ) -> None:
        """Run a visit in a task of its own."""
        running = _Running(
            visit, context, acknowledger or Acknowledger(None), self._parts.slots.slot()
        )
        self._running[running] = None
        self._nursery.start_soon(self._run, running)

    def stop(self, stack_id: StackId) -> None:
        """Stop the procedures of the stack's resources; their rows end as aborted."""
        for running in self._running:
            if running.stack is not None and running.stack.id == stack_id:
                running.stopped = True
                running.scope.cancel()

    def holds(self, resource_id: ResourceId) -> bool:
        """Whether a visit of ours has that row's lock."""
        return any(running.holds == resource_id for running in self._running)

    def is_visiting(self, visit: Visit) -> bool:
        """Whether a visit of the same row, traversal and direction is under way or waits."""
        same = (visit.resource_id, visit.traversal_id, visit.is_update)
        return any(
            (other.visit.resource_id, other.visit.traversal_id, other.visit.is_update) == same
            for other in self._running
        )

    async def report_removed(self, stack: StackRecord, node: Node, context: RequestContext) -> None:
        """Report a clean-up node whose row was removed by a visit that could not report it."""
        visit = Visit(ResourceId(0), stack.current_traversal or TraversalId(""), False, {})
        running = _Running(visit, context, Acknowledger(None), self._parts.slots.slot())
        graph = await self._parts.database.read(
            lambda connection: self._parts.graphs.read(connection, stack)
        )
        if graph is None or node not in graph or not isinstance(node.id, int):
            return
        sent = node_arrivals(graph, node, data=None, row_id=ResourceId(node.id), replaced_by=None)
        for arrival in sent:
            await self._arrive(stack, arrival, graph, running)

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
        running = _Running(visit, RequestContext(), Acknowledger(None), self._parts.slots.slot())
        running.stack = stack
        self._running[running] = None
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
            self._running.pop(running, None)

    @property
    def busy(self) -> int:
        """How many visits are under way."""
        return len(self._running)

    # --- the loop --------------------------------------------------------------------------

    async def _run(self, running: _Running) -> None:
        self._steps += 1
        step_id = f"{self._parts.engine_id[:8]}-{self._steps}"
        with bound(step_id=step_id, request_id=running.context.request_id):
            try:
                await self._drive_guarded(running)
            finally:
                self._running.pop(running, None)
                running.acknowledger.give_up()

    async def _drive_guarded(self, running: _Running) -> None:
        """Drive a visit to its end; what nobody foresaw fails the stack instead of coming back.

        Trouble with the database or the bus is not of the stack's making: the sweeper visits again
        what is left undone.
        """
        unforeseen: list[Exception] = []
        try:
            async with running.slot.held():
                await self._drive(running)
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

    async def _drive(self, running: _Running) -> None:
        machine = NodeStep(
            running.visit,
            retry_limit=self._parts.retry_limit,
            takes_over=self._parts.takes_over,
        )
        event: Event | None = Started()
        while event is not None:
            effects = machine.handle(event)
            event = None
            for effect in effects:
                answer = await self._perform(effect, running)
                if answer is not None:
                    event = answer

    async def _perform(self, effect: Effect, running: _Running) -> Event | None:
        match effect:
            case LoadNode():
                return await self._load(running)
            case EvaluateNode():
                return await self._evaluate(effect, running)
            case ClaimNode():
                return await self._claim(effect, running)
            case Acknowledge():
                await running.acknowledger.acknowledge()
            case RunProcedure():
                return await self._run_procedure(effect, running)
            case StoreOutcome():
                return await self._store_outcome(effect, running)
            case StoreWentDown(row, action, plan):
                stack = _stack_of(running)
                type_name = await self._type_name(stack, row, plan)
                write = self._parts.writes.went_down(row, action, stack, type_name)
                return await self._row_written(write, row, stack)
            case StoreUnchanged(row, plan):
                type_name = plan.type_name
                stack = _stack_of(running)
                return await self._row_written(
                    self._parts.writes.unchanged(row, plan, stack, type_name), row, stack
                )
            case StoreUnchecked(row, plan):
                stack = _stack_of(running)
                write = self._parts.writes.unchecked(row, plan, stack)
                return await self._row_written(write, row, stack)
            case StoreRefused(row, plan):
                stack, traversal = _stack_of(running), running.visit.traversal_id
                write = self._parts.writes.refused(effect, stack, traversal, plan.type_name)
                return await self._written_in_traversal(write, stack)
            case RemoveRow(row):
                stack = _stack_of(running)
                write = self._parts.writes.remove(row, stack, running.visit.traversal_id)
                return await self._written_in_traversal(write, stack)
            case WaitToRetry(attempt):
                session = Session(NoRow(), slot=running.slot)
                await self._parts.procedures.run(pause(attempt), session)
                return Waited()
            case MakeReplacement():
                return await self._replace(effect, running)
            case ReadAttributes(stack, row):
                return await self._read_attributes(stack, row, running)
            case Propagate(stack, arrivals):
                return await self._propagate(stack, arrivals, running)
            case CastCheck(resource_id):
                await self._parts.bus.cast(
                    self._check(running, resource_id, running.visit.input_data)
                )
            case FailStack(stack, reason):
                applied = await self._parts.traversals.fail(stack, reason, running.context)
                return StackFailed(applied)
            case Preempt(stack, row):
                await self._preempt(stack, row)
            case WakeTraversal(row):
                await self._wake(row, running)
                return Woken()
            case Drop(reason):
                log.debug("a visit has nothing to do", extra={"fields": {"why": reason}})
        return None

    # --- reading ---------------------------------------------------------------------------

    async def _load(self, running: _Running) -> NodeLoaded:
        resource_id = running.visit.resource_id
        graphs = self._parts.graphs

        def unit(
            connection: Connection,
        ) -> tuple[ResourceRecord | None, StackRecord | None, Graph[Node] | None, _Keys]:
            found = visits.fetch(connection, resource_id)
            if found is None:
                return None, None, None, NONE_KNOWN
            row, stack = _without_stranger(connection, found.row), found.stack
            if not stack.current_traversal:
                return row, stack, None, NONE_KNOWN
            graph = graphs.known(stack.id, stack.current_traversal)
            if graph is None:
                graph = graphs.read(connection, stack)
            return row, stack, graph, found.template_keys

        row, stack, graph, running.templates = await self._parts.database.read(unit)
        if stack is not None and stack.current_traversal and graph is not None:
            graphs.keep(stack.id, stack.current_traversal, graph)
        running.stack = stack
        return NodeLoaded(
            row=row,
            stack=stack,
            graph=graph,
            holder=await self._holder(row),
            now=self._parts.now(),
        )

    async def _holder(self, row: ResourceRecord | None) -> Holder:
        if row is None or row.engine_id is None:
            return Holder.NOBODY
        if row.engine_id == self._parts.engine_id:
            return Holder.ALIVE if self.holds(row.id) else Holder.DEAD
        dead = await self._parts.liveness.is_dead(row.engine_id)
        return Holder.DEAD if dead else Holder.ALIVE

    # --- deciding --------------------------------------------------------------------------

    async def _evaluate(
        self, effect: EvaluateNode, running: _Running
    ) -> NodeEvaluated | EvaluationFailed:
        stack, row, known = effect.stack, effect.row, running.templates
        if not running.visit.is_update:
            nothing_deleted = clean_up_without_delete(row, stack)
            if nothing_deleted is not None:
                return nothing_deleted
        definitions = self._parts.definitions
        own = None
        if row.current_template_id is not None:
            own = await definitions.for_template(stack, row.current_template_id, known)
        situation = Situation(
            stack=stack,
            row=row,
            is_update=running.visit.is_update,
            definition=await definitions.for_stack(stack, known),
            own_definition=own,
            nodes=node_results(running.visit.input_data),
            resume=effect.resume,
        )
        try:
            credentials = await self._credentials(situation)
        except HeatException as error:
            # Nobody can act for the stack: its owner must be told, not the log.
            plan = delete_plan(stack, row, situation.definition if situation.is_update else own)
            return EvaluationFailed(str(resource_failure(error, row.name)), plan)
        session = Session(NoRow(), credentials, running.slot)
        answer = await self._parts.procedures.run(evaluate(IO, situation), session)
        if not isinstance(answer, NodeEvaluated | EvaluationFailed):
            raise AssertionError(f"an evaluation gave {answer!r}")
        return answer

    async def _credentials(self, situation: Situation) -> Any:
        """Stored credentials, only where a service may be asked."""
        name = situation.row.name
        for definition in (situation.definition, situation.own_definition):
            resource = None if definition is None else definition.resources.get(name)
            if resource is None:
                continue
            cls = class_of(resource.type, definition, name)
            if cls.service is not None or cls.needs_stored_credentials:
                return await self._parts.credentials.for_stack(situation.stack)
        return None

    # --- writing ---------------------------------------------------------------------------

    async def _claim(self, effect: ClaimNode, running: _Running) -> Claimed | ClaimLost:
        stack = _stack_of(running)
        running.holds = effect.row.id
        if effect.take_over:
            write = self._parts.writes.take_over(effect.row)
        elif effect.quietly:
            write = self._parts.writes.lock(effect.row, stack, running.visit.traversal_id)
        else:
            type_name = effect.plan.type_name if isinstance(effect.plan, Plan) else ""
            write = self._parts.writes.claim(effect, stack, running.visit.traversal_id, type_name)
        running.row = None
        verdict = await self._parts.database.submit(stack.id, write)
        if isinstance(verdict, Applied):
            return Claimed(verdict.value)
        # Lost, or nobody can tell: looking again shows whether the lock is ours after all.
        running.holds = None
        return ClaimLost()

    async def _store_outcome(
        self, effect: StoreOutcome, running: _Running
    ) -> OutcomeStored | OutcomeLost:
        stack = _stack_of(running)
        type_name = await self._type_name(stack, effect.row, effect.plan)
        effect = replace(effect, row=running.row or effect.row)
        write = self._parts.writes.outcome(effect, stack, type_name)
        answer = await self._row_written(write, effect.row, stack)
        if isinstance(answer, OutcomeStored):
            running.holds = running.row = None
        return answer

    async def _row_written(
        self, write: Write[ResourceRecord], row: ResourceRecord, stack: StackRecord
    ) -> OutcomeStored | OutcomeLost:
        stored = await submit_row_write(self._parts.database, stack.id, write, row)
        return OutcomeLost() if stored is None else OutcomeStored(stored)

    async def _written_in_traversal(
        self, write: Write[ResourceRecord], stack: StackRecord
    ) -> OutcomeStored | OutcomeLost:
        """A write that is lost with the traversal too: it is not repeated, but looked at again."""
        verdict = await self._parts.database.submit(stack.id, write)
        return OutcomeStored(verdict.value) if isinstance(verdict, Applied) else OutcomeLost()

    async def _replace(
        self, effect: MakeReplacement, running: _Running
    ) -> ReplacementStored | ReplacementLost:
        write = self._parts.writes.replacement(effect, running.visit.traversal_id)
        verdict = await self._parts.database.submit(effect.stack.id, write)
        if isinstance(verdict, Applied):
            return ReplacementStored(verdict.value)
        return ReplacementLost()

    # --- acting ----------------------------------------------------------------------------

    async def _run_procedure(self, effect: RunProcedure, running: _Running) -> ProcedureFinished:
        stack = _stack_of(running)
        plan = effect.plan
        if not isinstance(plan, Plan):
            plan = await self._own_plan(stack, effect.row)
        cls = plan.resource_class
        credentials = None
        if cls.service is not None or cls.needs_stored_credentials:
            try:
                credentials = await self._parts.credentials.for_stack(stack)
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
            finished, running.row = await self._actions.run(
                effect, stack, plan, credentials, running.slot
            )
        if finished is None:
            await self._actions.cut_off(effect, stack, plan, credentials)
            outcome = Outcome.CANCELLED if running.stopped else Outcome.TIMED_OUT
            why = "" if running.stopped else "Timed out"
            return ProcedureFinished(outcome, why)
        return finished

    async def _preempt(self, stack: StackRecord, row: ResourceRecord) -> None:
        """Stop a nested stack that works for an earlier traversal (rules/i-convergence.md#20)."""
        ours = (other.visit.traversal_id for other in self._running if other.holds == row.id)
        if row.physical_id is None or not began_before(row, stack, next(ours, None)):
            return
        plan = await self._own_plan(stack, row)
        if plan.resource_class.has_nested_stack:
            children = Children(self._parts.children, stack, row, plan)
            await children.ask(CancelChild(row.physical_id))

    async def _type_name(self, stack: StackRecord, row: ResourceRecord, plan: Any) -> str:
        return (plan if isinstance(plan, Plan) else await self._own_plan(stack, row)).type_name

    async def _own_plan(self, stack: StackRecord, row: ResourceRecord) -> Plan:
        own = None
        if row.current_template_id is not None:
            own = await self._parts.definitions.for_template(stack, row.current_template_id)
        return delete_plan(stack, row, own)

    async def _read_attributes(
        self, stack: StackRecord, row: ResourceRecord, running: _Running
    ) -> AttributesRead | AttributesUnreadable:
        definition = await self._parts.definitions.for_stack(stack, running.templates)
        # Which attribute is read may itself be read from a resource that was done before.
        nodes = node_results(running.visit.input_data)
        keys = await evaluation.evaluate(definition.referenced_attributes, row.name, nodes)
        data = await self._parts.attributes.of_node(stack, row, definition, keys)
        for key, value in data.attributes.items():
            if isinstance(value, Exception):
                log.info("an attribute that others need can't be read", exc_info=value)
                reason = f"{row.name}: {encode_key(key)}: {type(value).__name__}: {value}"
                return AttributesUnreadable(reason)
        return AttributesRead(data.to_wire())

    # --- telling others --------------------------------------------------------------------

    async def _propagate(
        self, stack: StackRecord, arrivals: Iterable[Arrival], running: _Running
    ) -> Propagated:
        traversal = running.visit.traversal_id
        graph = self._parts.graphs.known(stack.id, traversal)
        if graph is None:
            graph = await self._parts.database.read(
                lambda connection: self._parts.graphs.read(connection, stack)
            )
        if graph is None:
            return Propagated(gone=True)
        gone = False
        sent = tuple(arrivals)
        answers: dict[int, bool] = {}

        async def arrive(index: int, arrival: Arrival, graph: Graph[Node]) -> None:
            answers[index] = await self._arrive(stack, arrival, graph, running)

        if len(sent) == 1:
            await arrive(0, sent[0], graph)
        else:
            async with trio.open_nursery() as nursery:
                for index, arrival in enumerate(sent):
                    nursery.start_soon(arrive, index, arrival, graph)
        gone = any(answers.values())
        return Propagated(gone)

    async def _arrive(
        self,
        stack: StackRecord,
        arrival: Arrival,
        graph: Graph[Node],
        running: _Running,
        *,
        again: bool = False,
    ) -> bool:
        """Leave the entry and act on a complete set. True: the traversal is over."""
        receiver = arrival.receiver
        traversal = running.visit.traversal_id if not again else stack.current_traversal
        if traversal is None:
            return True
        predecessors = graph.roots() if receiver is None else graph.requires(receiver)
        verdict = await self._parts.rendezvous.arrive(
            Point(stack.id, traversal, receiver),
            arrival,
            predecessors,
            again=again,
        )
        match verdict:
            case Gone():
                return True
            case Complete(input_data, failures, skip):
                if receiver is None:
                    await self._parts.traversals.arrived(stack, failures, running.context)
                else:
                    await self._parts.bus.cast(
                        check_cast(receiver, traversal, input_data, running.context, failures, skip)
                    )
            case _:
                pass
        return False

    async def _wake(self, row: ResourceRecord, running: _Running) -> None:
        """Visit the row anew for the traversal that is current now (rules/i#30)."""

        def unit(
            connection: Connection,
        ) -> tuple[ResourceRecord | None, StackRecord | None, Graph[Node] | None]:
            current = resources.fetch(connection, row.id)
            stack = stacks.fetch(connection, row.stack_id, with_deps=False)
            graph = None if stack is None else self._parts.graphs.read(connection, stack)
            return current, stack, graph

        current, stack, graph = await self._parts.database.read(unit)
        if current is None or stack is None or stack.status is not Status.IN_PROGRESS:
            return
        if stack.current_traversal in (None, "", running.visit.traversal_id):
            return
        if graph is None:
            # It is being prepared: whoever does that finds the row as we leave it.
            return
        node = _node_to_wake(graph, current)
        if node is None:
            if current.replaces is not None:
                await self._disown(current, stack, graph, running)
            return
        await self._arrive(stack, Arrival(node, node), graph, running, again=True)

    async def _disown(
        self,
        row: ResourceRecord,
        stack: StackRecord,
        graph: Graph[Node],
        running: _Running,
    ) -> None:
        """A replacement that the current traversal doesn't know: leave it to the next clean-up.

        Its action becomes DELETE so that no traversal chooses it, and the row that it was to
        replace is visited again (rules/i-convergence.md#12). One that may have made an object is
        FAILED, too: nothing but a row of its own remembers that object.
        """
        values: dict[str, Any] = {"action": Action.DELETE}
        if row.action is not Action.INIT:
            values["status"] = Status.FAILED
        await self._parts.database.transaction(
            lambda connection: resources.update_if(
                connection,
                row.id,
                engine_id=None,
                atomic_key=row.atomic_key,
                values=values,
            )
        )
        if row.replaces is None:
            return
        for is_update in (True, False):
            node = Node(row.replaces, is_update)
            if node in graph:
                await self._arrive(stack, Arrival(node, node), graph, running, again=True)
                return

    def _check(
        self, running: _Running, resource_id: ResourceId, input_data: Mapping[str, Any]
    ) -> Cast:
        node = Node(resource_id, running.visit.is_update)
        return check_cast(node, running.visit.traversal_id, input_data, running.context)


def _without_stranger(connection: Connection, row: ResourceRecord) -> ResourceRecord:
    """The row, without a replacement that is gone and whose id another row may have by now."""
    if row.replaced_by is None:
        return row
    replacement = resources.fetch(connection, row.replaced_by)
    if replacement is not None and replacement.replaces == row.id:
        return row
    return replace(row, replaced_by=None)


def _node_to_wake(graph: Graph[Node], row: ResourceRecord) -> Node | None:
    for is_update in (True, False):
        node = Node(row.id, is_update)
        if node in graph:
            return node
    return None


def _stack_of(running: _Running) -> StackRecord:
    if running.stack is None:
        raise AssertionError("the stack is read before anything is done")
    return running.stack


def check_cast(
    node: Node,
    traversal_id: TraversalId,
    input_data: Mapping[str, Any],
    context: RequestContext,
    failures: Mapping[str, str] = NO_FAILURES,
    skip: bool = False,
) -> Cast:
    """The message that asks for a visit (rules/i-convergence.md#9)."""
    return Cast(
        ENGINE_WORKER,
        CHECK_RESOURCE,
        {
            "resource_id": node.id,
            "current_traversal": traversal_id,
            "data": {"input_data": entries(input_data)},
            "is_update": node.is_update,
            "adopt_stack_data": None,
            "converge": False,
            "skip_propagate": skip,
            "accumulated_failures": dict(failures) or None,
            "node_type": node.type,
            "abandon": False,
        },
        service_context(context),
    )
