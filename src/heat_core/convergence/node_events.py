"""What goes into the machine of a visit and what comes out of it.

Events are in the past tense, effects are orders to the driver; the arrow in an effect's docstring
names the event that answers it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from heat_core.convergence.node import Node
from heat_core.convergence.sync_point import NO_FAILURES, Arrival
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status


class Holder(StrEnum):
    """Who holds the row's lock."""

    NOBODY = "nobody"
    ALIVE = "alive"
    """another living engine, or a visit that runs in this one"""
    DEAD = "dead"
    """an engine that is gone, or this one without a visit that knows of it"""


# --- what comes in ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Visit:
    """The message: bring this row up to date, or clean it up, in this traversal."""

    resource_id: ResourceId
    traversal_id: TraversalId
    is_update: bool
    input_data: Mapping[str, Any]
    skip: bool = False
    """do nothing, only pass on what came (rules/i-convergence.md#18)"""
    failures: Mapping[str, str] = NO_FAILURES
    """what failed before this node"""


@dataclass(frozen=True, slots=True)
class Started:
    """The message has been taken."""


@dataclass(frozen=True, slots=True)
class NodeLoaded:
    """The rows as they are now.

    `graph` is the graph of the stack's current traversal, None while that is being prepared.
    `stands_for`: the row of the graph in whose place an update of this one counts, where that is
    not the one that it replaces. `reported`: the node's entry is at all sync points that wait for
    it.
    """

    row: ResourceRecord | None
    stack: StackRecord | None
    graph: Graph[Node] | None
    holder: Holder
    now: datetime
    stands_for: ResourceId | None = None
    reported: bool = False


class Decision(StrEnum):
    """What the template and the stored state want done with the resource."""

    CREATE = "create"
    UPDATE = "update"
    UNCHANGED = "unchanged"
    REPLACE = "replace"
    MAKE_ROOM = "make room"
    """replace too, but first what is there makes room, under the row's lock"""
    DELETE = "delete"
    REMOVE = "remove"
    """only the row is there: remove it"""
    CHECK = "check"
    UNCHECKED = "unchecked"
    """the type cannot be checked: only say so"""
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class NodeEvaluated:
    """`plan` is for the procedure and the writes; the machine only hands it on."""

    decision: Decision
    plan: Any = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EvaluationFailed:
    """The definition does not resolve or is not valid: `reason` is the resource's failure text.

    `stack_reason` is the text for the stack where it differs. `refused` set: the update does not
    even begin and the row stays as it is; the text is for an event, "" for none.
    """

    reason: str
    plan: Any = None
    stack_reason: str | None = None
    refused: str | None = None


@dataclass(frozen=True, slots=True)
class Claimed:
    """The lock is ours; `row` as it is now."""

    row: ResourceRecord


@dataclass(frozen=True, slots=True)
class ClaimLost:
    """Somebody else changed the row or the stack's traversal first."""


class Outcome(StrEnum):
    """How a procedure ended."""

    DONE = "done"
    FAILED = "failed"
    REPLACE = "replace"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    LOCK_LOST = "lock lost"
    UNRESUMABLE = "unresumable"
    """a cut create whose type cannot tell what it made"""


@dataclass(frozen=True, slots=True)
class ProcedureFinished:
    """`reason`: the failure text, the replacement text, or why it was cancelled.

    `may_retry`: a failure after which the object may be removed and made once more.
    """

    outcome: Outcome
    reason: str = ""
    may_retry: bool = False


@dataclass(frozen=True, slots=True)
class OutcomeStored:
    """The outcome is durable and the lock released; `row` as it is now."""

    row: ResourceRecord


@dataclass(frozen=True, slots=True)
class OutcomeLost:
    """The lock was not ours any more, or the row is gone: whoever has it now owns what follows."""


@dataclass(frozen=True, slots=True)
class Waited:
    """The pause before another attempt is over."""


@dataclass(frozen=True, slots=True)
class ReplacementStored:
    """The new row is there and linked with the old one."""

    resource_id: ResourceId


@dataclass(frozen=True, slots=True)
class ReplacementLost:
    """The old row or the stack's traversal changed first: no new row."""


@dataclass(frozen=True, slots=True)
class AttributesRead:
    """`data` is the wire form of the node's NodeData."""

    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AttributesUnreadable:
    """What others need of this node can't be had; `reason` is the user's text."""

    reason: str


@dataclass(frozen=True, slots=True)
class Propagated:
    """The entries are at the sync points (and what they completed is cast), or those are gone."""

    gone: bool


@dataclass(frozen=True, slots=True)
class StackFailed:
    """`applied` False: the traversal had been superseded."""

    applied: bool


@dataclass(frozen=True, slots=True)
class Woken:
    """The current traversal, if there is one, has been told."""


type Event = (
    Started
    | NodeLoaded
    | NodeEvaluated
    | EvaluationFailed
    | Claimed
    | ClaimLost
    | ProcedureFinished
    | OutcomeStored
    | OutcomeLost
    | Waited
    | ReplacementStored
    | ReplacementLost
    | AttributesRead
    | AttributesUnreadable
    | Propagated
    | StackFailed
    | Woken
)


