"""What comes after a write of a visit, worked out before the write and stored with it.

Theory of operation. A link of a chain is done in small steps, each a transaction: the outcome, the
report to the next link's sync point, the next link's claim. Where few visits are under way nobody
shares these transactions, and what they cost is what the chain takes. But what a write comes to is
mostly known before. So a copy of the visit's machine is told the answer that is foreseen, and what
it then asks for is prepared, as far as it is another write or can be worked out in this process: to
the next link's visit, which is begun in advance, and on from there. All these writes are one item
of the write lane, each conditional as ever, and on the one before having come out as was foreseen.

The machines decide as always, since each visit is then driven as any other: effects that were
foreseen are answered from what came of their writes, those after that are carried out. A visit
whose turn has not come, because something came out otherwise, is forgotten before it began.

Nothing is done outside the database in advance, and no message is acknowledged. What was read in
advance may be old: each write says what it expects, and it is not used for longer than a moment.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import trio

from heat_core.convergence import Node, NodeStep
from heat_core.convergence.evaluation import Plan, class_of
from heat_core.convergence.node_events import (
    AttributesRead,
    ClaimNode,
    Effect,
    EvaluateNode,
    Event,
    Holder,
    LoadNode,
    NodeLoaded,
    OutcomeStored,
    Propagate,
    Propagated,
    ReadAttributes,
    Started,
    StoreUnchanged,
    Visit,
)
from heat_core.convergence.sync_point import NO_FAILURES, Arrival
from heat_core.errors import HeatException
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action
from heat_io.database import Applied, Lost, Step, Verdicts, Write, follows, in_sequence
from heat_io.drivers.check_messages import check_cast, visit_of
from heat_io.drivers.node_parts import NodeParts
from heat_io.drivers.node_reading import NodeReader, is_local
from heat_io.drivers.node_store import NodeWrites, RowWrite
from heat_io.drivers.rendezvous import Complete, Point
from heat_io.drivers.running_visit import RunningVisit, VisitsUnderWay
from heat_io.drivers.visit_loads import Loaded

FEW_VISITS = 4
"""with more of them under way their writes are shared statement by statement, which is better"""
NARROW = 2
"""a sync point that no more wait at is not worth a meeting, nor so many of them a shared write"""
LINKS = 8
"""visits in one transaction"""
WORTH_IT = 2
"""steps"""

type _Reply = Event | int | tuple[int, ...]
"""what was worked out, or the numbers of the steps that give the answer"""


class _NotForeseeable(Exception):
    """What comes next is not a write, or nobody can tell."""


@dataclass(slots=True, eq=False)
class _Link:
    """A visit as far as it is foreseen, beginning once step number `needs` is as foreseen."""

    running: RunningVisit
    machine: NodeStep
    needs: int | None = None
    receiver: Node | None = None
    replies: list[tuple[Effect, _Reply]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Draft:
    graph: Graph[Node]
    steps: list[Step] = field(default_factory=list)
    links: list[_Link] = field(default_factory=list)
    rows: dict[ResourceId, ResourceRecord] = field(default_factory=dict)
    """rows as the steps leave them"""

    def add(self, write: Write[Any], needs: int | None, **is_foreseen: Any) -> int:
        self.steps.append(Step(write, needs, **is_foreseen))
        return len(self.steps) - 1


class Foresight:
    """Works ahead for the visits of one engine."""

    def __init__(
        self,
        parts: NodeParts,
        reader: NodeReader,
        visits: VisitsUnderWay,
    ) -> None:
        """A visit that begins in advance is one of `visits` from then on."""
        self._parts = parts
        self._reader = reader
        self._visits = visits

    async def carry_out(
        self, running: RunningVisit, effect: Effect, write: Write[Any] | None
    ) -> bool:
        """Carry out the effect, by `write` if it is one of a row, with what follows from it.

        False when there is nothing to combine, or the first write did not apply: nothing is
        changed then. True: the answers are in `running.foreseen`, that to `effect` the first.
        """
        graph = self._parts.graphs.known(running.known_stack.id, running.visit.traversal_id)
        if graph is None or running.machine is None or running.visit.failures:
            return False
        draft = _Draft(graph)
        try:
            await self._work_out(draft, running, effect, write)
            if len(draft.steps) < WORTH_IT:
                return False
            verdicts = await self._submit(running.known_stack, draft)
        except BaseException:
            self._forget(draft.links[1:])
            raise
        if verdicts is None:
            self._forget(draft.links[1:])
            return False
        self._settle(draft, verdicts)
        return True

    async def _submit(self, stack: StackRecord, draft: _Draft) -> Verdicts | None:
        verdict = await self._parts.database.submit(stack.id, in_sequence(draft.steps))
        return verdict.value if isinstance(verdict, Applied) else None

    def _forget(self, links: Sequence[_Link]) -> None:
        for link in links:
            self._visits.dismiss(link.running)

    def _settle(self, draft: _Draft, verdicts: Verdicts) -> None:
        """Hand each visit the answers to its effects, up to the first that came out otherwise."""
        before: RunningVisit | None = None
        for number, link in enumerate(draft.links):
            if link.needs is not None:
                verdict = verdicts[link.needs]
                if before is None or link.receiver is None or not isinstance(verdict, Applied):
                    self._forget(draft.links[number:])
                    return
                if not follows(draft.steps[link.needs], verdict):
                    self._forget(draft.links[number:])
                    return
                link.running.visit = _visit(link.receiver, before, verdict.value)
                before.follower = link.running, link.receiver
            link.running.foreseen = _answers(link, verdicts)
            before = link.running

    # --- working out -----------------------------------------------------------------------

    async def _work_out(
        self, draft: _Draft, running: RunningVisit, effect: Effect, write: Write[Any] | None
    ) -> None:
        if running.machine is None:
            raise AssertionError("a visit that asks for something has a machine")
        link = _Link(running, running.machine.copy())
        draft.links.append(link)
        needs: int | None = None
        try:
            effects: Sequence[Effect] = (effect,)
            if write is not None:
                if write.foreseen is None:
                    return
                needs = draft.add(write, None)
                link.replies.append((effect, needs))
                draft.rows[write.foreseen.id] = write.foreseen
                effects = link.machine.handle(OutcomeStored(write.foreseen))
            await self._go_on(draft, link, effects, needs)
            while len(draft.links) < LINKS:
                follower = self._begin_next(draft, link)
                if follower is None:
                    return
                draft.links.append(follower)
                link = follower
                await self._go_on(draft, link, link.machine.handle(Started()), link.needs)
        except (_NotForeseeable, HeatException):
            if len(draft.links) > 1:
                self._forget([draft.links.pop()])

    async def _go_on(
        self, draft: _Draft, link: _Link, effects: Sequence[Effect], needs: int | None
    ) -> None:
        """Follow a visit to its claim or its reports; what it needs done before is step `needs`.

        Steps of a visit that turns out not to be foreseeable are taken back.
        """
        running, before = link.running, len(draft.steps)
        try:
            while True:
                (effect,) = effects if len(effects) == 1 else (None,)
                match effect:
                    case LoadNode():
                        event: Event = self._loaded(draft, link)
                    case EvaluateNode() if await self._reader.is_local(effect, running):
                        event = await self._reader.evaluate(effect, running)
                    case ReadAttributes(stack, row) if await self._is_readable(effect, running):
                        event = await self._reader.read_attributes(stack, row, running)
                        if not isinstance(event, AttributesRead):
                            raise _NotForeseeable
                    case StoreUnchanged(row, plan):
                        write = unchanged_write(self._parts.writes, running, row, plan)
                        needs = draft.add(write, needs)
                        link.replies.append((effect, needs))
                        draft.rows[row.id] = stored = write.foreseen or row
                        effects = link.machine.handle(OutcomeStored(stored))
                        continue
                    case ClaimNode(take_over=False, quietly=False):
                        running.holds = effect.row.id
                        claim = claim_write(self._parts.writes, running, effect)
                        link.replies.append((effect, draft.add(claim, needs)))
                        return
                    case Propagate():
                        self._report(draft, link, effect, needs)
                        link.machine.handle(Propagated(gone=False))
                        return
                    case _:
                        raise _NotForeseeable
                link.replies.append((effect, event))
                effects = link.machine.handle(event)
        except (_NotForeseeable, HeatException):
            if link.needs is not None:
                del draft.steps[before:]
            raise

    def _report(self, draft: _Draft, link: _Link, effect: Propagate, needs: int | None) -> None:
        points = [_point(draft.graph, link.running, arrival) for arrival in effect.arrivals]
        if len(points) > NARROW or any(len(those) > NARROW for _, those in points):
            raise _NotForeseeable
        numbers = []
        for arrival, (point, predecessors) in zip(effect.arrivals, points, strict=True):
            write = self._parts.rendezvous.write_of(point, arrival, predecessors)
            numbers.append(draft.add(write, needs, is_foreseen=_completes))
        link.replies.append((effect, tuple(numbers)))

    # --- the next link ---------------------------------------------------------------------

    def _begin_next(self, draft: _Draft, link: _Link) -> _Link | None:
        """The visit that the reports of a link are likely to make due, if all of it was read."""
        effect, numbers = link.replies[-1] if link.replies else (None, ())
        before = link.running
        if not isinstance(effect, Propagate) or not isinstance(numbers, tuple):
            return None
        if not self._parts.keeps_visits() or not before.context.can_act:
            return None
        if before.ahead_until < trio.current_time() or before.visit.skip:
            return None
        if before.known_stack.action is Action.CHECK:
            return None
        for arrival, number in zip(effect.arrivals, numbers, strict=True):
            receiver = arrival.receiver
            if receiver is None or receiver not in before.ahead:
                continue
            foreseen = draft.steps[number].write.foreseen
            if isinstance(foreseen, Complete):
                return self._next(before, receiver, foreseen, number)
        return None

    def _next(self, before: RunningVisit, receiver: Node, complete: Complete, number: int) -> _Link:
        # Whoever does a chain's links does its end.
        self._parts.traversals.expect_removal(before.known_stack)
        running = self._visits.enlist(_visit(receiver, before, complete), before.context)
        running.ahead, running.ahead_until = before.ahead, before.ahead_until
        machine = NodeStep(
            running.visit, retry_limit=self._parts.retry_limit, takes_over=self._parts.takes_over
        )
        return _Link(running, machine, number, receiver)

    def _loaded(self, draft: _Draft, link: _Link) -> NodeLoaded:
        running = link.running
        found: Loaded | None = None
        if link.receiver is not None:
            found = running.ahead.get(link.receiver)
        if found is None or found.row is None or found.stack is None or found.row.engine_id:
            raise _NotForeseeable
        running.stack, running.templates = found.stack, found.template_keys
        return NodeLoaded(
            row=draft.rows.get(found.row.id, found.row),
            stack=found.stack,
            graph=found.graph,
            holder=Holder.NOBODY,
            now=self._parts.now(),
            stands_for=found.stands_for,
            reported=found.reported,
        )

    async def _is_readable(self, effect: ReadAttributes, running: RunningVisit) -> bool:
        """Whether no service and no other stack is asked for what others read of the row."""
        definition = await self._parts.definitions.for_stack(effect.stack, running.templates)
        resource = definition.resources.get(effect.row.name)
        return resource is not None and is_local(class_of(resource.type, definition, resource.name))


def unchanged_write(
    writes: NodeWrites, running: RunningVisit, row: ResourceRecord, plan: Plan
) -> RowWrite:
    """Move an unchanged row to the template of the visit's traversal."""
    stack = running.known_stack
    at = stack.id, running.visit.traversal_id
    return writes.unchanged(row, plan, stack, at)


