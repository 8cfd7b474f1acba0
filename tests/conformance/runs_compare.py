"""Compares what our database went through with what Heat's did, column by column.

Heat's states were looked at every 30 ms, so ours may have some in between that nobody saw. A row's
atomic_key counts the writes of its state: what ours has in between must have a key that the
recording does not show. Steps may be one where Heat has two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from tests.conformance.runs_labels import Columns, Edge, RowLabel, View

ROW_STATE = ("action", "status", "locked", "current_template_id", "replaces", "replaced_by")
STACK_STATE = ("action", "status", "status_reason")
ROW_COLUMNS = (
    "status_reason",
    "requires",
    "needed_by",
    "physical_id",
    "metadata",
    "has_props",
    "has_attrs",
    "has_root",
)
STACK_COLUMNS = (
    "raw_template_id",
    "prev_raw_template_id",
    "current_traversal",
    "current_deps",
    "convergence",
    "has_updated_at",
    "is_deleted",
)


@dataclass(frozen=True, slots=True)
class Run:
    """One side of a scenario: states in order, the tables at the end, events, messages."""

    views: Sequence[View]
    final: View
    events: Mapping[str, Sequence[tuple[Any, ...]]]
    casts: Sequence[str]
    stack_name: str


def differences(theirs: Run, ours: Run) -> Iterator[str]:
    """Every difference, one line each."""
    ours = trimmed(theirs, ours)
    if not ours.views:
        yield "our stack never was in the state in which the recording begins"
        return
    yield from _stack(theirs, ours)
    yield from _rows(theirs, ours)
    yield from _points(theirs, ours)
    yield from _events(theirs, ours)
    yield from _final(theirs, ours)
    yield from _casts(theirs, ours)


def trimmed(theirs: Run, ours: Run) -> Run:
    """Ours from the state in which the stack was as it is when the recording begins."""
    wanted = _stack_state(theirs.views[0])
    for index, one in enumerate(ours.views):
        if _stack_state(one) == wanted:
            return Run(ours.views[index:], ours.final, ours.events, ours.casts, ours.stack_name)
    return Run((), ours.final, ours.events, ours.casts, ours.stack_name)


def _stack_state(one: View) -> tuple[Any, ...] | None:
    if one.stack is None:
        return None
    names = (*STACK_STATE, "raw_template_id", "prev_raw_template_id", "has_updated_at")
    return tuple(one.stack[name] for name in names)


def _collapsed[T](values: Sequence[T]) -> list[T]:
    return [value for value, _ in groupby(values)]


def _numbered(values: Sequence[str]) -> list[int | str]:
    """Names in the order in which they appear, as numbers; nothing stays nothing."""
    seen: dict[str, int] = {}
    return [value and seen.setdefault(value, len(seen)) for value in values]


# --- the stack -----------------------------------------------------------------------------------


def _stack(theirs: Run, ours: Run) -> Iterator[str]:
    mine = _collapsed([_pick(one.stack, STACK_STATE) for one in ours.views])
    # Heat writes an event with each of these states, so none is missing there.
    told = _collapsed([event[:3] for event in theirs.events.get(theirs.stack_name, [])])
    begins = _pick(theirs.views[0].stack, STACK_STATE)
    if begins in told:
        last = max(index for index, one in enumerate(told) if one == begins)
        told = told[last if told.count(begins) > 1 else told.index(begins) :]
    if mine != told:
        yield f"stack: {_arrows(told)} became {_arrows(mine)}"
    for name in STACK_COLUMNS:
        their_column, my_column = (
            _collapsed([one.stack[name] for one in run.views if one.stack is not None])
            for run in (theirs, ours)
        )
        if name == "current_traversal":
            their_column, my_column = _numbered(their_column), _numbered(my_column)
        if their_column != my_column:
            yield f"stack.{name}: {_arrows(their_column)} became {_arrows(my_column)}"


def _pick(columns: Columns | None, names: Sequence[str]) -> tuple[Any, ...]:
    return () if columns is None else tuple(columns[name] for name in names)


def _arrows(values: Sequence[Any]) -> str:
    return " -> ".join(_short(value) for value in values)


def _short(value: Any) -> str:
    if isinstance(value, frozenset) and all(isinstance(one, str) for one in value):
        return "{" + ", ".join(sorted(value)) + "}"
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(f"{one}>{other or ''}" for one, other in value)) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(str, value)) + ")"
    return str(value)


# --- the rows ------------------------------------------------------------------------------------


def _rows(theirs: Run, ours: Run) -> Iterator[str]:
    their_labels, my_labels = (
        {label for one in run.views for label in one.rows} for run in (theirs, ours)
    )
    for label in sorted(their_labels - my_labels):
        yield f"row {label}: never there"
    for label in sorted(my_labels - their_labels):
        yield f"row {label}: Heat has none"
    for label in sorted(their_labels & my_labels):
        yield from _row(label, theirs, ours)


def _row(label: RowLabel, theirs: Run, ours: Run) -> Iterator[str]:
    their_history, my_history = (
        [one.rows[label] for one in run.views if label in one.rows] for run in (theirs, ours)
    )
    offset = _offset(their_history, my_history)
    stays = label in theirs.final.rows
    if stays != (label in ours.final.rows):
        yield f"row {label}: {'is gone' if stays else 'is still there'} at the end"
    yield from _walk(
        f"row {label}",
        [(_pick(one, ROW_STATE), one["atomic_key"]) for one in their_history],
        [(_pick(one, ROW_STATE), _less(one["atomic_key"], offset)) for one in my_history],
        stays=stays,
        keyed=True,
    )
    for name in ROW_COLUMNS:
        yield from _walk(
            f"row {label}.{name}",
            [(one[name], one["atomic_key"]) for one in their_history],
            [(one[name], _less(one["atomic_key"], offset)) for one in my_history],
            stays=stays,
            keyed=False,
        )


def _offset(theirs: Sequence[Columns], ours: Sequence[Columns]) -> int:
    """How far our keys are ahead where both begin: what is left of scenarios before."""
    wanted = _pick(theirs[0], ROW_STATE)
    for one in ours:
        if _pick(one, ROW_STATE) == wanted:
            return (one["atomic_key"] or 0) - (theirs[0]["atomic_key"] or 0)
    return 0


def _less(key: int | None, offset: int) -> int | None:
    return None if key is None else key - offset


type Step = tuple[Any, int | None]
"""a value, and the row's atomic_key with it"""


