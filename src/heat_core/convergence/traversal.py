"""A stack's traversal from its start to its end: the state machine of one operation's edges.

Theory of operation. A traversal is a uuid in stack.current_traversal. Whoever may write it (by
compare-and-swap on the old value) owns the stack from then on; everybody who still works under the
old value finds out at the next conditional write and stops. So there is no lock on a stack, and a
new operation supersedes a running one simply by starting.

Begin: the swap stores action, IN_PROGRESS, the template and the stack's own sync point with our
mark, and removes the old traversal's sync points, in one transaction. Then rows are chosen and
inserted, the graph is stored and all sync points are created, in one more. Then, for a delete,
workers of the old traversal are told to stop, and last the leaves are cast. From there the nodes
carry the traversal on by themselves.

End: the last root, or the first node that fails, stores the final status by a conditional write.
A failure may start a rollback, which is a traversal of its own; otherwise what the traversal left
behind is purged, and a deleted stack with it. What a deleted stack has in Keystone goes before its
status says that it is deleted, so that a failure there can still be told.

Each step is safe to repeat and each cut between two steps is visible in the database:
heat_core.convergence.recovery reads it and enters this machine in the right place.

Rules: rules/i-convergence.md#5-10, #32-35.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from heat_core.convergence.machine import Machine, Table
from heat_core.convergence.node import Node
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status


class State(StrEnum):
    NEW = "NEW"
    STOPPING = "STOPPING"
    SWITCHING = "SWITCHING"
    PREPARING = "PREPARING"
    CANCELLING = "CANCELLING"
    CASTING = "CASTING"
    ENDING = "ENDING"
    PURGING = "PURGING"
    REMOVING = "REMOVING"
    DONE = "DONE"


# --- what comes in ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OperationRequested:
    """Begin `action`; `template_id` None keeps the template, or what the action does to it."""

    action: Action
    template_id: TemplateId | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StopRequested:
    """Cut the running operation off and do nothing else."""


@dataclass(frozen=True, slots=True)
class PreparationOwed:
    """The traversal was started, but its graph or its sync points are not there."""


@dataclass(frozen=True, slots=True)
class RootsArrived:
    """Everything is done."""


@dataclass(frozen=True, slots=True)
class NodeFailed:
    """A node failed, or the operation timed out."""

    reason: str


@dataclass(frozen=True, slots=True)
class EndingOwed:
    """The final status is stored, but not what follows it."""


@dataclass(frozen=True, slots=True)
class TraversalStopped:
    """The running traversal is cut off."""

    stack: StackRecord


@dataclass(frozen=True, slots=True)
class TraversalSwitched:
    """The new traversal is stored; `stack` as it is now."""

    stack: StackRecord


@dataclass(frozen=True, slots=True)
class TraversalLost:
    """Somebody else moved the stack on: stop silently."""


@dataclass(frozen=True, slots=True)
class GraphPrepared:
    """Rows, graph and sync points are stored. `leaves` with the row to visit for each."""

    leaves: tuple[tuple[Node, ResourceId], ...]


@dataclass(frozen=True, slots=True)
class PreparationFailed:
    """The template does not give a graph any more; nothing was stored."""

    reason: str


@dataclass(frozen=True, slots=True)
class WorkersStopped:
    """Workers have let go of the stack's rows, or took too long."""


@dataclass(frozen=True, slots=True)
class LeavesCast:
    """The messages are with the bus."""


@dataclass(frozen=True, slots=True)
class StatusStored:
    """The final status is stored; `stack` as it is now."""

    stack: StackRecord


@dataclass(frozen=True, slots=True)
class Purged:
    """Rows, templates and sync points of the past are gone."""


@dataclass(frozen=True, slots=True)
class CredentialsRemoved:
    """Nothing of a deleted stack is left in Keystone."""


@dataclass(frozen=True, slots=True)
class RemovalFailed:
    """The deleted stack's project could not be removed."""

    reason: str


type Event = (
    OperationRequested
    | StopRequested
    | PreparationOwed
    | RootsArrived
    | NodeFailed
    | EndingOwed
    | TraversalStopped
    | TraversalSwitched
    | TraversalLost
    | GraphPrepared
    | PreparationFailed
    | WorkersStopped
    | LeavesCast
    | StatusStored
    | Purged
    | CredentialsRemoved
    | RemovalFailed
)


# --- what goes out ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StopTraversal:
    """Cut it off: "Stack <ACTION> cancelled". -> TraversalStopped | TraversalLost"""

    stack: StackRecord


class TemplateChange(StrEnum):
    """What happens to the stack's template when an operation starts."""

    KEEP = "keep"
    GIVEN = "given"
    PREVIOUS_OR_EMPTY = "previous or empty"
    WITHOUT_RESOURCES = "without resources"


