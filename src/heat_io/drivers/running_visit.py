"""A visit that is under way: what this process knows of it, and its message."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import trio

from heat_core.convergence import Node, NodeStep
from heat_core.convergence.node_events import Effect, Visit
from heat_core.rpc import RequestContext
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_io.database import TemplateKey
from heat_io.drivers.definitions import NONE_KNOWN
from heat_io.drivers.node_rows import Owed
from heat_io.drivers.slots import Slot, Slots
from heat_io.drivers.visit_loads import Loaded
from heat_io.messaging import Delivery


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
class RunningVisit:
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
    """the held row with the ids and data that its procedure stored, and those that it owes"""
    owed: Owed | None = None
    stopped: bool = False
    """told to stop by an operation that supersedes its traversal"""
    machine: NodeStep | None = None
    ahead: Mapping[Node, Loaded] = field(default_factory=dict)
    """what was read of the visits that are likely to come next, good until `ahead_until`"""
    ahead_until: float = -math.inf
    foreseen: deque[tuple[Effect, Any]] = field(default_factory=deque)
    """answers to the next effects that are known already, see Foresight"""
    follower: tuple[RunningVisit, Node] | None = None
    """the visit that begins when this one is over, and its node"""

    @property
    def known_stack(self) -> StackRecord:
        """The stack, which is read before anything is done."""
        if self.stack is None:
            raise AssertionError("the stack is read before anything is done")
        return self.stack


class VisitsUnderWay:
    """The visits of this process that are under way, in the order in which they began."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        # A dict, not a set: what is stopped together is stopped in one fixed order.
        self._visits: dict[RunningVisit, None] = {}

    def new(
        self, visit: Visit, context: RequestContext, acknowledger: Acknowledger | None = None
    ) -> RunningVisit:
        """A visit that nobody else in this process knows of."""
        acknowledger = acknowledger or Acknowledger(None)
        return RunningVisit(visit, context, acknowledger, self._slots.slot())

    def enlist(
        self, visit: Visit, context: RequestContext, acknowledger: Acknowledger | None = None
    ) -> RunningVisit:
        """A new visit that is under way from here on."""
        running = self.new(visit, context, acknowledger)
        self._visits[running] = None
        return running

    def dismiss(self, running: RunningVisit) -> None:
        """The visit is over, if it was under way."""
        self._visits.pop(running, None)

    def __iter__(self) -> Iterator[RunningVisit]:
        return iter(self._visits)

    def __len__(self) -> int:
        return len(self._visits)
