"""A visit that is under way: what this process knows of it, and its message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import trio

from heat_core.convergence.node_events import Visit
from heat_core.rpc import RequestContext
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_io.database import TemplateKey
from heat_io.drivers.definitions import NONE_KNOWN
from heat_io.drivers.slots import Slot
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
    """the held row with the ids and data that its procedure stored"""
    stopped: bool = False
    """told to stop by an operation that supersedes its traversal"""

    @property
    def known_stack(self) -> StackRecord:
        """The stack, which is read before anything is done."""
        if self.stack is None:
            raise AssertionError("the stack is read before anything is done")
        return self.stack