@dataclass(frozen=True, slots=True)
class SwitchTraversal:
    """Store the new traversal by compare-and-swap. -> TraversalSwitched | TraversalLost"""

    stack: StackRecord
    action: Action
    template: TemplateChange
    template_id: TemplateId | None
    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PrepareGraph:
    """Choose and insert rows, store graph and sync points.

    -> GraphPrepared | TraversalLost | PreparationFailed
    """

    stack: StackRecord


@dataclass(frozen=True, slots=True)
class StopWorkers:
    """Tell those who hold rows of the stack to stop, wait a while for them. -> WorkersStopped"""

    stack: StackRecord


@dataclass(frozen=True, slots=True)
class CastLeaves:
    """One publish batch. -> LeavesCast"""

    stack: StackRecord
    leaves: tuple[tuple[Node, ResourceId], ...]


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """Store the final status by a conditional write. -> StatusStored | TraversalLost"""

    stack: StackRecord
    status: Status
    reason: str


@dataclass(frozen=True, slots=True)
class Purge:
    """Remove what is left behind (rules/i-convergence.md#35). -> Purged | TraversalLost"""

    stack: StackRecord


@dataclass(frozen=True, slots=True)
class RemoveCredentials:
    """Remove trust, credentials and project of a stack whose resources are gone.

    -> CredentialsRemoved | RemovalFailed
    """

    stack: StackRecord


type Effect = (
    StopTraversal
    | SwitchTraversal
    | PrepareGraph
    | StopWorkers
    | CastLeaves
    | StoreStatus
    | Purge
    | RemoveCredentials
)

S = State
TABLE: Table[State] = {
    S.NEW: {
        OperationRequested: (S.STOPPING, S.SWITCHING),
        StopRequested: (S.STOPPING,),
        PreparationOwed: (S.PREPARING,),
        RootsArrived: (S.REMOVING, S.ENDING),
        NodeFailed: (S.ENDING,),
        EndingOwed: (S.SWITCHING, S.PURGING),
    },
    S.STOPPING: {TraversalStopped: (S.SWITCHING, S.DONE), TraversalLost: (S.DONE,)},
    S.SWITCHING: {TraversalSwitched: (S.PREPARING,), TraversalLost: (S.DONE,)},
    S.PREPARING: {
        GraphPrepared: (S.CANCELLING, S.CASTING, S.ENDING),
        PreparationFailed: (S.ENDING,),
        TraversalLost: (S.DONE,),
    },
    S.CANCELLING: {WorkersStopped: (S.CASTING, S.REMOVING)},
    S.CASTING: {LeavesCast: (S.DONE,)},
    S.ENDING: {StatusStored: (S.SWITCHING, S.PURGING), TraversalLost: (S.DONE,)},
    S.PURGING: {Purged: (S.DONE,), TraversalLost: (S.DONE,)},
    S.REMOVING: {CredentialsRemoved: (S.ENDING,), RemovalFailed: (S.ENDING,)},
    S.DONE: {},
}

ROLLS_BACK = frozenset({Action.CREATE, Action.ADOPT, Action.UPDATE, Action.RESTORE})
KEEPS_TEMPLATE = frozenset({Action.CHECK, Action.SUSPEND, Action.RESUME, Action.SNAPSHOT})


