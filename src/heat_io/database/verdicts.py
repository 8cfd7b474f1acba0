"""What became of a write: applied, lost, or nobody can tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from heat_core.stack.records import EventRecord


@dataclass(frozen=True, slots=True)
class Applied[T]:
    """The condition held and the write is durable. `events` were stored with it."""

    value: T
    events: tuple[EventRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class Lost:
    """The condition did not hold: nothing was changed."""


@dataclass(frozen=True, slots=True)
class Indeterminate:
    """The connection went away at COMMIT and a re-read could not settle it either."""

    reason: str = ""


type Verdict[T] = Applied[T] | Lost | Indeterminate


@dataclass(frozen=True, slots=True)
class Write[T]:
    """One item for a write lane.

    `apply` runs its conditional statements and says Applied or Lost; it must check its condition
    before it changes anything, so that Lost leaves nothing behind. `confirm` re-reads after a
    commit whose fate is unknown and says which it was. `order` places the item within a shared
    transaction: rows by (table rank, primary key), sync points last.
    """

    apply: Callable[[Connection], Applied[T] | Lost]
    confirm: Callable[[Connection], Applied[T] | Lost]
    order: tuple[Any, ...] = ()
    label: str = "write"
