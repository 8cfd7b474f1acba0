"""One visit, event by event (rules/i-convergence.md#11-23)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from rows import DEAD, MINE, NEWER, NOW, TEMPLATE, TRAVERSAL, a_row, a_stack

from heat_core.convergence import (
    NODE_STEP_TABLE,
    Arrival,
    IllegalEvent,
    Node,
    NodeStep,
    base_decision,
    began_before,
    settled_outcome,
    stack_deadline,
)
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
from heat_core.convergence.node_step import DONE_IN, STATE_CHANGED, State
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId, TemplateId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_core.stack.timeouts import action_timeout

UP1, UP2, CLEAN1, CLEAN2 = Node(1, True), Node(2, True), Node(1, False), Node(2, False)
# "b" (2) needs "a" (1) and did so before.
GRAPH = Graph.from_edges([(UP2, UP1), (CLEAN1, UP1), (CLEAN2, UP2), (CLEAN1, CLEAN2)])
PLAN = "plan"
STACK = a_stack()
FREE = a_row(1)
INIT = a_row(1, action=Action.INIT, current_template_id=TEMPLATE)


def loaded(**fields: Any) -> NodeLoaded:
    """Row 1, free, in the running traversal."""
    values: dict[str, Any] = {
        "row": FREE,
        "stack": STACK,
        "graph": GRAPH,
        "holder": Holder.NOBODY,
        "now": NOW,
    }
    return NodeLoaded(**values | fields)


class Walk:
    """A visit that is driven by hand; `effects` are those of the last event."""

    def __init__(self, row_id: int = 1, *, is_update: bool = True, retry_limit: int = 5) -> None:
        visit = Visit(ResourceId(row_id), TRAVERSAL, is_update, {})
        self.machine = NodeStep(visit, retry_limit=retry_limit)
        self.effects: tuple[Effect, ...] = ()

    def on(self, *events: Event) -> tuple[Effect, ...]:
        for event in events:
            self.effects = self.machine.handle(event)
        return self.effects

    @property
    def state(self) -> State:
        return self.machine.state


def held(row: ResourceRecord, action: Action) -> ResourceRecord:
    """The row after our claim."""
    return replace(row, engine_id=MINE, action=action, status=Status.IN_PROGRESS, atomic_key=3)


def released(row: ResourceRecord, action: Action, status: Status) -> ResourceRecord:
    """The row after our outcome."""
    return replace(row, engine_id=None, action=action, status=status, atomic_key=4)


def evaluating(row: ResourceRecord = FREE, *, is_update: bool = True) -> Walk:
    walk = Walk(is_update=is_update)
    walk.on(Started(), loaded(row=row))
    assert walk.effects == (EvaluateNode(STACK, row),)
    return walk


def running(action: Action = Action.UPDATE, *, is_update: bool = True) -> Walk:
    """Row 1 with its lock held and its procedure under way."""
    decisions = {
        Action.CREATE: Decision.CREATE,
        Action.UPDATE: Decision.UPDATE,
        Action.DELETE: Decision.DELETE,
    }
    walk = evaluating(is_update=is_update)
    walk.on(NodeEvaluated(decisions[action], PLAN), Claimed(held(FREE, action)))
    assert walk.state is State.RUNNING
    return walk


# --- before anything is done -------------------------------------------------------------------


def test_a_visit_begins_by_reading() -> None:
    walk = Walk()
    assert walk.on(Started()) == (LoadNode(),)
    assert walk.state is State.LOADING


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (loaded(row=None), "the row is gone"),
        (loaded(stack=None), "the stack is gone"),
        (loaded(stack=a_stack(deleted_at=NOW)), "the stack is gone"),
        (loaded(stack=a_stack(current_traversal=NEWER)), "the traversal was superseded"),
        (loaded(row=a_row(9)), "the row has no part in this traversal"),
        (loaded(stack=a_stack(status=Status.FAILED)), "the traversal has ended"),
        (loaded(stack=a_stack(status=Status.COMPLETE)), "the traversal has ended"),
        (loaded(graph=None), "the traversal is being prepared"),
        (loaded(holder=Holder.ALIVE), "the holder of the row will wake us"),
    ],
)
def test_there_may_be_nothing_to_do(event: NodeLoaded, why: str) -> None:
    walk = Walk()
    assert walk.on(Started(), event) == (Acknowledge(), Drop(why))
    assert walk.machine.done


def test_a_stray_replacement_of_a_superseded_traversal_wakes_the_current_one() -> None:
    # rules/i-convergence.md#12
    stray = a_row(9, replaces=ResourceId(1))
    walk = Walk(9)
    walk.on(Started(), loaded(row=stray, stack=a_stack(current_traversal=NEWER)))
    assert walk.effects == (Acknowledge(), WakeTraversal(stray))
    assert walk.on(Woken()) == (Acknowledge(),)
    assert walk.machine.done


@pytest.mark.parametrize("node", [UP1, CLEAN1])
def test_a_replacement_that_the_current_traversal_knows_is_no_stray(node: Node) -> None:
    known = a_row(1, replaces=ResourceId(8))
    walk = Walk(1)
    graph = Graph.from_edges([(node, None)])
    walk.on(Started(), loaded(row=known, graph=graph, stack=a_stack(current_traversal=NEWER)))
    assert walk.effects == (Acknowledge(), Drop("the traversal was superseded"))


def test_an_operation_out_of_time_fails_its_stack() -> None:
    # rules/i-convergence.md#13
    late = a_stack(timeout=1, updated_at=NOW - timedelta(seconds=61))
    walk = Walk()
    assert walk.on(Started(), loaded(stack=late)) == (Acknowledge(), FailStack(late, "Timed out"))
    assert walk.on(StackFailed(applied=True)) == (Acknowledge(),)
    assert walk.machine.done


def test_time_is_left_up_to_the_very_deadline() -> None:
    just = a_stack(timeout=1, updated_at=NOW - timedelta(seconds=60))
    walk = Walk()
    walk.on(Started(), loaded(stack=just))
    assert walk.state is State.EVALUATING


def test_a_replacement_made_by_an_earlier_visit_is_visited_instead() -> None:
    made = replace(FREE, replaced_by=ResourceId(7))
    walk = Walk()
    assert walk.on(Started(), loaded(row=made)) == (CastCheck(ResourceId(7)), Acknowledge())
    assert walk.machine.done


def test_a_replacement_of_an_earlier_traversal_is_not() -> None:
    # It has a clean-up node of its own, as row 2 has here: this row was chosen all the same.
    evaluating(replace(FREE, replaced_by=ResourceId(2)))


def test_a_clean_up_does_not_care_about_the_replacement() -> None:
    evaluating(replace(FREE, replaced_by=ResourceId(7)), is_update=False)


def test_a_replacement_acts_as_the_row_that_it_replaces() -> None:
    replacement = a_row(7, name="a", action=Action.INIT, replaces=ResourceId(1))
    walk = Walk(7)
    walk.on(Started(), loaded(row=replacement))
    assert walk.effects == (EvaluateNode(STACK, replacement),)


def sent_by(walk: Walk) -> tuple[Arrival, ...]:
    """The reports that the machine asks for now."""
    (effect,) = walk.effects
    assert isinstance(effect, Propagate)
    return effect.arrivals


BROUGHT = a_row(1, current_template_id=TEMPLATE)


def test_what_is_done_already_only_reports() -> None:
    # An update of a nested stack would begin anew, and end after the report of the first.
    walk = Walk()
    assert walk.on(Started(), loaded(row=BROUGHT)) == (ReadAttributes(STACK, BROUGHT),)
    assert walk.on(AttributesRead({"id": 1})) == (
        Propagate(STACK, (Arrival(CLEAN1, UP1, None), Arrival(UP2, UP1, {"id": 1}))),
    )
    assert not any(arrival.again for arrival in sent_by(walk))


@pytest.mark.parametrize(
    ("stack", "row"),
    [
        (a_stack(action=Action.ROLLBACK), BROUGHT),
        (a_stack(action=Action.CHECK), BROUGHT),
        (a_stack(prev_raw_template_id=TEMPLATE), BROUGHT),
        (STACK, replace(BROUGHT, status=Status.FAILED)),
        (STACK, replace(BROUGHT, action=Action.INIT)),
        (STACK, replace(BROUGHT, action=Action.DELETE)),
    ],
)
def test_where_nobody_can_tell_that_it_is_done_it_is_looked_at(
    stack: StackRecord, row: ResourceRecord
) -> None:
    walk = Walk()
    assert walk.on(Started(), loaded(row=row, stack=stack)) == (EvaluateNode(stack, row),)


@pytest.mark.parametrize(("done_in", "is_done"), [(TRAVERSAL, True), (NEWER, False)])
def test_in_a_rollback_the_row_knows_whether_it_is_done(
    done_in: TraversalId, is_done: bool
) -> None:
    row = replace(BROUGHT, data={DONE_IN: done_in})
    walk = Walk()
    walk.on(Started(), loaded(row=row, stack=a_stack(action=Action.ROLLBACK)))
    assert walk.state is (State.READING if is_done else State.EVALUATING)


def test_what_the_template_has_is_done_for_an_update_and_not_for_its_clean_up() -> None:
    evaluating(BROUGHT, is_update=False)


# --- decisions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("decision", "action"),
    [
        (Decision.CREATE, Action.CREATE),
        (Decision.UPDATE, Action.UPDATE),
        (Decision.DELETE, Action.DELETE),
    ],
)
def test_an_action_needs_the_lock_first(decision: Decision, action: Action) -> None:
    walk = evaluating()
    assert walk.on(NodeEvaluated(decision, PLAN)) == (ClaimNode(FREE, action, PLAN),)
    mine = held(FREE, action)
    assert walk.on(Claimed(mine)) == (
        Acknowledge(),
        RunProcedure(mine, action, PLAN, resume=False),
    )


def test_an_unchanged_row_moves_to_the_new_template_without_a_lock() -> None:
    # rules/h-updates.md#12
    walk = evaluating()
    assert walk.on(NodeEvaluated(Decision.UNCHANGED, PLAN)) == (StoreUnchanged(FREE, PLAN),)
    moved = replace(FREE, current_template_id=TEMPLATE, atomic_key=3)
    assert walk.on(OutcomeStored(moved)) == (ReadAttributes(STACK, moved),)


def test_a_row_with_nothing_behind_it_is_removed_and_reported() -> None:
    walk = evaluating(is_update=False)
    assert walk.on(NodeEvaluated(Decision.REMOVE)) == (RemoveRow(FREE),)
    walk.on(OutcomeStored(FREE))
    assert walk.effects == (Propagate(STACK, (Arrival(None, CLEAN1),)),)


def test_a_clean_up_with_nothing_to_do_reports_at_once() -> None:
    walk = evaluating(is_update=False)
    walk.on(NodeEvaluated(Decision.NOTHING))
    assert walk.state is State.PROPAGATING
    assert walk.on(Propagated(gone=False)) == (Acknowledge(),)
    assert walk.machine.done


def test_an_update_with_nothing_to_do_still_tells_its_attributes() -> None:
    walk = evaluating()
    assert walk.on(NodeEvaluated(Decision.NOTHING)) == (ReadAttributes(STACK, FREE),)


@pytest.mark.parametrize("decision", [Decision.UNCHANGED, Decision.REMOVE])
def test_a_row_that_somebody_changed_meanwhile_is_looked_at_again(decision: Decision) -> None:
    walk = evaluating()
    walk.on(NodeEvaluated(decision, PLAN))
    assert walk.on(OutcomeLost()) == (LoadNode(),)
    assert walk.state is State.LOADING


def test_a_lost_claim_is_looked_at_again() -> None:
    walk = evaluating()
    walk.on(NodeEvaluated(Decision.UPDATE, PLAN))
    assert walk.on(ClaimLost()) == (LoadNode(),)
    walk.on(loaded(holder=Holder.ALIVE))
    assert walk.machine.done


def test_a_failure_of_an_earlier_look_is_forgotten_with_the_claim() -> None:
    walk = evaluating()
    walk.on(EvaluationFailed("bad", PLAN, "worse"), ClaimLost(), loaded())
    walk.on(NodeEvaluated(Decision.UPDATE, PLAN), Claimed(held(FREE, Action.UPDATE)))
    assert walk.state is State.RUNNING


# --- failures of the definition ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "is_update", "action"),
    [
        (a_row(1, action=Action.INIT), True, Action.CREATE),
        (FREE, True, Action.UPDATE),
        (FREE, False, Action.DELETE),
    ],
)
def test_a_failed_evaluation_is_stored_under_the_lock(
    row: ResourceRecord, is_update: bool, action: Action
) -> None:
    walk = evaluating(row, is_update=is_update)
    assert walk.on(EvaluationFailed("bad", PLAN)) == (ClaimNode(row, action, PLAN),)
    mine = held(row, action)
    assert walk.on(Claimed(mine)) == (
        Acknowledge(),
        StoreOutcome(mine, action, Status.FAILED, "bad", PLAN, completed=True),
    )
    walk.on(OutcomeStored(released(row, action, Status.FAILED)))
    assert walk.effects == (FailStack(STACK, f"Resource {action} failed: bad"),)


def test_the_stack_may_show_another_text_than_the_resource() -> None:
    walk = evaluating(a_row(1, action=Action.INIT))
    walk.on(EvaluationFailed("resource text", PLAN, "stack text"))
    walk.on(Claimed(held(FREE, Action.CREATE)))
    stored = released(FREE, Action.CREATE, Status.FAILED)
    assert walk.on(OutcomeStored(stored)) == (
        FailStack(STACK, "Resource CREATE failed: stack text"),
    )


# --- outcomes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [Action.CREATE, Action.UPDATE])
def test_a_nested_stack_at_work_for_somebody_else_is_told(action: Action) -> None:
    row = a_row(action=action, status=Status.IN_PROGRESS)
    waits = Drop("the holder of the row will wake us")
    assert Walk().on(Started(), loaded(row=row, holder=Holder.ALIVE)) == (
        Acknowledge(),
        Preempt(STACK, row),
        waits,
    )


LATER = NOW + timedelta(seconds=6)


@pytest.mark.parametrize(
    ("fields", "held_for", "before"),
    [
        ({"action": Action.CREATE, "current_template_id": TemplateId(1)}, None, True),
        ({"action": Action.CREATE, "current_template_id": TemplateId(2)}, None, False),
        ({"action": Action.UPDATE, "updated_at": NOW}, None, True),
        ({"action": Action.UPDATE, "updated_at": NOW + timedelta(seconds=2)}, None, False),
        ({"action": Action.UPDATE}, None, False),
        ({"action": Action.UPDATE}, NEWER, True),
        ({"action": Action.UPDATE, "updated_at": NOW}, TRAVERSAL, False),
        ({"action": Action.DELETE}, NEWER, False),
        ({"action": Action.UPDATE, "status": Status.FAILED}, NEWER, False),
    ],
)
def test_which_actions_began_before_this_traversal(
    fields: dict[str, Any], held_for: TraversalId | None, before: bool
) -> None:
    row = a_row(**{"status": Status.IN_PROGRESS, **fields})
    stack = a_stack(updated_at=LATER, raw_template_id=TemplateId(2))
    assert began_before(row, stack, held_for) is before
    assert not began_before(row, a_stack(created_at=None)) or fields["action"] is Action.CREATE


def test_done_is_stored_read_and_propagated() -> None:
    walk = running()
    mine = held(FREE, Action.UPDATE)
    assert walk.on(ProcedureFinished(Outcome.DONE)) == (
        StoreOutcome(mine, Action.UPDATE, Status.COMPLETE, STATE_CHANGED, PLAN, completed=True),
    )
    row = released(FREE, Action.UPDATE, Status.COMPLETE)
    assert walk.on(OutcomeStored(row)) == (ReadAttributes(STACK, row),)
    sent = (Arrival(CLEAN1, UP1, None), Arrival(UP2, UP1, {"id": 1}))
    assert walk.on(AttributesRead({"id": 1})) == (Propagate(STACK, sent),)
    # Somebody may have been turned away by our lock.
    assert [arrival.again for arrival in sent_by(walk)] == [True, True]
    assert walk.on(Propagated(gone=False)) == (Acknowledge(),)
    assert walk.machine.done


def test_a_stack_fails_when_what_others_need_of_a_node_cannot_be_read() -> None:
    walk = running()
    walk.on(ProcedureFinished(Outcome.DONE))
    walk.on(OutcomeStored(released(FREE, Action.UPDATE, Status.COMPLETE)))
    assert walk.on(AttributesUnreadable("why")) == (FailStack(STACK, "why"),)
    assert walk.on(StackFailed(applied=True)) == (Acknowledge(),)
    assert walk.machine.done


def test_nobody_reads_attributes_for_a_root() -> None:
    walk = Walk(2)
    row = a_row(2, name="b")
    walk.on(Started(), loaded(row=row, graph=Graph.from_edges([(UP2, UP1)])))
    walk.on(NodeEvaluated(Decision.UNCHANGED, PLAN), OutcomeStored(row))
    assert walk.effects == (Propagate(STACK, (Arrival(None, UP2),)),)


def test_a_clean_up_reports_what_replaced_its_row() -> None:
    row = a_row(2, name="b", replaced_by=ResourceId(7))
    walk = Walk(2, is_update=False)
    walk.on(Started(), loaded(row=row), NodeEvaluated(Decision.DELETE, PLAN))
    walk.on(Claimed(held(row, Action.DELETE)), ProcedureFinished(Outcome.DONE))
    walk.on(OutcomeStored(released(row, Action.DELETE, Status.COMPLETE)))
    assert walk.effects == (Propagate(STACK, (Arrival(CLEAN1, CLEAN2, 7),)),)


def test_a_failure_fails_the_stack() -> None:
    # rules/i-convergence.md#17, #19
    walk = running()
    mine = held(FREE, Action.UPDATE)
    assert walk.on(ProcedureFinished(Outcome.FAILED, "Conflict: ...")) == (
        StoreOutcome(mine, Action.UPDATE, Status.FAILED, "Conflict: ...", PLAN, completed=True),
    )
    walk.on(OutcomeStored(released(FREE, Action.UPDATE, Status.FAILED)))
    assert walk.effects == (FailStack(STACK, "Resource UPDATE failed: Conflict: ..."),)
    assert walk.on(StackFailed(applied=True)) == (Acknowledge(),)
    assert walk.machine.done


def test_a_failure_of_a_superseded_traversal_wakes_the_current_one() -> None:
    walk = running()
    row = released(FREE, Action.UPDATE, Status.FAILED)
    walk.on(ProcedureFinished(Outcome.FAILED, "text"), OutcomeStored(row))
    assert walk.on(StackFailed(applied=False)) == (WakeTraversal(row),)
    assert walk.on(Woken()) == (Acknowledge(),)


def test_a_result_of_a_superseded_traversal_turns_into_a_wake_up() -> None:
    walk = running(Action.DELETE, is_update=False)
    row = released(FREE, Action.DELETE, Status.COMPLETE)
    walk.on(ProcedureFinished(Outcome.DONE), OutcomeStored(row))
    assert walk.on(Propagated(gone=True)) == (WakeTraversal(row),)
    assert walk.state is State.WAKING


def test_a_timeout_aborts_the_action_and_fails_the_stack() -> None:
    walk = running()
    walk.on(ProcedureFinished(Outcome.TIMED_OUT, "Timed out"))
    assert walk.effects == (
        StoreOutcome(
            held(FREE, Action.UPDATE),
            Action.UPDATE,
            Status.FAILED,
            "UPDATE aborted (Timed out)",
            PLAN,
            completed=False,
        ),
    )
    walk.on(OutcomeStored(released(FREE, Action.UPDATE, Status.FAILED)))
    assert walk.effects == (FailStack(STACK, "Timed out"),)


def test_a_cancelled_action_fails_nothing_but_its_resource() -> None:
    walk = running()
    walk.on(ProcedureFinished(Outcome.CANCELLED))
    (stored,) = walk.effects
    assert isinstance(stored, StoreOutcome)
    assert (stored.status, stored.reason) == (Status.FAILED, "UPDATE aborted")
    assert not stored.completed
    row = released(FREE, Action.UPDATE, Status.FAILED)
    assert walk.on(OutcomeStored(row)) == (WakeTraversal(row),)


def test_a_lost_lock_is_not_written_over() -> None:
    walk = running()
    mine = held(FREE, Action.UPDATE)
    assert walk.on(ProcedureFinished(Outcome.LOCK_LOST)) == (WakeTraversal(mine),)


def test_an_outcome_that_finds_the_lock_gone_wakes_and_leaves() -> None:
    walk = running()
    walk.on(ProcedureFinished(Outcome.DONE))
    assert walk.on(OutcomeLost()) == (WakeTraversal(held(FREE, Action.UPDATE)),)


# --- trying again ------------------------------------------------------------------------------


def refused(reason: str, *, may_retry: bool = True) -> ProcedureFinished:
    return ProcedureFinished(Outcome.FAILED, reason, may_retry)


def creating(retry_limit: int = 5) -> Walk:
    """Row 1's first attempt is under way."""
    walk = Walk(retry_limit=retry_limit)
    walk.on(Started(), loaded(row=INIT), NodeEvaluated(Decision.CREATE, PLAN))
    walk.on(Claimed(held(INIT, Action.CREATE)))
    return walk