class Traversal(Machine[State, Event, Effect]):
    """The machine of one beginning or one end of a traversal (a failed end may begin the next)."""

    table = TABLE

    def __init__(self, stack: StackRecord) -> None:
        super().__init__(State.NEW)
        self.stack = stack
        self._request: OperationRequested | None = None
        self._leaves: tuple[tuple[Node, ResourceId], ...] = ()
        self.lost = False

    # --- beginning -------------------------------------------------------------------------

    def _on_operation_requested(
        self, event: OperationRequested
    ) -> tuple[State, tuple[Effect, ...]]:
        self._request = event
        if event.action is Action.DELETE and self.stack.status is Status.IN_PROGRESS:
            return State.STOPPING, (StopTraversal(self.stack),)
        return self._switch(event)

    def _on_stop_requested(self, event: StopRequested) -> tuple[State, tuple[Effect, ...]]:
        return State.STOPPING, (StopTraversal(self.stack),)

    def _on_traversal_stopped(self, event: TraversalStopped) -> tuple[State, tuple[Effect, ...]]:
        self.stack = event.stack
        if self._request is None:
            return State.DONE, ()
        return self._switch(self._request)

    def _switch(self, request: OperationRequested) -> tuple[State, tuple[Effect, ...]]:
        if request.action is Action.DELETE:
            template = TemplateChange.WITHOUT_RESOURCES
        elif request.action is Action.ROLLBACK:
            template = TemplateChange.PREVIOUS_OR_EMPTY
        elif request.template_id is None or request.action in KEEPS_TEMPLATE:
            template = TemplateChange.KEEP
        else:
            template = TemplateChange.GIVEN
        return State.SWITCHING, (
            SwitchTraversal(
                self.stack, request.action, template, request.template_id, request.changes
            ),
        )

    def _on_traversal_switched(self, event: TraversalSwitched) -> tuple[State, tuple[Effect, ...]]:
        self.stack = event.stack
        return State.PREPARING, (PrepareGraph(event.stack),)

    def _on_traversal_lost(self, event: TraversalLost) -> tuple[State, tuple[Effect, ...]]:
        self.lost = True
        return State.DONE, ()

    def _on_preparation_owed(self, event: PreparationOwed) -> tuple[State, tuple[Effect, ...]]:
        return State.PREPARING, (PrepareGraph(self.stack),)

    def _on_graph_prepared(self, event: GraphPrepared) -> tuple[State, tuple[Effect, ...]]:
        self._leaves = event.leaves
        if self.stack.action is Action.DELETE:
            return State.CANCELLING, (StopWorkers(self.stack),)
        return self._cast()

    def _on_preparation_failed(self, event: PreparationFailed) -> tuple[State, tuple[Effect, ...]]:
        return State.ENDING, (StoreStatus(self.stack, Status.FAILED, event.reason),)

    def _on_workers_stopped(self, event: WorkersStopped) -> tuple[State, tuple[Effect, ...]]:
        return self._cast()

    def _cast(self) -> tuple[State, tuple[Effect, ...]]:
        if self._leaves:
            return State.CASTING, (CastLeaves(self.stack, self._leaves),)
        return self._complete()

    def _on_leaves_cast(self, event: LeavesCast) -> tuple[State, tuple[Effect, ...]]:
        return State.DONE, ()

    # --- ending ----------------------------------------------------------------------------

    def _on_roots_arrived(self, event: RootsArrived) -> tuple[State, tuple[Effect, ...]]:
        return self._complete()

    def _complete(self) -> tuple[State, tuple[Effect, ...]]:
        if self.stack.action is Action.DELETE:
            return State.REMOVING, (RemoveCredentials(self.stack),)
        return self._store_complete()

    def _on_credentials_removed(
        self, event: CredentialsRemoved
    ) -> tuple[State, tuple[Effect, ...]]:
        return self._store_complete()

    def _on_removal_failed(self, event: RemovalFailed) -> tuple[State, tuple[Effect, ...]]:
        return State.ENDING, (StoreStatus(self.stack, Status.FAILED, event.reason),)

    def _store_complete(self) -> tuple[State, tuple[Effect, ...]]:
        reason = f"Stack {self.stack.action} completed successfully"
        return State.ENDING, (StoreStatus(self.stack, Status.COMPLETE, reason),)

    def _on_node_failed(self, event: NodeFailed) -> tuple[State, tuple[Effect, ...]]:
        return State.ENDING, (StoreStatus(self.stack, Status.FAILED, event.reason),)

    def _on_status_stored(self, event: StatusStored) -> tuple[State, tuple[Effect, ...]]:
        self.stack = event.stack
        return self._after_the_end()

    def _on_ending_owed(self, event: EndingOwed) -> tuple[State, tuple[Effect, ...]]:
        return self._after_the_end()

    def _after_the_end(self) -> tuple[State, tuple[Effect, ...]]:
        if rolls_back(self.stack):
            return self._switch(OperationRequested(Action.ROLLBACK))
        return State.PURGING, (Purge(self.stack),)

    def _on_purged(self, event: Purged) -> tuple[State, tuple[Effect, ...]]:
        return State.DONE, ()


def rolls_back(stack: StackRecord) -> bool:
    """Whether a failed stack goes back to what it was (rules/i-convergence.md#33)."""
    return (
        stack.status is Status.FAILED and not stack.disable_rollback and stack.action in ROLLS_BACK
    )


def may_begin(action: Action, stack: StackRecord) -> bool:
    """Whether a stack in this state may begin it: one that is being deleted is only deleted.

    Who asks has looked too (rules/h-updates.md#26), but a delete may have begun since, and a call
    may come late. What it would bring to life again is gone in part, and a stack above that waits
    for the delete would wait for ever. After a delete that failed what is left can be looked at.
    """
    if stack.action is not Action.DELETE or action is Action.DELETE:
        return True
    return stack.status is Status.FAILED and action in KEEPS_TEMPLATE


NOT_AGAIN = frozenset({Action.CREATE, Action.ADOPT, Action.ROLLBACK})
"""a create that was stopped stays so, and in what has ended there is nothing to go back from"""


def begins_again(action: Action, before: StackRecord, now: StackRecord) -> bool:
    """Whether what could not begin, since the traversal had moved on, is to begin anew.

    Heat gives up each time (rules/i-convergence.md#6). That is right where another operation was
    faster: it is the newer one. But the traversal moves on too when what ran before is stopped or
    has failed and is purged, and neither does what was asked for: a nested stack whose update got
    lost that way would be waited for until the stack above times out. A stack that is to be deleted
    is deleted in any case.
    """
    if action in NOT_AGAIN:
        return False
    if action is Action.DELETE:
        return True
    untouched = (before.action, before.raw_template_id, before.updated_at) == (
        now.action,
        now.raw_template_id,
        now.updated_at,
    )
    return untouched and before.current_traversal != now.current_traversal
