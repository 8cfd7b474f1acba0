"""What every state machine of the core shares: a literal table, checked at each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from enum import StrEnum
from typing import Any, Self

type Table[S: StrEnum] = Mapping[S, Mapping[type[Any], tuple[S, ...]]]
"""state -> event class -> the states that the event may lead to"""


class IllegalEvent(Exception):
    """The event makes no sense in this state. Nothing has changed."""


class Machine[S: StrEnum, E, F]:
    """A state machine: `handle(event)` returns the effects to carry out, in order.

    A subclass has its table and one method `_on_<event>` an event class. The method returns the
    next state and the effects; a state that the table doesn't allow is a bug and raises
    AssertionError before anything changes.
    """

    table: Table[S]

    def __init__(self, state: S) -> None:
        self.state = state

    @property
    def done(self) -> bool:
        """Whether no event may come any more."""
        return not self.table[self.state]

    def copy(self) -> Self:
        """Another one in the same state, to see what comes of an event that may be coming."""
        return copy(self)

    def handle(self, event: E) -> tuple[F, ...]:
        allowed = self.table[self.state].get(type(event))
        if allowed is None:
            raise IllegalEvent(f"{type(event).__name__} in state {self.state}")
        handler: Callable[[E], tuple[S, tuple[F, ...]]] = getattr(
            self, f"_on_{_snake(type(event).__name__)}"
        )
        state, effects = handler(event)
        if state not in allowed:
            raise AssertionError(
                f"{type(self).__name__}: {type(event).__name__} led from {self.state} to {state}"
            )
        self.state = state
        return effects


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def diagram[S: StrEnum](table: Table[S], title: str) -> str:
    """The table as a Mermaid state diagram, for docs/architecture.md."""
    lines = ["```mermaid", "stateDiagram-v2", f"    %% {title}"]
    arrows: dict[tuple[str, str], list[str]] = {}
    for state, events in table.items():
        for event, targets in events.items():
            for target in targets:
                arrows.setdefault((state.value, target.value), []).append(event.__name__)
    for (source, destination), names in arrows.items():
        lines.append(f"    {source} --> {destination}: {', '.join(names)}")
    lines.extend(f"    {last.value} --> [*]" for last, events in table.items() if not events)
    lines.append("```")
    return "\n".join(lines)