def attempted(walk: Walk, action: Action, finished: ProcedureFinished) -> tuple[Effect, ...]:
    """An attempt ends and is stored; what follows it."""
    status = Status.COMPLETE if finished.outcome is Outcome.DONE else Status.FAILED
    walk.on(finished)
    (stored,) = walk.effects
    assert isinstance(stored, StoreOutcome)
    assert (stored.action, stored.status) == (action, status)
    return walk.on(OutcomeStored(released(INIT, action, status)))


def test_a_refused_create_is_undone_at_once_and_repeated_without_a_pause_in_between() -> None:
    # rules/g-events-status.md#25
    walk = creating()
    failed = released(INIT, Action.CREATE, Status.FAILED)
    assert attempted(walk, Action.CREATE, refused("busy")) == (
        ClaimNode(failed, Action.DELETE, PLAN),
    )
    mine = held(failed, Action.DELETE)
    assert walk.on(Claimed(mine)) == (
        Acknowledge(),
        RunProcedure(mine, Action.DELETE, PLAN, resume=False),
    )
    # The create has failed once, so it waits.
    done = ProcedureFinished(Outcome.DONE)
    assert attempted(walk, Action.DELETE, done) == (WaitToRetry(1),)
    assert walk.state is State.RETRYING
    undone = released(INIT, Action.DELETE, Status.COMPLETE)
    assert walk.on(Waited()) == (ClaimNode(undone, Action.CREATE, PLAN),)
    walk.on(Claimed(held(undone, Action.CREATE)))
    attempted(walk, Action.CREATE, done)
    assert walk.state is State.READING


