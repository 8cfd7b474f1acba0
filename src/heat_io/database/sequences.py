"""Writes that follow one from another, as one item of a write lane.

Each step makes sense only once an earlier one has come out as was foreseen. All of them are in one
transaction, so whoever looks sees none or all of those that were applied; what each came to is told
one by one, as if each had been submitted when the verdict on the one before was known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from heat_io.database.verdicts import Applied, Lost, Write

type Verdicts = tuple[Applied[Any] | Lost, ...]
"""one a step; Lost too for a step that was not tried"""


def _anything(value: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Step:
    """A write that is tried once step number `needs` is applied and its value `is_foreseen`."""

    write: Write[Any]
    needs: int | None = None
    is_foreseen: Callable[[Any], bool] = _anything
    """of this step's own value: whether what follows makes sense"""


def in_sequence(steps: Sequence[Step]) -> Write[Verdicts]:
    """One write of all; Lost when the first is, on which all others depend."""

    def run(perform: Callable[[Write[Any]], Applied[Any] | Lost]) -> Applied[Verdicts] | Lost:
        verdicts: list[Applied[Any] | Lost] = []
        for step in steps:
            makes_sense = step.needs is None or follows(steps[step.needs], verdicts[step.needs])
            verdicts.append(perform(step.write) if makes_sense else Lost())
        return Lost() if isinstance(verdicts[0], Lost) else Applied(tuple(verdicts))

    def apply(connection: Connection) -> Applied[Verdicts] | Lost:
        return run(lambda write: write.apply(connection))

    def confirm(connection: Connection) -> Applied[Verdicts] | Lost:
        return run(lambda write: write.confirm(connection))

    first = steps[0].write
    label = "+".join(step.write.label for step in steps)
    return Write(apply, confirm, order=first.order, label=label)


def follows(step: Step, verdict: Applied[Any] | Lost) -> bool:
    """Whether what needs `step` makes sense after this verdict on it."""
    return isinstance(verdict, Applied) and step.is_foreseen(verdict.value)
