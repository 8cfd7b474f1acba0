"""One visit to one node of a traversal: the state machine behind a check_resource message.

Theory of operation. A message names a row, a traversal and a direction (update or clean-up). It may
come late, twice, or after the traversal that sent it was superseded, so the machine trusts
nothing but what it reads from the database, and every write that it asks for is conditional:

* the row's lock (engine_id, atomic_key) decides who acts on the resource. Only the holder runs a
  plugin, writes the outcome and releases the lock;
* the stack's current_traversal decides whose results count.

A visit claims the row, runs the resource's procedure, stores the outcome, reads the attributes
that others need, and leaves its result at the sync points of the nodes that wait. A visit that
finds the row locked by a living engine leaves at once: the holder wakes the traversal that is
current when it is done. That is why every path on which the lock was held ends in PROPAGATING,
FAILING or WAKING: a result that finds its traversal gone turns into a wake-up.

A row locked by a dead engine is taken over in place and its procedure goes on from stored state;
where that is turned off the row is marked as failed and visited again, which is all that Heat does.

Rules: rules/i-convergence.md#11-23, rules/h-updates.md#5-23.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from heat_core.convergence.machine import Machine, Table
from heat_core.convergence.node import Node
from heat_core.convergence.node_events import (
    Acknowledge,
    AttributesRead,
    AttributesUnreadable,
    CastCheck,
    Claimed,
    ClaimLost,
    ClaimNode,
    Decision,
    Drop,
    Effect,
    EvaluateNode,
    EvaluationFailed,
    Event,
    FailStack,
    Holder,
    LoadNode,
    MakeReplacement,
    NodeEvaluated,
    NodeLoaded,
    Outcome,
    OutcomeLost,
    OutcomeStored,
    Preempt,
    ProcedureFinished,
    Propagate,
    Propagated,
    ReadAttributes,
    RemoveRow,
    ReplacementLost,
    ReplacementStored,
    RunProcedure,
    StackFailed,
    Started,
    StoreOutcome,
    StoreRefused,
    StoreUnchanged,
    StoreUnchecked,
    StoreWentDown,
    Visit,
    Waited,
    WaitToRetry,
    WakeTraversal,
    Woken,
)
from heat_core.convergence.propagation import arrivals, graph_node
from heat_core.convergence.selection import is_gone
from heat_core.convergence.sync_point import NO_FAILURES
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_core.stack.timeouts import timeout_seconds

STATE_CHANGED = "state changed"
DEFAULT_RETRY_LIMIT = 5
RETRIED = frozenset({Action.CREATE, Action.DELETE})
ACTIONS = {
    Decision.CREATE: Action.CREATE,
    Decision.UPDATE: Action.UPDATE,
    Decision.DELETE: Action.DELETE,
    Decision.CHECK: Action.CHECK,
}


class State(StrEnum):
    NEW = "NEW"
    LOADING = "LOADING"
    EVALUATING = "EVALUATING"
    CLAIMING = "CLAIMING"
    RUNNING = "RUNNING"
    STORING = "STORING"
    RETRYING = "RETRYING"
    REPLACING = "REPLACING"
    READING = "READING"
    PROPAGATING = "PROPAGATING"
    FAILING = "FAILING"
    WAKING = "WAKING"
    DONE = "DONE"


S = State
TABLE: Table[State] = {
    S.NEW: {Started: (S.LOADING,)},
    S.LOADING: {
        NodeLoaded: (
            S.EVALUATING,
            S.CLAIMING,
            S.READING,
            S.PROPAGATING,
            S.FAILING,
            S.WAKING,
            S.DONE,
        )
    },
    S.EVALUATING: {
        NodeEvaluated: (
            S.CLAIMING,
            S.RUNNING,
            S.STORING,
            S.REPLACING,
            S.READING,
            S.PROPAGATING,
        ),
        EvaluationFailed: (S.CLAIMING, S.STORING),
    },
    S.CLAIMING: {Claimed: (S.EVALUATING, S.RUNNING, S.STORING), ClaimLost: (S.LOADING,)},
    S.RUNNING: {ProcedureFinished: (S.STORING, S.WAKING)},
    S.STORING: {
        OutcomeStored: (
            S.REPLACING,
            S.READING,
            S.PROPAGATING,
            S.FAILING,
            S.RETRYING,
            S.CLAIMING,
            S.LOADING,
            S.WAKING,
            S.DONE,
        ),
        OutcomeLost: (S.LOADING, S.WAKING),
    },
    S.RETRYING: {Waited: (S.CLAIMING,)},
    S.REPLACING: {ReplacementStored: (S.DONE,), ReplacementLost: (S.LOADING,)},
    S.READING: {AttributesRead: (S.PROPAGATING,), AttributesUnreadable: (S.FAILING,)},
    S.PROPAGATING: {Propagated: (S.WAKING, S.DONE)},
    S.FAILING: {StackFailed: (S.WAKING, S.DONE)},
    S.WAKING: {Woken: (S.DONE,)},
    S.DONE: {},
}


class CreateRetries:
    """A create that a service refuses for now is undone and tried again (rules/g#25).

    A failed create is followed by a delete at once, a delete by the next create after a pause; a
    delete that fails as well is repeated after a pause. When all attempts are used up, the first
    failure is the one to tell.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._failed = {Action.CREATE: 0, Action.DELETE: 0}
        self.next: Action | None = None
        self.first_failure: str | None = None

    @property
    def attempt(self) -> int:
        """How often the next action has failed: 0 means that it needs no pause."""
        return 0 if self.next is None else self._failed[self.next]

    def failed(self, action: Action, reason: str) -> str:
        """Count a failure; the reason to tell in case it was the last attempt."""
        if self.first_failure is None:
            self.first_failure = reason
        self._failed[action] += 1
        self.next = Action.DELETE
        if action is Action.CREATE:
            self._failed[Action.DELETE] = 0
        if max(self._failed.values()) > self._limit:
            self.next = None
        return self.first_failure

    def done(self, action: Action) -> None:
        """An attempt has succeeded: after a delete the create is next."""
        undone = action is Action.DELETE and self.first_failure is not None
        self.next = Action.CREATE if undone else None


class NodeStep(Machine[State, Event, Effect]):
    """The machine of one visit."""

    table = TABLE

    def __init__(
        self,
        visit: Visit,
        *,
        retry_limit: int = DEFAULT_RETRY_LIMIT,
        takes_over: bool = True,
    ) -> None:
        """`retry_limit` is action_retry_limit; `takes_over`: go on with what dead engines left."""
        super().__init__(State.NEW)
        self.visit = visit
        self._takes_over = takes_over
        self._went_down = False
        self._retries = CreateRetries(retry_limit)
        self._stack: StackRecord | None = None
        self._row: ResourceRecord | None = None
        self._graph: Graph[Node] = Graph({}, {})
        self._node: Node | None = None
        self._action = Action.INIT
        self._plan: Any = None
        self._failure: str | None = None
        self._stack_failure = ""
        self._settling = False
        self._resumed = False
        self._replace = False
        self._makes_room = False
        self._held = False
        self._failures: Mapping[str, str] = NO_FAILURES

    def copy(self) -> NodeStep:
        other = super().copy()
        other._retries = deepcopy(self._retries)
        return other

    # --- reading ---------------------------------------------------------------------------

    def _on_started(self, event: Started) -> tuple[State, tuple[Effect, ...]]:
        return State.LOADING, (LoadNode(),)

    def _on_node_loaded(self, event: NodeLoaded) -> tuple[State, tuple[Effect, ...]]:
        row, stack = event.row, event.stack
        if row is None:
            return State.DONE, (Acknowledge(), Drop("the row is gone"))
        if stack is None or stack.deleted_at is not None:
            return State.DONE, (Acknowledge(), Drop("the stack is gone"))
        self._row, self._stack = row, stack
        if stack.current_traversal != self.visit.traversal_id:
            return self._superseded(row, event.graph)
        if event.graph is None:
            return State.DONE, (Acknowledge(), Drop("the traversal is being prepared"))
        self._graph = event.graph
        self._node = graph_node(event.graph, row, self.visit.is_update, event.stands_for)
        if self._node is None:
            return State.DONE, (Acknowledge(), Drop("the row has no part in this traversal"))
        if stack.status is not Status.IN_PROGRESS:
            return State.DONE, (Acknowledge(), Drop("the traversal has ended"))
        if event.reported:
            return State.DONE, (Acknowledge(), Drop("the node has reported already"))
        if event.holder is Holder.ALIVE:
            waits = Drop("the holder of the row will wake us")
            if row.status is Status.IN_PROGRESS and row.action in PREEMPTED:
                return State.DONE, (Acknowledge(), Preempt(stack, row), waits)
            return State.DONE, (Acknowledge(), waits)
        deadline = stack_deadline(stack)
        if deadline is not None and event.now > deadline:
            return State.FAILING, (Acknowledge(), FailStack(stack, "Timed out"))
        if event.holder is Holder.DEAD and self._takes_over:
            return self._take_over(row, stack)
        self._went_down = event.holder is Holder.DEAD
        if self.visit.skip:
            return self._propagate(None)
        made_here = self._replacement_made_here(row, event.graph)
        if made_here is not None:
            return State.DONE, (CastCheck(made_here), Acknowledge())
        if self.visit.is_update and event.holder is Holder.NOBODY and is_brought(row, stack):
            return self._propagate(None)
        return State.EVALUATING, (EvaluateNode(stack, row),)

    def _superseded(
        self, row: ResourceRecord, graph: Graph[Node] | None
    ) -> tuple[State, tuple[Effect, ...]]:
        """A replacement that no traversal knows of must not be lost (rules/i-convergence.md#12).

        And if we held the lock, somebody may have been turned away because of us.
        """
        known = graph is None or any(
            Node(row.id, is_update) in graph for is_update in (True, False)
        )
        if self._held or (row.replaces is not None and not known):
            return State.WAKING, (Acknowledge(), WakeTraversal(row))
        return State.DONE, (Acknowledge(), Drop("the traversal was superseded"))

    def _replacement_made_here(self, row: ResourceRecord, graph: Graph[Node]) -> ResourceId | None:
        """The replacement that an earlier visit of this traversal made, if it did.

        Rows of earlier traversals all have a clean-up node; one made in this traversal has none.
        """
        if not self.visit.is_update or row.replaced_by is None:
            return None
        return None if Node(row.replaced_by, False) in graph else row.replaced_by

    def _take_over(
        self, row: ResourceRecord, stack: StackRecord
    ) -> tuple[State, tuple[Effect, ...]]:
        """Take the dead engine's lock; what was cut is gone on with or settled once it is ours."""
        self._action = row.action
        return State.CLAIMING, (ClaimNode(row, row.action, None, take_over=True),)

    # --- deciding --------------------------------------------------------------------------

    def _on_node_evaluated(self, event: NodeEvaluated) -> tuple[State, tuple[Effect, ...]]:
        row, stack = self._current()
        self._plan = event.plan
        if self._resumed and event.decision is Decision.REPLACE:
            # It can't be gone on with: find what it made, and begin anew.
            self._resumed = False
            return self._settle(row)
        if self._resumed:
            return State.RUNNING, (RunProcedure(row, self._action, event.plan, resume=True),)
        if self._went_down and event.decision is not Decision.NOTHING:
            return self._say_went_down(ACTIONS.get(event.decision, row.action))
        match event.decision:
            case Decision.NOTHING:
                return self._propagate(None)
            case Decision.UNCHECKED:
                return State.STORING, (StoreUnchecked(row, event.plan),)
            case Decision.REMOVE:
                return State.STORING, (RemoveRow(row),)
            case Decision.UNCHANGED:
                self._action = row.action
                return State.STORING, (StoreUnchanged(row, event.plan),)
            case Decision.REPLACE:
                return State.REPLACING, (MakeReplacement(row, stack, event.plan),)
            case Decision.MAKE_ROOM:
                self._action, self._makes_room = Action.UPDATE, True
                return State.CLAIMING, (ClaimNode(row, self._action, event.plan, quietly=True),)
        self._action = ACTIONS[event.decision]
        return State.CLAIMING, (ClaimNode(row, self._action, event.plan),)

    def _on_evaluation_failed(self, event: EvaluationFailed) -> tuple[State, tuple[Effect, ...]]:
        """The failure belongs to the resource's history, so it is stored under its lock.

        Unless the update is refused before it begins: then the resource is as good as before.
        """
        row, _ = self._current()
        self._plan = event.plan
        if self._resumed:
            self._fail(event.reason, event.stack_reason)
            return State.STORING, (self._outcome(row, Status.FAILED, event.reason),)
        if event.refused is not None:
            self._action = Action.UPDATE
            self._fail(event.reason)
            return State.STORING, (StoreRefused(row, event.plan, event.refused),)
        if not self.visit.is_update:
            self._action = Action.DELETE
        elif self._current()[1].action is Action.CHECK:
            self._action = Action.CHECK
        else:
            self._action = Action.CREATE if row.action is Action.INIT else Action.UPDATE
        if self._went_down:
            return self._say_went_down(self._action)
        self._fail(event.reason, event.stack_reason)
        return State.CLAIMING, (ClaimNode(row, self._action, event.plan),)

    def _say_went_down(self, action: Action) -> tuple[State, tuple[Effect, ...]]:
        """What was to be done can't be: the row is still locked by an engine that is gone.

        A row with nothing behind it has nothing that could have failed. Marked as failed it would
        be one to clean up, and this traversal has no node for that.
        """
        row, _ = self._current()
        failed = None if is_gone(row) else action
        return State.STORING, (StoreWentDown(row, failed, self._plan),)

    def _fail(self, reason: str, stack_reason: str | None = None) -> None:
        """Remember what to say of the resource and of the stack (rules/i-convergence.md#17)."""
        self._failure = reason
        self._stack_failure = f"Resource {self._action} failed: {stack_reason or reason}"

    # --- acting ----------------------------------------------------------------------------

    def _on_claimed(self, event: Claimed) -> tuple[State, tuple[Effect, ...]]:
        before, stack = self._current()
        self._row = event.row
        self._held = True
        if before.engine_id is not None:
            return self._after_take_over(event.row, stack)
        if self._failure is not None:
            outcome = self._outcome(event.row, Status.FAILED, self._failure)
            return State.STORING, (Acknowledge(), outcome)
        run = RunProcedure(
            event.row, self._action, self._plan, resume=False, makes_room=self._makes_room
        )
        return State.RUNNING, (Acknowledge(), run)

    def _after_take_over(
        self, row: ResourceRecord, stack: StackRecord
    ) -> tuple[State, tuple[Effect, ...]]:
        """Go on with what the dead engine did if this traversal wants the same, else settle it.

        Settling finds what a cut create may have made, so that nothing is lost, marks the row as
        failed and lets the visit begin anew.
        """
        goes_on = row.status is Status.IN_PROGRESS and row.action is self._wanted_action(row, stack)
        if goes_on:
            self._resumed = True
            return State.EVALUATING, (Acknowledge(), EvaluateNode(stack, row, resume=True))
        state, effects = self._settle(row)
        return state, (Acknowledge(), *effects)

    def _settle(self, row: ResourceRecord) -> tuple[State, tuple[Effect, ...]]:
        self._settling = True
        return State.RUNNING, (RunProcedure(row, Action.INIT, None, resume=True),)

    def _wanted_action(self, row: ResourceRecord, stack: StackRecord) -> Action | None:
        """The action in which a visit of this kind may go on with what was cut."""
        if not self.visit.is_update:
            return Action.DELETE
        if stack.action is Action.CHECK:
            return Action.CHECK
        if row.action is Action.CREATE and row.current_template_id == stack.raw_template_id:
            return Action.CREATE
        return Action.UPDATE if row.action is Action.UPDATE else None

    def _on_claim_lost(self, event: ClaimLost) -> tuple[State, tuple[Effect, ...]]:
        """Look again: the holder may live, be dead, or have finished meanwhile."""
        self._failure, self._stack_failure = None, ""
        self._resumed = self._makes_room = False
        self._retries.next = None
        return State.LOADING, (LoadNode(),)

    def _on_procedure_finished(self, event: ProcedureFinished) -> tuple[State, tuple[Effect, ...]]:
        row, _ = self._current()
        if event.outcome is Outcome.LOCK_LOST:
            return State.WAKING, (WakeTraversal(row),)
        if event.outcome is Outcome.UNRESUMABLE:
            self._settling = True
        if self._settling:
            return State.STORING, (settled_outcome(row),)
        makes_room, self._makes_room = self._makes_room, False
        if makes_room and event.outcome is Outcome.DONE:
            # Only the lock goes, the state stays as it is (rules/h-updates.md#16).
            self._replace = True
            same = StoreOutcome(
                row, row.action, row.status, row.status_reason or "", self._plan, completed=False
            )
            return State.STORING, (same,)
        if makes_room and event.outcome is Outcome.FAILED:
            self._fail(event.reason)
            failed = StoreOutcome(
                row, self._action, Status.FAILED, event.reason, self._plan, completed=False
            )
            return State.STORING, (failed,)
        match event.outcome:
            case Outcome.DONE:
                self._failure = None
                self._retries.done(self._action)
                return State.STORING, (self._outcome(row, Status.COMPLETE, STATE_CHANGED),)
            case Outcome.REPLACE:
                self._replace = True
                return State.STORING, (
                    StoreOutcome(
                        row, self._action, Status.COMPLETE, event.reason, self._plan, False
                    ),
                )
            case Outcome.FAILED:
                self._fail(event.reason)
                if event.may_retry and self.visit.is_update and self._action in RETRIED:
                    self._stack_failure = self._retries.failed(self._action, self._stack_failure)
                return State.STORING, (self._outcome(row, Status.FAILED, event.reason),)
            case Outcome.TIMED_OUT:
                self._failure = self._stack_failure = "Timed out"
                return State.STORING, (self._aborted(row, event.reason),)
            case Outcome.CANCELLED:
                self._failure = ""
                return State.STORING, (self._aborted(row, event.reason),)
        raise AssertionError(f"unknown outcome {event.outcome}")

    def _outcome(self, row: ResourceRecord, status: Status, reason: str) -> StoreOutcome:
        changes = self._action is not Action.CHECK
        return StoreOutcome(row, self._action, status, reason, self._plan, completed=changes)

    def _aborted(self, row: ResourceRecord, why: str) -> StoreOutcome:
        reason = f"{self._action} aborted ({why})" if why else f"{self._action} aborted"
        return StoreOutcome(row, self._action, Status.FAILED, reason, self._plan, completed=False)

    # --- after the outcome -----------------------------------------------------------------

    def _on_outcome_stored(self, event: OutcomeStored) -> tuple[State, tuple[Effect, ...]]:
        _, stack = self._current()
        self._row = row = event.row
        if self._went_down:
            return State.DONE, (CastCheck(row.id), Acknowledge())
        # With the lock goes the right to go on with what was cut: a later look begins anew.
        settled, self._settling, self._resumed = self._settling, False, False
        if settled:
            return State.LOADING, (LoadNode(),)
        if self._replace:
            self._replace = False
            return State.REPLACING, (MakeReplacement(row, stack, self._plan),)
        if self._failure == "":
            return State.WAKING, (WakeTraversal(row),)
        if self._retries.next is not None:
            return self._retry(row)
        if self._failure is not None and stack.action is Action.CHECK:
            # Told at the end: until then the others are checked (rules/i-convergence.md#18).
            self._failures = {row.name: self._stack_failure}
        elif self._failure is not None:
            return State.FAILING, (FailStack(stack, self._stack_failure),)
        return self._propagate(None)

    def _retry(self, row: ResourceRecord) -> tuple[State, tuple[Effect, ...]]:
        if self._retries.attempt:
            return State.RETRYING, (WaitToRetry(self._retries.attempt),)
        return self._claim_again(row)

    def _on_waited(self, event: Waited) -> tuple[State, tuple[Effect, ...]]:
        row, _ = self._current()
        return self._claim_again(row)

    def _claim_again(self, row: ResourceRecord) -> tuple[State, tuple[Effect, ...]]:
        if self._retries.next is None:
            raise AssertionError("nothing is to be tried again")
        self._action, self._retries.next = self._retries.next, None
        self._failure, self._stack_failure = None, ""
        return State.CLAIMING, (ClaimNode(row, self._action, self._plan),)

    def _on_outcome_lost(self, event: OutcomeLost) -> tuple[State, tuple[Effect, ...]]:
        row, _ = self._current()
        held = row.engine_id is not None and not self._went_down
        if held:
            return State.WAKING, (WakeTraversal(row),)
        self._failure, self._stack_failure = None, ""
        return State.LOADING, (LoadNode(),)

    def _on_replacement_stored(self, event: ReplacementStored) -> tuple[State, tuple[Effect, ...]]:
        return State.DONE, (CastCheck(event.resource_id), Acknowledge())

    def _on_replacement_lost(self, event: ReplacementLost) -> tuple[State, tuple[Effect, ...]]:
        return State.LOADING, (LoadNode(),)

    def _on_attributes_read(self, event: AttributesRead) -> tuple[State, tuple[Effect, ...]]:
        return self._propagate(event.data)

    def _on_attributes_unreadable(
        self, event: AttributesUnreadable
    ) -> tuple[State, tuple[Effect, ...]]:
        # Heat's worker gives up here, and the stack waits for its timeout.
        _, stack = self._current()
        return State.FAILING, (FailStack(stack, event.reason),)

    def _propagate(self, data: Mapping[str, Any] | None) -> tuple[State, tuple[Effect, ...]]:
        row, stack = self._current()
        node = self._node
        if node is None:
            raise AssertionError("a visit without a node has nothing to propagate")
        waits_for_data = self.visit.is_update and any(
            waiting.is_update for waiting in self._graph.required_by(node)
        )
        if data is None and waits_for_data:
            return State.READING, (ReadAttributes(stack, row),)
        sent = arrivals(
            self._graph,
            node,
            data=data,
            row_id=row.id,
            replaced_by=row.replaced_by,
            failures={**self.visit.failures, **self._failures},
            skip=self.visit.skip or bool(self._failures),
            # A message that came twice: what the first visit called may have found our lock.
            again=self._held,
        )
        return State.PROPAGATING, (Propagate(stack, sent),)

    def _on_propagated(self, event: Propagated) -> tuple[State, tuple[Effect, ...]]:
        row, _ = self._current()
        if event.gone:
            return State.WAKING, (WakeTraversal(row),)
        return State.DONE, (Acknowledge(),)

    def _on_stack_failed(self, event: StackFailed) -> tuple[State, tuple[Effect, ...]]:
        row, _ = self._current()
        if event.applied:
            return State.DONE, (Acknowledge(),)
        return State.WAKING, (WakeTraversal(row),)

    def _on_woken(self, event: Woken) -> tuple[State, tuple[Effect, ...]]:
        return State.DONE, (Acknowledge(),)

    def _current(self) -> tuple[ResourceRecord, StackRecord]:
        if self._row is None or self._stack is None:
            raise AssertionError("nothing has been loaded yet")
        return self._row, self._stack


def stack_deadline(stack: StackRecord) -> datetime | None:
    """When the running operation times out, None for a stack without any time.

    Counted from the last update, else from the create; stack_action_timeout counts for a stack
    without a timeout of its own (rules/i-convergence.md#13).
    """
    began = stack.updated_at or stack.created_at
    return None if began is None else began + timedelta(seconds=timeout_seconds(stack))


PREEMPTED = frozenset({Action.CREATE, Action.UPDATE})
CLOCKS_AGREE_SECONDS = 5
"""how far the clocks of two engines may be apart, and what databases round times to"""


def began_before(
    row: ResourceRecord, stack: StackRecord, held_for: TraversalId | None = None
) -> bool:
    """Whether the create or update under way on a row certainly began before this traversal.

    `held_for` is the traversal that the holder works for, where that is known. Else the row tells:
    a create notes the template when it begins, an update the time. A message that comes twice must
    not stop the action that its first copy began, so in doubt it did not.
    """
    if row.status is not Status.IN_PROGRESS or row.action not in PREEMPTED:
        return False
    if held_for is not None:
        return held_for != stack.current_traversal
    if row.action is Action.CREATE:
        return row.current_template_id != stack.raw_template_id
    began = stack.updated_at or stack.created_at
    if row.updated_at is None or began is None:
        return False
    return row.updated_at + timedelta(seconds=CLOCKS_AGREE_SECONDS) < began


BRINGS_TEMPLATE = frozenset({Action.CREATE, Action.ADOPT, Action.UPDATE, Action.RESTORE})
"""operations towards a template that no row has been of before"""
DONE_IN = "done_in"
"""key in resource_data: the traversal that brought the row, where its template does not tell"""


def template_tells(stack: StackRecord) -> bool:
    """Whether a row that is of the stack's template was brought to it in this traversal.

    A rollback goes back to a template that rows may have stayed at.
    """
    return stack.action in BRINGS_TEMPLATE and stack.raw_template_id != stack.prev_raw_template_id


def is_brought(row: ResourceRecord, stack: StackRecord) -> bool:
    """Whether an earlier visit of this traversal has certainly done all that is to be done.

    Only its report is missing, or still on its way. To begin anew would be without effect for most
    types, but a nested stack is updated whenever it is asked for (rules/h-updates.md#25): that
    report would then be one of a resource that is under way again.
    """
    ended = row.status is Status.COMPLETE and row.action not in (Action.INIT, Action.DELETE)
    if not ended or row.current_template_id != stack.raw_template_id:
        return False
    return template_tells(stack) or row.data.get(DONE_IN) == stack.current_traversal


def base_decision(row: ResourceRecord, stack: StackRecord, is_update: bool) -> Decision | None:
    """What the row alone decides (rules/i-convergence.md#14); None: compare the definitions.

    Clean-up removes what the new template does not have: a row that no update node brought to the
    stack's template. A row without an object behind it is only removed from the database.
    """
    if stack.action is Action.CHECK:
        return None if is_update else Decision.NOTHING
    if is_update:
        return Decision.CREATE if row.action is Action.INIT else None
    if row.current_template_id == stack.raw_template_id or is_gone(row):
        return Decision.NOTHING
    return Decision.REMOVE if row.action is Action.INIT else Decision.DELETE


def settled_outcome(row: ResourceRecord) -> StoreOutcome:
    """Release a dead engine's lock: an action that was cut has failed, anything else stands."""
    status, reason = row.status, row.status_reason or ""
    if status is Status.IN_PROGRESS:
        status, reason = Status.FAILED, f"Worker went down during resource {row.action}"
    return StoreOutcome(row, row.action, status, reason, None, completed=False)