def test_a_refused_delete_in_between_waits_longer_each_time() -> None:
    walk = creating()
    attempted(walk, Action.CREATE, refused("busy"))
    for attempt in (1, 2, 3):
        walk.on(Claimed(held(INIT, Action.DELETE)))
        assert attempted(walk, Action.DELETE, refused("busy too")) == (WaitToRetry(attempt),)
        walk.on(Waited())


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_when_all_attempts_are_used_up_the_first_failure_is_told(limit: int) -> None:
    walk = creating(limit)
    for number in range(limit):
        attempted(walk, Action.CREATE, refused(f"busy {number}"))
        walk.on(Claimed(held(INIT, Action.DELETE)))
        attempted(walk, Action.DELETE, ProcedureFinished(Outcome.DONE))
        walk.on(Waited(), Claimed(held(INIT, Action.CREATE)))
    assert attempted(walk, Action.CREATE, refused(f"busy {limit}")) == (
        FailStack(STACK, "Resource CREATE failed: busy 0"),
    )


def test_a_delete_that_uses_up_its_attempts_tells_why_the_create_failed() -> None:
    walk = creating(1)
    attempted(walk, Action.CREATE, refused("busy"))
    walk.on(Claimed(held(INIT, Action.DELETE)))
    attempted(walk, Action.DELETE, refused("in use"))
    walk.on(Waited(), Claimed(held(INIT, Action.DELETE)))
    assert attempted(walk, Action.DELETE, refused("in use")) == (
        FailStack(STACK, "Resource CREATE failed: busy"),
    )


