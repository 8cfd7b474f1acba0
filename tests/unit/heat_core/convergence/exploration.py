"""Walks everything that a machine can do, given every answer that each effect may get.

The walk is breadth first over (machine, watcher), where the watcher remembers of the path what the
properties are about; what was seen before is not walked again, so it ends without a bound on the
length of a path.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from heat_core.convergence import Machine

type Transition = tuple[str, type[Any], str]
"""state, class of the event, next state"""


@dataclass
class Explored:
    """What a walk saw: each transition once, and how many different situations there were."""

    transitions: set[Transition] = field(default_factory=set)
    situations: int = 0


def explore[W](
    machine: Machine[Any, Any, Any],
    watcher: W,
    first: Iterable[Any],
    answers: Callable[[Any], Iterable[Any]],
    watch: Callable[[W, Machine[Any, Any, Any], str, Any, tuple[Any, ...]], W],
) -> Explored:
    """Walk from `machine`, beginning with each of `first`.

    `answers(effect)` are the events that may answer an effect, none for one without an answer.
    `watch(watcher, machine, state before, event, effects)` gives the watcher after a step and
    raises when a property does not hold; both must have a repr that tells all about them.
    """
    found = Explored()
    seen: set[str] = set()
    shown = Shown()
    waiting = deque([(machine, watcher, event, (event,)) for event in first])
    while waiting:
        before, watching, event, path = waiting.popleft()
        after = branch(before)
        try:
            effects = after.handle(event)
            watching = watch(watching, after, str(before.state), event, effects)
        except Exception as error:
            for number, step in enumerate(path, 1):
                error.add_note(f"{number}. {step}")
            raise
        found.transitions.add((str(before.state), type(event), str(after.state)))
        asking = [effect for effect in effects if any(True for _ in answers(effect))]
        assert len(asking) == (0 if after.done else 1), f"{effects} in state {after.state}"
        situation = repr((_told(after, shown), watching, list(map(shown, asking))))
        if situation in seen:
            continue
        seen.add(situation)
        for effect in asking:
            possible = list(answers(effect))
            allowed = set(after.table[after.state])
            assert {type(answer) for answer in possible} == allowed, f"{effect}: {allowed}"
            waiting.extend((after, watching, answer, (*path, answer)) for answer in possible)
    found.situations = len(seen)
    return found


def branch(thing: Any) -> Any:
    """A copy that shares only what never changes."""
    branched = copy.copy(thing)
    for name, value in vars(thing).items():
        if isinstance(value, dict):
            setattr(branched, name, dict(value))
        elif _may_change(value):
            setattr(branched, name, branch(value))
    return branched


def _may_change(value: Any) -> bool:
    """Frozen values have slots, so what has a __dict__ changes."""
    return hasattr(value, "__dict__") and not isinstance(value, Enum)


class Shown:
    """The repr of values that don't change, made once each: rows have long ones."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, str]] = {}

    def __call__(self, value: Any) -> str:
        known = self._known.get(id(value))
        if known is None:
            # The value is kept, so that its id stays its own.
            known = self._known[id(value)] = (value, repr(value))
        return known[1]


def _told(thing: Any, shown: Shown) -> list[tuple[str, Any]]:
    return [
        (name, _told(value, shown) if _may_change(value) else _text(value, shown))
        for name, value in sorted(vars(thing).items())
    ]


def _text(value: Any, shown: Shown) -> Any:
    return repr(value) if isinstance(value, dict) else shown(value)


def rows_of(table: Any) -> set[Transition]:
    """All transitions that a table allows."""
    return {
        (str(state), event, str(target))
        for state, events in table.items()
        for event, targets in events.items()
        for target in targets
    }
