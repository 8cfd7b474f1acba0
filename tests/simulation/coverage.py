"""Which transitions and effects the machines went through, and which effects a crash cut off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from heat_core.convergence import (
    NODE_STEP_TABLE,
    TRAVERSAL_TABLE,
    Machine,
    NodeStep,
    Traversal,
    node_events,
    node_step,
    traversal,
)
from heat_core.convergence.recovery import Owed
from heat_io.drivers.node_driver import NodeDriver
from heat_io.drivers.sweeper import Sweeper
from heat_io.drivers.traversal_driver import TraversalDriver

MACHINES: dict[str, Any] = {NodeStep.__name__: NODE_STEP_TABLE, Traversal.__name__: TRAVERSAL_TABLE}
EFFECTS: dict[str, Any] = {
    NodeStep.__name__: node_events.Effect,
    Traversal.__name__: traversal.Effect,
}


BEFORE_A_CLAIM = (
    node_step.State.LOADING,
    node_step.State.EVALUATING,
    node_step.State.CLAIMING,
)
"""where a visit still has all before it, and only the broker would know of it"""


def expected() -> list[str]:
    """Everything that a long run must have met."""
    names = [
        transition(machine, state, event, target)
        for machine, table in MACHINES.items()
        for state, events in table.items()
        for event, targets in events.items()
        for target in targets
    ]
    for machine, union in EFFECTS.items():
        names += [f"{machine} -> {effect.__name__}" for effect in union.__value__.__args__]
    names += [f"decision {decision}" for decision in node_events.Decision]
    names += [f"outcome {outcome}" for outcome in node_events.Outcome]
    names += [f"owed {owed.__name__}" for owed in Owed.__value__.__args__]
    return names


def transition(machine: str, state: Any, event: type[Any], target: Any) -> str:
    return f"{machine} {state}: {event.__name__} -> {target}"


@dataclass
class Watch:
    """What is counted, and who is told when a machine does what it must not."""

    hits: Counter[str]
    complain: Callable[[str], None] = lambda text: None


@contextmanager
def counting(watch: Watch) -> Iterator[None]:
    """Count all that happens meanwhile, and watch when messages are acknowledged."""
    hits = watch.hits
    real_handle = Machine.handle
    real_give = Sweeper._give

    def handle(self: Any, event: Any) -> Any:
        before = self.state
        effects = real_handle(self, event)
        machine = type(self).__name__
        hits[transition(machine, before, type(event), self.state)] += 1
        for effect in effects:
            hits[f"{machine} -> {type(effect).__name__}"] += 1
            acknowledges = isinstance(effect, node_events.Acknowledge)
            if acknowledges and self.state in BEFORE_A_CLAIM and not self._held:
                watch.complain("a message is acknowledged before its claim")
        if isinstance(event, node_events.NodeEvaluated):
            hits[f"decision {event.decision}"] += 1
        elif isinstance(event, node_events.ProcedureFinished):
            hits[f"outcome {event.outcome}"] += 1
        return effects

    async def give(self: Any, stack: Any, item: Any) -> Any:
        hits[f"owed {type(item).__name__}"] += 1
        return await real_give(self, stack, item)

    with (
        mock.patch.object(Machine, "handle", handle),
        mock.patch.object(Sweeper, "_give", give),
        _in_flight(NodeDriver, NodeStep.__name__),
        _in_flight(TraversalDriver, Traversal.__name__),
    ):
        yield


def _in_flight(driver: type[Any], machine: str) -> Any:
    """Let an engine know which effects it is carrying out, so that its death shows what it cut."""
    real = driver._perform

    async def perform(self: Any, effect: Any, *arguments: Any) -> Any:
        doing = self._parts.liveness.doing
        name = f"{machine} -> {type(effect).__name__}"
        doing[name] += 1
        answer = await real(self, effect, *arguments)
        # Not in a `finally`: what a crash cuts off stays in the books.
        doing[name] -= 1
        return answer

    return mock.patch.object(driver, "_perform", perform)