# --- what goes out ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LoadNode:
    """Read row, stack and graph. -> NodeLoaded"""


@dataclass(frozen=True, slots=True)
class EvaluateNode:
    """Decide what to do from definition and stored state. -> NodeEvaluated | EvaluationFailed

    `resume`: the row's action was cut off by the end of its engine; plan to go on with it.
    """

    stack: StackRecord
    row: ResourceRecord
    resume: bool = False


@dataclass(frozen=True, slots=True)
class ClaimNode:
    """Take the lock: state `action` IN_PROGRESS, plan's columns. -> Claimed | ClaimLost

    `take_over`: the lock is a dead engine's; the state stays as it is. `quietly`: it does too.
    """

    row: ResourceRecord
    action: Action
    plan: Any
    take_over: bool = False
    quietly: bool = False


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """From here on the database owns recovery: the message may go."""


@dataclass(frozen=True, slots=True)
class RunProcedure:
    """Run the plugin's procedure. -> ProcedureFinished

    `makes_room`: not the action itself, only what the type does before it is replaced.
    """

    row: ResourceRecord
    action: Action
    plan: Any
    resume: bool
    makes_room: bool = False


@dataclass(frozen=True, slots=True)
class StoreOutcome:
    """Write the state and release the lock. -> OutcomeStored | OutcomeLost

    `completed`: the plan was carried out, so its columns (template, properties, requires) hold.
    """

    row: ResourceRecord
    action: Action
    status: Status
    reason: str
    plan: Any
    completed: bool


@dataclass(frozen=True, slots=True)
class StoreWentDown:
    """The engine that held the row is gone: the lock goes, `action` has failed. -> as StoreOutcome

    Heat's way, where dead engines' work is not to be gone on with (rules/i-convergence.md#20).
    Without an action only the lock goes.
    """

    row: ResourceRecord
    action: Action | None
    plan: Any


@dataclass(frozen=True, slots=True)
class StoreUnchanged:
    """The row already is what the template wants: move its template id. -> as StoreOutcome"""

    row: ResourceRecord
    plan: Any


@dataclass(frozen=True, slots=True)
class StoreUnchecked:
    """Say that the type cannot be checked; nobody needs the lock for that. -> as StoreOutcome"""

    row: ResourceRecord
    plan: Any


@dataclass(frozen=True, slots=True)
class StoreRefused:
    """Say that the update does not begin, unless `text` is empty; the row stays as it is.

    -> OutcomeStored (the row as it was) | OutcomeLost
    """

    row: ResourceRecord
    plan: Any
    text: str


@dataclass(frozen=True, slots=True)
class RemoveRow:
    """Remove a row with nothing behind it. -> OutcomeStored (the row as it was) | OutcomeLost"""

    row: ResourceRecord


@dataclass(frozen=True, slots=True)
class WaitToRetry:
    """Pause before attempt number `attempt` (from 1) of an action. -> Waited"""

    attempt: int


@dataclass(frozen=True, slots=True)
class MakeReplacement:
    """Insert the new row and link both. -> ReplacementStored | ReplacementLost"""

    row: ResourceRecord
    stack: StackRecord
    plan: Any


@dataclass(frozen=True, slots=True)
class ReadAttributes:
    """Read what the template's other resources want to know.

    -> AttributesRead | AttributesUnreadable
    """

    stack: StackRecord
    row: ResourceRecord


@dataclass(frozen=True, slots=True)
class Propagate:
    """Leave the entries at the sync points, cast what they complete. -> Propagated"""

    stack: StackRecord
    arrivals: tuple[Arrival, ...]


@dataclass(frozen=True, slots=True)
class CastCheck:
    """Send a visit of that row, in this traversal, with this message's input data."""

    resource_id: ResourceId


@dataclass(frozen=True, slots=True)
class FailStack:
    """The traversal has failed. -> StackFailed"""

    stack: StackRecord
    reason: str


@dataclass(frozen=True, slots=True)
class Preempt:
    """The row is held for an action that this traversal does not wait for gladly: a nested stack
    that is being created or updated for an earlier traversal is told to stop. No answer."""

    stack: StackRecord
    row: ResourceRecord


@dataclass(frozen=True, slots=True)
class WakeTraversal:
    """Tell the stack's current traversal, if it is another, that this row is free. -> Woken"""

    row: ResourceRecord


@dataclass(frozen=True, slots=True)
class Drop:
    """Nothing to do; `reason` is for the log."""

    reason: str


type Effect = (
    LoadNode
    | EvaluateNode
    | ClaimNode
    | Acknowledge
    | RunProcedure
    | StoreOutcome
    | StoreWentDown
    | StoreUnchanged
    | StoreUnchecked
    | StoreRefused
    | RemoveRow
    | WaitToRetry
    | MakeReplacement
    | ReadAttributes
    | Propagate
    | CastCheck
    | FailStack
    | Preempt
    | WakeTraversal
    | Drop
)