def test_a_failure_of_another_kind_ends_the_attempts_and_is_told_itself() -> None:
    walk = creating()
    attempted(walk, Action.CREATE, refused("busy"))
    walk.on(Claimed(held(INIT, Action.DELETE)))
    assert attempted(walk, Action.DELETE, refused("forbidden", may_retry=False)) == (
        FailStack(STACK, "Resource DELETE failed: forbidden"),
    )


@pytest.mark.parametrize(("action", "is_update"), [(Action.UPDATE, True), (Action.DELETE, False)])
def test_only_creates_are_tried_again(action: Action, is_update: bool) -> None:
    walk = running(action, is_update=is_update)
    walk.on(refused("busy"), OutcomeStored(released(FREE, action, Status.FAILED)))
    assert walk.effects == (FailStack(STACK, f"Resource {action} failed: busy"),)


def test_a_visit_that_is_told_to_stop_does_not_try_again() -> None:
    walk = creating()
    attempted(walk, Action.CREATE, refused("busy"))
    walk.on(Claimed(held(INIT, Action.DELETE)), ProcedureFinished(Outcome.CANCELLED))
    walk.on(OutcomeStored(released(INIT, Action.DELETE, Status.FAILED)))
    assert walk.state is State.WAKING


def test_a_time_that_runs_out_during_another_attempt_is_told_as_such() -> None:
    walk = creating()
    attempted(walk, Action.CREATE, refused("busy"))
    walk.on(Claimed(held(INIT, Action.DELETE)), ProcedureFinished(Outcome.TIMED_OUT))
    walk.on(OutcomeStored(released(INIT, Action.DELETE, Status.FAILED)))
    assert walk.effects == (FailStack(STACK, "Timed out"),)