def _walk(
    what: str, theirs: Sequence[Step], ours: Sequence[Step], *, stays: bool, keyed: bool
) -> Iterator[str]:
    """Whether ours went through the same values, with nothing between that Heat shows otherwise.

    `keyed`: each value must be there with the same key, so that as many writes led to it.
    """
    their_steps = _collapsed(theirs) if keyed else _collapsed([step[0] for step in theirs])
    my_steps = _collapsed(ours) if keyed else _collapsed([step[0] for step in ours])
    left = iter(my_steps)
    for wanted in their_steps:
        if not any(step == wanted for step in left):
            yield f"{what}: {_steps(their_steps, keyed)} became {_steps(my_steps, keyed)}"
            return
    shown: dict[int | None, list[Any]] = {}
    for value, key in _collapsed(theirs):
        # What does not move the key may have been seen only after it had changed.
        before = [] if keyed or not shown else [shown[max(shown, key=lambda k: k or 0)][-1]]
        shown.setdefault(key, before).append(value)
    last = max((key or 0) for _, key in theirs)
    for value, key in _collapsed(ours):
        if key in shown and value not in shown[key]:
            yield f"{what}: with key {key} also {_short(value)}, Heat only {shown[key]}"
        elif stays and (key or 0) > last:
            yield f"{what}: at last {_short(value)} with key {key}, Heat ends with {last}"


def _steps(steps: Sequence[Any], keyed: bool) -> str:
    if not keyed:
        return _arrows(steps)
    return " -> ".join(f"{_short(value)}#{key}" for value, key in steps)


# --- sync points ---------------------------------------------------------------------------------


def _points(theirs: Run, ours: Run) -> Iterator[str]:
    their_chains, my_chains = _chains(theirs), _chains(ours)
    snapshots = {key for key in their_chains if key[1].startswith("snapshot")}
    for number, name in sorted((their_chains.keys() - snapshots) ^ my_chains.keys()):
        missing = (number, name) in their_chains
        yield f"sync point {name} of traversal {number}: {'missing' if missing else 'too much'}"
    for key in sorted(their_chains.keys() & my_chains.keys()):
        yield from _point(key, theirs, their_chains[key], my_chains[key])


type Chain = list[Columns]