def claim_write(writes: NodeWrites, running: RunningVisit, effect: ClaimNode) -> RowWrite:
    """Take the row's lock for an action in the visit's traversal."""
    plan = effect.plan
    type_name = plan.type_name if isinstance(plan, Plan) else ""
    return writes.claim(effect, running.known_stack, running.visit.traversal_id, type_name)


def _completes(verdict: Any) -> bool:
    return isinstance(verdict, Complete) and not verdict.failures and not verdict.skip


def _point(
    graph: Graph[Node], running: RunningVisit, arrival: Arrival
) -> tuple[Point, Sequence[Node]]:
    receiver = arrival.receiver
    predecessors = graph.roots() if receiver is None else graph.requires(receiver)
    return Point(running.known_stack.id, running.visit.traversal_id, receiver), predecessors


def _visit(receiver: Node, before: RunningVisit, complete: Complete) -> Visit:
    """The visit in the form that it would have had on its way through the broker."""
    traversal: TraversalId = before.visit.traversal_id
    cast = check_cast(receiver, traversal, complete.input_data, before.context, NO_FAILURES, False)
    return visit_of(json.loads(json.dumps(cast.arguments)))


def _answers(link: _Link, verdicts: Verdicts) -> deque[tuple[Effect, Any]]:
    """By effect: the event that was worked out, the row's verdict, or those of the sync points."""
    answers: deque[tuple[Effect, Any]] = deque()
    for effect, reply in link.replies:
        if isinstance(reply, int):
            verdict = verdicts[reply]
            if not isinstance(verdict, Applied):
                break
            answers.append((effect, verdict))
        elif isinstance(reply, tuple):
            values = [verdicts[number] for number in reply]
            if any(isinstance(value, Lost) for value in values):
                break
            answers.append((effect, tuple(v.value for v in values if isinstance(v, Applied))))
        else:
            answers.append((effect, reply))
    return answers