def test_an_attempt_whose_row_somebody_took_meanwhile_looks_again() -> None:
    walk = creating()
    attempted(walk, Action.CREATE, refused("busy"))
    assert walk.on(ClaimLost()) == (LoadNode(),)
    failed = released(INIT, Action.CREATE, Status.FAILED)
    walk.on(loaded(row=failed, stack=a_stack(current_traversal=NEWER)))
    # We held the lock, so somebody may have been turned away because of us.
    assert walk.effects == (Acknowledge(), WakeTraversal(failed))


def test_trying_again_for_no_reason_is_a_bug() -> None:
    walk = running()
    walk.machine.state = State.RETRYING
    with pytest.raises(AssertionError, match="nothing is to be tried again"):
        walk.on(Waited())


# --- checking ----------------------------------------------------------------------------------

CHECKING = a_stack(action=Action.CHECK)


def checking(**fields: Any) -> Walk:
    walk = Walk(**fields)
    walk.on(Started(), loaded(stack=CHECKING))
    return walk


def test_a_check_is_an_action_under_the_lock_that_leaves_the_row_on_its_template() -> None:
    walk = checking()
    assert walk.on(NodeEvaluated(Decision.CHECK, PLAN)) == (ClaimNode(FREE, Action.CHECK, PLAN),)
    mine = held(FREE, Action.CHECK)
    walk.on(Claimed(mine), ProcedureFinished(Outcome.DONE))
    assert walk.effects == (
        StoreOutcome(mine, Action.CHECK, Status.COMPLETE, STATE_CHANGED, PLAN, completed=False),
    )


@pytest.mark.parametrize(
    ("finished", "reason"),
    [
        (ProcedureFinished(Outcome.FAILED, "bad"), "Resource CHECK failed: bad"),
        (ProcedureFinished(Outcome.FAILED, "busy", True), "Resource CHECK failed: busy"),
        (ProcedureFinished(Outcome.TIMED_OUT), "Timed out"),
    ],
)
def test_a_failed_check_is_passed_on_and_not_fatal(
    finished: ProcedureFinished, reason: str
) -> None:
    # rules/i-convergence.md#18
    walk = checking()
    walk.on(NodeEvaluated(Decision.CHECK, PLAN), Claimed(held(FREE, Action.CHECK)), finished)
    failed = released(FREE, Action.CHECK, Status.FAILED)
    assert walk.on(OutcomeStored(failed)) == (ReadAttributes(CHECKING, failed),)
    (told,) = walk.on(AttributesRead({"id": 1}))
    assert isinstance(told, Propagate)
    assert {(sent.skip, *sent.failures.items()) for sent in told.arrivals} == {
        (True, ("a", reason))
    }


def test_a_check_that_cannot_be_evaluated_is_a_failed_check() -> None:
    walk = checking()
    assert walk.on(EvaluationFailed("bad", PLAN)) == (ClaimNode(FREE, Action.CHECK, PLAN),)


def test_after_a_failed_check_nothing_is_done_but_passing_on() -> None:
    visit = Visit(ResourceId(2), TRAVERSAL, True, {}, skip=True, failures={"a": "why"})
    walk = Walk()
    walk.machine = NodeStep(visit)
    walk.on(Started(), loaded(row=a_row(2, name="b"), stack=CHECKING))
    sent = Arrival(CLEAN2, UP2, None, {"a": "why"}, True)
    assert walk.effects == (Propagate(CHECKING, (sent,)),)


def test_what_cannot_be_checked_only_says_so() -> None:
    walk = checking()
    assert walk.on(NodeEvaluated(Decision.UNCHECKED, PLAN)) == (StoreUnchecked(FREE, PLAN),)
    walk.on(OutcomeStored(FREE))
    assert walk.state is State.READING


def test_a_cut_check_goes_on_in_another_check() -> None:
    row = cut(Action.CHECK)
    walk = Walk()
    walk.on(Started(), loaded(row=row, stack=CHECKING, holder=Holder.DEAD))
    mine = replace(row, engine_id=MINE)
    walk.on(Claimed(mine))
    assert walk.effects == (Acknowledge(), EvaluateNode(CHECKING, mine, resume=True))


# --- refused before it begins ------------------------------------------------------------------


def test_a_refused_update_leaves_the_row_and_fails_the_stack() -> None:
    walk = evaluating()
    refused = EvaluationFailed("R: resources.a: no", PLAN, refused="no")
    assert walk.on(refused) == (StoreRefused(FREE, PLAN, "no"),)
    (failing,) = walk.on(OutcomeStored(FREE))
    assert failing == FailStack(STACK, "Resource UPDATE failed: R: resources.a: no")


def test_a_refusal_that_comes_too_late_is_looked_at_again() -> None:
    walk = evaluating()
    walk.on(EvaluationFailed("bad", PLAN, refused=""))
    walk.on(OutcomeLost())
    assert walk.state is State.LOADING
    walk.on(loaded())
    walk.on(NodeEvaluated(Decision.UNCHANGED, PLAN))
    walk.on(OutcomeStored(FREE))
    assert walk.state is State.READING


