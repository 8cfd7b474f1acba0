"""What a visit tells others: results at sync points, and wake-ups.

Of the nodes that a visit's results complete, one is visited in this process, which along a chain is
every one: the broker would only bring it back. The others go to whoever has time for them, in one
batch. That is as safe as a message, which is acknowledged at the claim: from the completed sync
point on the database knows what is owed, and the sweeper finds it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import trio
from sqlalchemy import Connection

from heat_core.convergence import Node, is_gone
from heat_core.convergence import arrivals as node_arrivals
from heat_core.convergence.node_events import Propagate, Propagated, Visit
from heat_core.convergence.sync_point import NO_FAILURES, Arrival
from heat_core.graph import Graph
from heat_core.rpc import RequestContext
from heat_core.stack.ids import ResourceId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import resources, stacks
from heat_io.drivers.check_messages import check_cast, visit_of
from heat_io.drivers.handing_on import acting_context
from heat_io.drivers.node_parts import NodeParts
from heat_io.drivers.rendezvous import Complete, Gone, Point, Verdict
from heat_io.drivers.running_visit import RunningVisit
from heat_io.messaging import Cast

GONE = True
"""the traversal is over"""


class NodeReports:
    """Reports for visits."""

    def __init__(self, parts: NodeParts, start: Callable[[Visit, RequestContext], None]) -> None:
        """`start` begins a visit in this process."""
        self._parts = parts
        self._start = start

    async def propagate(
        self, stack: StackRecord, arrivals: Iterable[Arrival], running: RunningVisit
    ) -> Propagated:
        """Leave a result at all sync points that wait; says whether the traversal is over."""
        traversal = running.visit.traversal_id
        graph = self._parts.graphs.known(stack.id, traversal)
        if graph is None:
            graph = await self._parts.database.read(
                lambda connection: self._parts.graphs.read(connection, stack)
            )
        if graph is None:
            return Propagated(gone=True)
        sent = tuple(arrivals)
        answers: dict[int, Cast | bool] = {}

        async def arrive(index: int, arrival: Arrival, graph: Graph[Node]) -> None:
            answers[index] = await self._arrive(stack, arrival, graph, running)

        if len(sent) == 1:
            await arrive(0, sent[0], graph)
        else:
            async with trio.open_nursery() as nursery:
                for index, arrival in enumerate(sent):
                    nursery.start_soon(arrive, index, arrival, graph)
        in_order = [answers[index] for index in range(len(sent))]
        await self._ask_for([answer for answer in in_order if isinstance(answer, Cast)])
        return Propagated(gone=any(answer is GONE for answer in in_order))

    async def propagated(
        self, effect: Propagate, verdicts: Sequence[Verdict], running: RunningVisit
    ) -> Propagated:
        """The same where the entries have been left already; a follower has begun as it is."""
        begun = None if running.follower is None else running.follower[1]
        casts: list[Cast] = []
        gone = False
        for arrival, verdict in zip(effect.arrivals, verdicts, strict=True):
            if arrival.receiver is not None and arrival.receiver == begun:
                continue
            answer = await self._act_on(
                verdict, effect.stack, arrival.receiver, running.visit.traversal_id, running
            )
            gone = gone or answer is GONE
            casts += [answer] if isinstance(answer, Cast) else []
        if begun is None:
            await self._ask_for(casts)
        elif casts:
            await self._parts.bus.cast_many(casts)
        return Propagated(gone=gone)

    async def arrive(
        self,
        stack: StackRecord,
        arrival: Arrival,
        graph: Graph[Node],
        running: RunningVisit,
        *,
        again: bool = False,
    ) -> None:
        """Leave the entry and act on a complete set."""
        answer = await self._arrive(stack, arrival, graph, running, again=again)
        if isinstance(answer, Cast):
            await self._ask_for([answer])

    async def _arrive(
        self,
        stack: StackRecord,
        arrival: Arrival,
        graph: Graph[Node],
        running: RunningVisit,
        *,
        again: bool = False,
    ) -> Cast | bool:
        """Leave the entry. The message that is to be sent, GONE, or not GONE."""
        receiver = arrival.receiver
        traversal = running.visit.traversal_id if not again else stack.current_traversal
        if traversal is None:
            return GONE
        predecessors = graph.roots() if receiver is None else graph.requires(receiver)
        verdict = await self._parts.rendezvous.arrive(
            Point(stack.id, traversal, receiver),
            arrival,
            predecessors,
        )
        return await self._act_on(verdict, stack, receiver, traversal, running, again=again)

    async def _act_on(
        self,
        verdict: Verdict,
        stack: StackRecord,
        receiver: Node | None,
        traversal: TraversalId,
        running: RunningVisit,
        *,
        again: bool = False,
    ) -> Cast | bool:
        match verdict:
            case Gone():
                return GONE
            case Complete(failures=failures):
                if receiver is None:
                    await self._parts.traversals.arrived(stack, failures, running.context)
                else:
                    if again:
                        await self._renew_context(stack, running)
                    return await self._message(stack, receiver, running, traversal, verdict)
            case _:
                pass
        return not GONE

    async def ask(self, stack: StackRecord, node: Node, running: RunningVisit) -> None:
        """Ask for a visit that is to have what this visit had."""
        same = Complete(running.visit.input_data, NO_FAILURES, False)
        await self._ask_for(
            [await self._message(stack, node, running, running.visit.traversal_id, same)]
        )

    async def _message(
        self,
        stack: StackRecord,
        node: Node,
        running: RunningVisit,
        traversal_id: TraversalId,
        complete: Complete,
    ) -> Cast:
        """The message that asks for a visit, in the context of the visit that makes it due."""
        if not running.context.can_act:
            await self._renew_context(stack, running)
        return check_cast(
            node,
            traversal_id,
            complete.input_data,
            running.context,
            complete.failures,
            complete.skip,
        )

    async def again(self, running: RunningVisit) -> Cast:
        """The message that asks any engine for the very visit that is under way here."""
        visit = running.visit
        node = Node(visit.resource_id, visit.is_update)
        same = Complete(visit.input_data, visit.failures, visit.skip)
        return await self._message(running.known_stack, node, running, visit.traversal_id, same)

    async def _ask_for(self, casts: Sequence[Cast]) -> None:
        """Have the nodes visited, the first of them here."""
        if casts and self._parts.keeps_visits():
            # In the form that it would have had on its way through the broker.
            arguments = json.loads(json.dumps(casts[0].arguments))
            self._start(visit_of(arguments), casts[0].context)
            casts = casts[1:]
        if casts:
            await self._parts.bus.cast_many(casts)

    async def _renew_context(self, stack: StackRecord, running: RunningVisit) -> None:
        """Nobody's, or that of an earlier operation, which may be another user's."""
        running.context = await acting_context(self._parts.credentials, stack, running.context)

    async def wake(self, row: ResourceRecord, running: RunningVisit) -> None:
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
        node = _node_of(graph, current.id)
        if node is None:
            if current.replaces is not None:
                await self._disown(current, stack, graph, running)
            return
        await self.arrive(stack, Arrival(node, node, again=True), graph, running, again=True)

    async def _disown(
        self,
        row: ResourceRecord,
        stack: StackRecord,
        graph: Graph[Node],
        running: RunningVisit,
    ) -> None:
        """A replacement that the current traversal doesn't know: leave it to the next clean-up.

        Its action becomes DELETE so that no traversal chooses it, and the row that it was to
        replace is visited again (rules/i-convergence.md#12). One that may have made an object is
        FAILED, too: nothing but a row of its own remembers that object.
        """
        if not is_gone(row):
            await self._leave(row)
        node = None if row.replaces is None else _node_of(graph, row.replaces)
        if node is not None:
            await self.arrive(stack, Arrival(node, node, again=True), graph, running, again=True)

    async def _leave(self, row: ResourceRecord) -> None:
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

    async def report_removed(self, stack: StackRecord, node: Node, running: RunningVisit) -> None:
        """Report a clean-up node whose row is gone."""
        graph = await self._parts.database.read(
            lambda connection: self._parts.graphs.read(connection, stack)
        )
        if graph is None or node not in graph or not isinstance(node.id, int):
            return
        sent = node_arrivals(graph, node, data=None, row_id=ResourceId(node.id), replaced_by=None)
        for arrival in sent:
            await self.arrive(stack, arrival, graph, running)


def _node_of(graph: Graph[Node], row_id: ResourceId) -> Node | None:
    """The node of a row that is to be visited: its update if it has one, else its clean-up."""
    for is_update in (True, False):
        node = Node(row_id, is_update)
        if node in graph:
            return node
    return None
