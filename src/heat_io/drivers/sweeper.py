"""The sweeper: finds stacks that are owed something, and gives it to them.

The first sweep of an engine that is alone acts on all that it finds: whatever was under way is
gone. Other sweeps leave a traversal alone while it makes progress, and act only on what has been
owed unchanged since the sweep before, because a message may be on its way. Whether somebody is
beginning an operation nobody can see while it is one of Heat's engines: that gets more time.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

import trio

from heat_core.convergence import owed
from heat_core.convergence.node_events import Visit
from heat_core.convergence.recovery import (
    NEEDS_MARK,
    BeginOwed,
    CompleteOwed,
    EndOwed,
    Owed,
    PrepareOwed,
    ReportOwed,
    SettleOwed,
    TimeoutOwed,
    VisitOwed,
)
from heat_core.convergence.traversal import OperationRequested
from heat_core.errors import HeatException
from heat_core.rpc import RequestContext
from heat_core.stack.ids import EngineId, StackId, TraversalId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action
from heat_io.database import Database, recovery, stacks
from heat_io.database.recovery import Fingerprint
from heat_io.drivers.node_driver import NodeDriver
from heat_io.drivers.ports import CredentialsSource, Liveness, Now
from heat_io.drivers.traces import read_traces
from heat_io.drivers.traversal_driver import TraversalDriver

log = logging.getLogger(__name__)

BEGINNING_SECONDS = 30.0
"""so long may an engine take from one step of a beginning to the next"""


@dataclass(frozen=True, slots=True)
class SweeperParts:
    """What a sweeper is made of."""

    database: Database
    engine_id: EngineId
    nodes: NodeDriver
    traversals: TraversalDriver
    credentials: CredentialsSource
    liveness: Liveness
    now: Now
    alone: bool = True
    """whether no other engine can be running on the same database"""
    may_abandon: bool = True
    """whether Heat's engines may be abandoning a stack that seems to be deleted"""


@dataclass(slots=True)
class _Seen:
    """What the sweep before saw of a stack, and since when it has been so (Trio's clock)."""

    fingerprint: Fingerprint
    since: float
    owed: frozenset[str] = field(default_factory=frozenset)