# --- replacement -------------------------------------------------------------------------------


def test_a_replacement_decided_beforehand_changes_no_state() -> None:
    # rules/h-updates.md#16, #20
    walk = evaluating()
    walk.on(NodeEvaluated(Decision.REPLACE, PLAN, "why"))
    assert walk.effects == (MakeReplacement(FREE, STACK, PLAN),)
    assert walk.on(ReplacementStored(ResourceId(7))) == (CastCheck(ResourceId(7)), Acknowledge())
    assert walk.machine.done


def making_room() -> Walk:
    walk = evaluating()
    walk.on(NodeEvaluated(Decision.MAKE_ROOM, PLAN, "why"))
    assert walk.effects == (ClaimNode(FREE, Action.UPDATE, PLAN, quietly=True),)
    walk.on(Claimed(replace(FREE, engine_id=MINE)))
    return walk


def test_what_is_to_be_replaced_makes_room_under_its_lock() -> None:
    # rules/h-updates.md#16
    walk = making_room()
    locked = replace(FREE, engine_id=MINE)
    run = RunProcedure(locked, Action.UPDATE, PLAN, resume=False, makes_room=True)
    assert walk.effects == (Acknowledge(), run)
    (stored,) = walk.on(ProcedureFinished(Outcome.DONE))
    assert isinstance(stored, StoreOutcome)
    assert (stored.action, stored.status, stored.completed) == (FREE.action, FREE.status, False)
    assert stored.reason == FREE.status_reason
    assert walk.on(OutcomeStored(FREE)) == (MakeReplacement(FREE, STACK, PLAN),)


def test_what_cannot_make_room_is_a_failed_update() -> None:
    walk = making_room()
    (stored,) = walk.on(ProcedureFinished(Outcome.FAILED, "no room"))
    locked = replace(FREE, engine_id=MINE)
    assert stored == StoreOutcome(locked, Action.UPDATE, Status.FAILED, "no room", PLAN, False)
    failed = released(FREE, Action.UPDATE, Status.FAILED)
    assert walk.on(OutcomeStored(failed)) == (FailStack(STACK, "Resource UPDATE failed: no room"),)


def test_without_the_lock_nobody_makes_room() -> None:
    walk = evaluating()
    walk.on(NodeEvaluated(Decision.MAKE_ROOM, PLAN, "why"))
    assert walk.on(ClaimLost()) == (LoadNode(),)
    walk.on(loaded(), NodeEvaluated(Decision.UPDATE, PLAN), Claimed(held(FREE, Action.UPDATE)))
    run = RunProcedure(held(FREE, Action.UPDATE), Action.UPDATE, PLAN, resume=False)
    assert walk.effects == (Acknowledge(), run)


def test_a_replacement_found_during_the_update_ends_the_update_first() -> None:
    # rules/h-updates.md#15: COMPLETE with the reason, on the old template
    walk = running()
    walk.on(ProcedureFinished(Outcome.REPLACE, "The Resource a requires replacement."))
    assert walk.effects == (
        StoreOutcome(
            held(FREE, Action.UPDATE),
            Action.UPDATE,
            Status.COMPLETE,
            "The Resource a requires replacement.",
            PLAN,
            completed=False,
        ),
    )
    row = released(FREE, Action.UPDATE, Status.COMPLETE)
    assert walk.on(OutcomeStored(row)) == (MakeReplacement(row, STACK, PLAN),)


def test_a_lost_replacement_is_looked_at_again_once() -> None:
    walk = running()
    row = released(FREE, Action.UPDATE, Status.COMPLETE)
    walk.on(ProcedureFinished(Outcome.REPLACE, "why"), OutcomeStored(row))
    assert walk.on(ReplacementLost()) == (LoadNode(),)
    # The replacement is not made again without a new decision.
    walk.on(loaded(row=row), NodeEvaluated(Decision.UNCHANGED, PLAN), OutcomeStored(row))
    assert walk.state is State.READING


def test_a_lost_replacement_of_a_superseded_traversal_wakes_the_current_one() -> None:
    # We held the lock, so somebody may have been turned away because of us.
    walk = running()
    row = released(FREE, Action.UPDATE, Status.COMPLETE)
    walk.on(ProcedureFinished(Outcome.REPLACE, "why"), OutcomeStored(row), ReplacementLost())
    walk.on(loaded(row=row, stack=a_stack(current_traversal=NEWER)))
    assert walk.effects == (Acknowledge(), WakeTraversal(row))


# --- where nothing is taken over ---------------------------------------------------------------


def left_behind(row: ResourceRecord, *, is_update: bool = True) -> Walk:
    """A visit that does as Heat does with a row that a dead engine holds."""
    walk = Walk()
    walk.machine = NodeStep(Visit(ResourceId(1), TRAVERSAL, is_update, {}), takes_over=False)
    walk.on(Started(), loaded(row=row, holder=Holder.DEAD))
    assert walk.effects == (EvaluateNode(STACK, row),)
    return walk


@pytest.mark.parametrize(
    ("decision", "action"),
    [
        (Decision.CREATE, Action.CREATE),
        (Decision.UPDATE, Action.UPDATE),
        (Decision.DELETE, Action.DELETE),
        # What needs no action of its own is told as the row's last one.
        (Decision.UNCHANGED, FREE.action),
        (Decision.MAKE_ROOM, FREE.action),
    ],
)
def test_what_a_dead_engine_holds_has_failed_and_is_visited_again(
    decision: Decision, action: Action
) -> None:
    # rules/i-convergence.md#20
    stale = replace(FREE, engine_id=DEAD)
    walk = left_behind(stale)
    assert walk.on(NodeEvaluated(decision, PLAN)) == (StoreWentDown(stale, action, PLAN),)
    failed = replace(FREE, action=action, status=Status.FAILED)
    assert walk.on(OutcomeStored(failed)) == (CastCheck(failed.id), Acknowledge())
    assert walk.machine.done


def test_of_a_dead_engines_row_with_nothing_behind_it_only_the_lock_goes() -> None:
    # Marked as failed it would be one to clean up, and the traversal has no node for that.
    gone = replace(FREE, action=Action.DELETE, engine_id=DEAD)
    walk = left_behind(gone)
    assert walk.on(NodeEvaluated(Decision.MAKE_ROOM, PLAN)) == (StoreWentDown(gone, None, PLAN),)
    assert walk.on(OutcomeStored(replace(gone, engine_id=None))) == (
        CastCheck(gone.id),
        Acknowledge(),
    )