def _chains(run: Run) -> dict[tuple[int | str, str], Chain]:
    """What each sync point held, one after the other, by (number of the traversal, node)."""
    found: dict[tuple[int | str, str], Chain] = {}
    views = [one for one in run.views if one.stack is not None]
    numbers = _numbered([(one.stack or {})["current_traversal"] for one in views])
    for number, one in zip(numbers, views, strict=True):
        for name, columns in one.points.items():
            chain = found.setdefault((number, name), [])
            if not chain or chain[-1] != columns:
                chain.append(columns)
    return found


def _point(key: tuple[int | str, str], run: Run, theirs: Chain, ours: Chain) -> Iterator[str]:
    what = f"sync point {key[1]} of traversal {key[0]}"
    for chain in (theirs, ours):
        sets = [_senders(columns) for columns in chain]
        if any(not before <= after for before, after in pairwise(sets)):
            yield f"{what}: something was taken away: {sets}"
    last = theirs[-1]["entries"]
    if _senders(theirs[-1]) != _senders(ours[-1]):
        yield f"{what}: {sorted(_senders(theirs[-1]))} became {sorted(_senders(ours[-1]))}"
    for sender, value in ours[-1]["entries"].items():
        if sender in last and last[sender] != value:
            yield f"{what}: of {sender} {last[sender]} became {value}"
    if theirs[-1]["extra_data"] != ours[-1]["extra_data"]:
        yield f"{what}: {theirs[-1]['extra_data']} became {ours[-1]['extra_data']}"
    ordered = _needs(run, key[0])
    for earlier, later in _orders(theirs) & {(b, a) for a, b in _orders(ours)}:
        if (later, earlier) in ordered or (earlier, later) in ordered:
            yield f"{what}: {earlier} came before {later}, and the graph orders them"


def _senders(columns: Columns) -> frozenset[str]:
    return frozenset(sender for sender in columns["entries"] if not sender.startswith("snapshot"))


def _orders(chain: Chain) -> set[tuple[str, str]]:
    """Pairs of which one was there before the other."""
    sets = [_senders(columns) for columns in chain]
    return {
        (earlier, later)
        for before, after in pairwise(sets)
        for later in after - before
        for earlier in before
    }


def _needs(run: Run, number: int | str) -> set[Edge]:
    """(requirer, required) in one traversal, with everything in between."""
    views = [one for one in run.views if one.stack is not None]
    numbers = _numbered([(one.stack or {})["current_traversal"] for one in views])
    found: set[Edge] = set()
    for other, one in zip(numbers, views, strict=True):
        if other == number and one.points:
            # Until its graph is stored, a traversal shows the one before.
            found = set((one.stack or {})["current_deps"] or ())
    grown = True
    while grown:
        more = {(a, d) for a, b in found for c, d in found if b == c and b is not None}
        grown = not more <= found
        found |= more
    return found


# --- events, tables at the end, messages ---------------------------------------------------------


def _events(theirs: Run, ours: Run) -> Iterator[str]:
    for name in sorted({*theirs.events, *ours.events}):
        one, other = list(theirs.events.get(name, ())), list(ours.events.get(name, ()))
        if one != other:
            yield f"events of {name}: {_arrows(one)} became {_arrows(other)}"


def _final(theirs: Run, ours: Run) -> Iterator[str]:
    for name in (*STACK_STATE, *STACK_COLUMNS):
        one, other = (
            None if run.final.stack is None else run.final.stack[name] for run in (theirs, ours)
        )
        if name == "current_traversal":
            one, other = bool(one), bool(other)
        if one != other:
            yield f"at the end stack.{name} is {_short(other)}, not {_short(one)}"
    for label in sorted(theirs.final.rows.keys() & ours.final.rows.keys()):
        their_row, my_row = theirs.final.rows[label], ours.final.rows[label]
        for name in (*ROW_STATE, *ROW_COLUMNS):
            if their_row[name] != my_row[name]:
                yield (
                    f"at the end row {label}.{name} is {_short(my_row[name])},"
                    f" not {_short(their_row[name])}"
                )
    if theirs.final.points.keys() != ours.final.points.keys():
        yield f"at the end there are sync points: {sorted(ours.final.points)}"


def _casts(theirs: Run, ours: Run) -> Iterator[str]:
    # Those of snapshots and of nested stacks' rows are left out.
    their_casts, my_casts = (
        Counter(one for one in run.casts if not one.startswith(("snapshot", "?")))
        for run in (theirs, ours)
    )
    for text in sorted((their_casts - my_casts).elements()):
        yield f"message not sent: {text}"
    for text in sorted((my_casts - their_casts).elements()):
        yield f"message too much: {text}"