class Sweeper:
    """Sweeps when told to, or every so often."""

    def __init__(self, parts: SweeperParts) -> None:
        self._parts = parts
        self._seen: dict[StackId, _Seen] = {}
        self._attended: dict[StackId, frozenset[str]] = {}
        self._swept = False
        self.resumed = 0

    async def run(self, interval_seconds: float) -> None:
        """Sweep at once, then every interval, until cancelled."""
        while True:
            try:
                await self.sweep()
            except* Exception:
                log.exception("a sweep ended in an unexpected error")
            await trio.sleep(interval_seconds)

    async def sweep(self) -> int:
        """Look at every unfinished stack once; return how many things were owed and given."""
        first = self._parts.alone and not self._swept
        unfinished = await self._parts.database.read(recovery.unfinished)
        self._swept = True
        given = 0
        for stack in unfinished:
            given += await self._sweep_stack(stack, first)
        present = {stack.id for stack in unfinished}
        self._seen = {key: seen for key, seen in self._seen.items() if key in present}
        self.resumed += given
        return given

    async def attend(self, stack_id: StackId) -> tuple[Owed, ...]:
        """Give one stack what it is owed; what that was.

        For a process that knows that nobody else is at the stack: the first time everything is
        given at once, later what was owed the time before, as a message may be on its way.
        """
        stack = await self._parts.database.read(
            lambda connection: stacks.fetch(connection, stack_id, with_deps=False)
        )
        if stack is None or self._parts.traversals.busy_with(stack_id):
            return ()
        found = await self._owed(stack)
        before = self._attended.get(stack_id)
        self._attended[stack_id] = frozenset(map(_name, found))
        due = [item for item in found if before is None or _name(item) in before]
        given = tuple([item for item in due if await self._give(stack, item)])
        self.resumed += len(given)
        return given

    async def _sweep_stack(self, stack: StackRecord, first: bool) -> int:
        if self._parts.traversals.busy_with(stack.id):
            return 0
        mark = await self._parts.database.read(
            lambda connection: recovery.fingerprint(connection, stack.id, stack.current_traversal)
        )
        seen = self._seen.get(stack.id)
        moved = seen is None or seen.fingerprint != mark
        if moved and not first:
            self._seen[stack.id] = _Seen(mark, trio.current_time())
            return 0
        found = await self._owed(stack)
        before = frozenset() if seen is None else seen.owed
        since = trio.current_time() if seen is None else seen.since
        self._seen[stack.id] = _Seen(mark, since, frozenset(map(_name, found)))
        now = [
            item for item in found if first or (_name(item) in before and self._is_due(item, since))
        ]
        for item in now:
            await self._give(stack, item)
        return len(now)

    def _is_due(self, item: Owed, since: float) -> bool:
        """Whether nobody can be at it any more who has been at it unseen."""
        unseen = isinstance(item, BeginOwed) or (isinstance(item, PrepareOwed) and item.unmarked)
        patience = BEGINNING_SECONDS if unseen and not self._parts.alone else 0.0
        return trio.current_time() >= since + patience

    async def _owed(self, stack: StackRecord) -> tuple[Owed, ...]:
        traces = await self._parts.database.read(lambda connection: read_traces(connection, stack))
        if traces is None:
            return ()
        dead: dict[EngineId, bool] = {}
        for row in traces.rows:
            engine = row.engine_id
            if engine is None:
                continue
            if engine == self._parts.engine_id:
                # Ours: left over unless a visit of ours has it.
                dead[engine] = dead.get(engine, False) or not self._parts.nodes.holds(row.id)
            elif engine not in dead:
                dead[engine] = await self._parts.liveness.is_dead(engine)
        return owed(
            traces,
            is_dead=lambda engine: dead[engine],
            now=self._parts.now(),
            needs_mark=NEEDS_MARK if self._parts.may_abandon else NEEDS_MARK - {Action.DELETE},
        )

    async def _give(self, stack: StackRecord, item: Owed) -> bool:
        """Do one thing that is owed; False when it is being done already."""
        log.info(
            "a stack is owed something",
            extra={"fields": {"stack_id": stack.id, "owed": _name(item)}},
        )
        context = RequestContext(project_id=stack.tenant)
        traversals = self._parts.traversals
        match item:
            case BeginOwed(action):
                changes = await self._missing(stack, context)
                await traversals.begin(stack, OperationRequested(action, changes=changes), context)
            case PrepareOwed():
                await traversals.prepare(stack, context)
            case VisitOwed(node, resource_id, input_data, failures, skip):
                visit = Visit(
                    resource_id,
                    stack.current_traversal or TraversalId(""),
                    node.is_update,
                    input_data,
                    skip,
                    failures,
                )
                if self._parts.nodes.is_visiting(visit):
                    return False
                self._parts.nodes.start(visit, context)
            case ReportOwed(node):
                await self._parts.nodes.report_removed(stack, node, context)
            case CompleteOwed(failures):
                await traversals.arrived(stack, failures, context)
            case TimeoutOwed():
                await traversals.fail(stack, "Timed out", context)
            case EndOwed():
                await traversals.end(stack, context)
            case SettleOwed(resource_id):
                await self._parts.nodes.settle(stack, resource_id)
        return True

    async def _missing(self, stack: StackRecord, context: RequestContext) -> dict[str, Any]:
        """What a create was about to store when it was cut: the stack's own project.

        It may have been made; without its id in the row nobody would ever delete it.
        """
        if stack.stack_user_project_id is not None:
            return {}
        try:
            project_id = await self._parts.credentials.create_project(context, stack.id)
        except HeatException as error:
            log.warning(
                "a stack starts without a project of its own",
                extra={"fields": {"stack_id": stack.id, "error": str(error)}},
            )
            return {}
        return {} if project_id is None else {"stack_user_project_id": project_id}


def _name(item: Owed) -> str:
    match item:
        case VisitOwed(node):
            return f"VisitOwed {node.key}"
        case ReportOwed(node):
            return f"ReportOwed {node.key}"
        case SettleOwed(resource_id):
            return f"SettleOwed {resource_id}"
        case _:
            return type(item).__name__