def test_what_needs_nothing_needs_no_lock_either() -> None:
    walk = left_behind(replace(FREE, engine_id=DEAD), is_update=False)
    walk.on(NodeEvaluated(Decision.NOTHING))
    assert walk.state is State.PROPAGATING


def test_what_cannot_be_evaluated_needs_the_lock_to_say_so() -> None:
    stale = replace(FREE, engine_id=DEAD)
    walk = left_behind(stale)
    walk.on(EvaluationFailed("bad", PLAN))
    assert walk.effects == (StoreWentDown(stale, Action.UPDATE, PLAN),)


def test_a_dead_engines_lock_that_somebody_else_took_away_is_looked_at_again() -> None:
    walk = left_behind(replace(FREE, engine_id=DEAD))
    walk.on(NodeEvaluated(Decision.UPDATE, PLAN), OutcomeLost())
    assert walk.state is State.LOADING
    walk.on(loaded(), NodeEvaluated(Decision.UPDATE, PLAN))
    assert walk.effects == (ClaimNode(FREE, Action.UPDATE, PLAN),)


# --- taking over -------------------------------------------------------------------------------


def cut(action: Action, **fields: Any) -> ResourceRecord:
    """Row 1 as a dead engine left it."""
    values: dict[str, Any] = {
        "action": action,
        "status": Status.IN_PROGRESS,
        "engine_id": DEAD,
        "atomic_key": 3,
    }
    return a_row(1, **values | fields)


def taken_over(row: ResourceRecord, *, is_update: bool = True) -> Walk:
    """The dead engine's lock is ours; `effects` say what becomes of its action."""
    walk = Walk(is_update=is_update)
    walk.on(Started(), loaded(row=row, holder=Holder.DEAD))
    assert walk.effects == (ClaimNode(row, row.action, None, take_over=True),)
    walk.on(Claimed(replace(row, engine_id=MINE)))
    return walk


@pytest.mark.parametrize(
    ("row", "is_update"),
    [
        (cut(Action.CREATE, current_template_id=TEMPLATE), True),
        (cut(Action.UPDATE), True),
        (cut(Action.DELETE), False),
    ],
)
def test_a_cut_action_that_is_still_wanted_goes_on(row: ResourceRecord, is_update: bool) -> None:
    walk = taken_over(row, is_update=is_update)
    mine = replace(row, engine_id=MINE)
    assert walk.effects == (Acknowledge(), EvaluateNode(STACK, mine, resume=True))
    walk.on(NodeEvaluated(Decision.UPDATE, PLAN))
    assert walk.effects == (RunProcedure(mine, row.action, PLAN, resume=True),)
    walk.on(ProcedureFinished(Outcome.DONE))
    (stored,) = walk.effects
    assert isinstance(stored, StoreOutcome)
    assert (stored.action, stored.status) == (row.action, Status.COMPLETE)


def test_a_cut_create_whose_values_have_changed_is_settled() -> None:
    row = cut(Action.CREATE, current_template_id=TEMPLATE)
    walk = taken_over(row, is_update=True)
    mine = replace(row, engine_id=MINE)
    walk.on(NodeEvaluated(Decision.REPLACE, PLAN))
    assert walk.effects == (RunProcedure(mine, Action.INIT, None, resume=True),)
    assert walk.on(ProcedureFinished(Outcome.DONE)) == (settled_outcome(mine),)
    free = released(mine, row.action, Status.FAILED)
    assert walk.on(OutcomeStored(free)) == (LoadNode(),)


@pytest.mark.parametrize(
    ("row", "is_update"),
    [
        (cut(Action.CREATE), True),  # of an older template
        (cut(Action.DELETE), True),
        (cut(Action.CREATE, current_template_id=TEMPLATE), False),
        (cut(Action.UPDATE), False),
        (cut(Action.UPDATE, status=Status.FAILED), True),
    ],
)
def test_a_cut_action_that_is_not_wanted_is_settled_and_looked_at_again(
    row: ResourceRecord, is_update: bool
) -> None:
    walk = taken_over(row, is_update=is_update)
    mine = replace(row, engine_id=MINE)
    assert walk.effects == (Acknowledge(), RunProcedure(mine, Action.INIT, None, resume=True))
    assert walk.on(ProcedureFinished(Outcome.DONE)) == (settled_outcome(mine),)
    free = released(mine, row.action, Status.FAILED)
    assert walk.on(OutcomeStored(free)) == (LoadNode(),)
    walk.on(loaded(row=free))
    assert walk.effects == (EvaluateNode(STACK, free),)
    walk.on(NodeEvaluated(Decision.UPDATE, PLAN), Claimed(held(free, Action.UPDATE)))
    assert walk.effects[-1] == RunProcedure(
        held(free, Action.UPDATE), Action.UPDATE, PLAN, resume=False
    )


def test_what_was_settled_for_a_superseded_traversal_wakes_the_current_one() -> None:
    walk = taken_over(cut(Action.CREATE))
    free = released(FREE, Action.CREATE, Status.FAILED)
    walk.on(ProcedureFinished(Outcome.DONE), OutcomeStored(free))
    walk.on(loaded(row=free, stack=a_stack(current_traversal=NEWER)))
    assert walk.effects == (Acknowledge(), WakeTraversal(free))


def test_a_create_that_cannot_tell_what_it_made_is_settled() -> None:
    row = cut(Action.CREATE, current_template_id=TEMPLATE)
    walk = taken_over(row)
    walk.on(NodeEvaluated(Decision.CREATE, PLAN), ProcedureFinished(Outcome.UNRESUMABLE))
    assert walk.effects == (settled_outcome(replace(row, engine_id=MINE)),)
    assert walk.on(OutcomeStored(released(row, Action.CREATE, Status.FAILED))) == (LoadNode(),)


