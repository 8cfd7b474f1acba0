"""What became of a write: applied, lost, or nobody can tell."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Self

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
class Share[P, T]:
    """A write's condition and change, as `part`, which `run` carries out for many at once.

    `run` says whether the condition of every part held; if not, the transaction is rolled back and
    each write goes its own way. `key` is what the part is about: no two parts of one run have the
    same. `then` does what is left to do once the condition held, and gives the verdict.
    """

    run: Callable[[Connection, Sequence[P]], bool]
    part: P
    key: Hashable
    then: Callable[[Connection], Applied[T]]


@dataclass(frozen=True, slots=True)
class Write[T]:
    """One item for a write lane.

    `apply` runs its conditional statements and says Applied or Lost; it must check its condition
    before it changes anything, so that Lost leaves nothing behind. `confirm` re-reads after a
    commit whose fate is unknown and says which it was. `order` places the item within a shared
    transaction: rows by (table rank, primary key), sync points last. `share`, where there is one,
    does the same as `apply` in a form that several writes can have in common. `foreseen` is the
    value of Applied where that is known before the write is carried out.
    """

    apply: Callable[[Connection], Applied[T] | Lost]
    confirm: Callable[[Connection], Applied[T] | Lost]
    order: tuple[Any, ...] = ()
    label: str = "write"
    share: Share[Any, T] | None = None
    foreseen: T | None = None

    @classmethod
    def sharing[P](
        cls,
        share: Share[P, T],
        confirm: Callable[[Connection], Applied[T] | Lost],
        *,
        order: tuple[Any, ...],
        label: str,
        foreseen: T | None = None,
    ) -> Self:
        """A write that is nothing but its share."""

        def apply(connection: Connection) -> Applied[T] | Lost:
            if not share.run(connection, [share.part]):
                return Lost()
            return share.then(connection)

        return cls(apply, confirm, order, label, share, foreseen)