def test_a_cut_action_whose_definition_has_become_invalid_fails_under_the_lock_we_have() -> None:
    row = cut(Action.UPDATE)
    walk = taken_over(row)
    mine = replace(row, engine_id=MINE)
    assert walk.on(EvaluationFailed("bad", PLAN)) == (
        StoreOutcome(mine, Action.UPDATE, Status.FAILED, "bad", PLAN, completed=True),
    )
    walk.on(OutcomeStored(released(row, Action.UPDATE, Status.FAILED)))
    assert walk.effects == (FailStack(STACK, "Resource UPDATE failed: bad"),)


def test_a_resumed_update_that_lost_its_replacement_needs_a_claim_again() -> None:
    # The lock was released with the outcome: nothing may run on the strength of the old one.
    row = cut(Action.UPDATE)
    walk = taken_over(row)
    free = released(row, Action.UPDATE, Status.COMPLETE)
    walk.on(NodeEvaluated(Decision.UPDATE, PLAN), ProcedureFinished(Outcome.REPLACE, "why"))
    walk.on(OutcomeStored(free), ReplacementLost(), loaded(row=free))
    assert walk.effects == (EvaluateNode(STACK, free),)
    assert walk.on(NodeEvaluated(Decision.UPDATE, PLAN)) == (ClaimNode(free, Action.UPDATE, PLAN),)


def test_a_lock_that_another_took_over_first_is_looked_at_again() -> None:
    row = cut(Action.UPDATE)
    walk = Walk()
    walk.on(Started(), loaded(row=row, holder=Holder.DEAD))
    assert walk.on(ClaimLost()) == (LoadNode(),)


# --- illegal events ----------------------------------------------------------------------------

EVENTS: tuple[Event, ...] = (
    Started(),
    loaded(),
    NodeEvaluated(Decision.NOTHING),
    EvaluationFailed("bad"),
    Claimed(FREE),
    ClaimLost(),
    ProcedureFinished(Outcome.DONE),
    OutcomeStored(FREE),
    OutcomeLost(),
    Waited(),
    ReplacementStored(ResourceId(7)),
    ReplacementLost(),
    AttributesRead({}),
    AttributesUnreadable("why"),
    Propagated(gone=False),
    StackFailed(applied=True),
    Woken(),
)


@pytest.mark.parametrize("state", State)
def test_an_event_that_the_table_lacks_changes_nothing(state: State) -> None:
    for event in EVENTS:
        if type(event) in NODE_STEP_TABLE[state]:
            continue
        machine = NodeStep(Visit(ResourceId(1), TRAVERSAL, True, {}))
        machine.state = state
        before = repr(vars(machine))
        with pytest.raises(IllegalEvent, match=f"{type(event).__name__} in state {state}"):
            machine.handle(event)
        assert repr(vars(machine)) == before


def test_an_event_before_the_rows_were_read_is_a_bug() -> None:
    machine = NodeStep(Visit(ResourceId(1), TRAVERSAL, True, {}))
    machine.state = State.EVALUATING
    with pytest.raises(AssertionError, match="nothing has been loaded"):
        machine.handle(NodeEvaluated(Decision.NOTHING))
    assert machine.state is State.EVALUATING


def test_a_visit_without_a_node_has_nothing_to_propagate() -> None:
    walk = Walk(9)
    stray = a_row(9, replaces=ResourceId(1))
    walk.on(Started(), loaded(row=stray, stack=a_stack(current_traversal=NEWER)))
    walk.machine.state = State.READING
    with pytest.raises(AssertionError, match="without a node"):
        walk.on(AttributesRead({}))


def test_an_outcome_that_nobody_knows_is_a_bug() -> None:
    walk = running()
    with pytest.raises(AssertionError, match="unknown outcome"):
        walk.on(ProcedureFinished("who knows"))  # type: ignore[arg-type]  # that is the point
    assert walk.state is State.RUNNING


# --- the plain functions -----------------------------------------------------------------------


def test_the_deadline_counts_from_the_last_start() -> None:
    stack = a_stack(timeout=2, created_at=NOW, updated_at=NOW + timedelta(hours=1))
    assert stack_deadline(stack) == NOW + timedelta(hours=1, minutes=2)
    assert stack_deadline(a_stack(timeout=2, updated_at=None)) == NOW + timedelta(minutes=2)


def test_without_a_timeout_it_is_that_of_all_stacks() -> None:
    without = a_stack(timeout=None)
    began = without.updated_at or without.created_at
    assert began is not None
    assert stack_deadline(without) == began + timedelta(hours=1)
    with action_timeout(90):
        assert stack_deadline(without) == began + timedelta(seconds=90)
    assert stack_deadline(a_stack(timeout=1, created_at=None)) is None


@pytest.mark.parametrize(
    ("row", "is_update", "decision"),
    [
        (a_row(action=Action.INIT), True, Decision.CREATE),
        (a_row(), True, None),
        (a_row(current_template_id=TEMPLATE), False, Decision.NOTHING),
        (a_row(action=Action.DELETE), False, Decision.NOTHING),
        (a_row(action=Action.INIT), False, Decision.REMOVE),
        (a_row(), False, Decision.DELETE),
        (a_row(action=Action.DELETE, status=Status.FAILED), False, Decision.DELETE),
        (a_row(current_template_id=None), False, Decision.DELETE),
    ],
)
def test_what_the_row_alone_decides(
    row: ResourceRecord, is_update: bool, decision: Decision | None
) -> None:
    # rules/i-convergence.md#14
    assert base_decision(row, STACK, is_update) is decision


def test_settling_marks_a_cut_action_as_failed() -> None:
    # rules/i-convergence.md#20
    outcome = settled_outcome(cut(Action.UPDATE))
    assert outcome.status is Status.FAILED
    assert outcome.reason == "Worker went down during resource UPDATE"
    assert not outcome.completed
    assert outcome.plan is None


@pytest.mark.parametrize("reason", ["state changed", None])
def test_settling_leaves_an_action_that_had_ended(reason: str | None) -> None:
    outcome = settled_outcome(cut(Action.CREATE, status=Status.COMPLETE, status_reason=reason))
    assert (outcome.action, outcome.status) == (Action.CREATE, Status.COMPLETE)
    assert outcome.reason == (reason or "")


def test_a_copy_counts_attempts_of_its_own() -> None:
    walk = creating(retry_limit=1)
    other = walk.machine.copy()
    for machine in (other, walk.machine):
        machine.handle(refused("not now"))
        machine.handle(OutcomeStored(a_row(1)))
        assert machine.state is State.CLAIMING
