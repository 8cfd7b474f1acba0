"""Beginnings and ends of traversals (rules/i-convergence.md#5-10, #32-35)."""

from __future__ import annotations

from typing import Any

import pytest
from rows import NEWER, NOW, TEMPLATE, a_stack

from heat_core.convergence import (
    TRAVERSAL_TABLE,
    IllegalEvent,
    Node,
    SwitchTraversal,
    TemplateChange,
    Traversal,
    begins_again,
    may_begin,
    rolls_back,
)
from heat_core.convergence.traversal import (
    CastLeaves,
    CredentialsRemoved,
    Effect,
    EndingOwed,
    Event,
    GraphPrepared,
    LeavesCast,
    NodeFailed,
    OperationRequested,
    PreparationFailed,
    PreparationOwed,
    PrepareGraph,
    Purge,
    Purged,
    RemovalFailed,
    RemoveCredentials,
    RootsArrived,
    State,
    StatusStored,
    StopRequested,
    StopTraversal,
    StopWorkers,
    StoreStatus,
    TraversalLost,
    TraversalStopped,
    TraversalSwitched,
    WorkersStopped,
)
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.records import StackRecord
from heat_core.stack.states import Action, Status

GIVEN = TemplateId(9)
LEAVES = ((Node(1, True), ResourceId(1)),)
IDLE = a_stack(action=Action.CREATE, status=Status.COMPLETE)


class Walk:
    """A traversal driven by hand; `effects` are those of the last event."""

    def __init__(self, stack: StackRecord) -> None:
        self.machine = Traversal(stack)
        self.effects: tuple[Effect, ...] = ()

    def on(self, *events: Event) -> tuple[Effect, ...]:
        for event in events:
            self.effects = self.machine.handle(event)
        return self.effects

    @property
    def state(self) -> State:
        return self.machine.state


def switch(stack: StackRecord, action: Action, template: TemplateChange, **more: Any) -> Effect:
    values: dict[str, Any] = {"template_id": None, "changes": {}}
    return SwitchTraversal(stack, action, template, **values | more)


def moved(action: Action, **fields: Any) -> StackRecord:
    return a_stack(action=action, status=Status.IN_PROGRESS, current_traversal=NEWER, **fields)


# --- beginning ---------------------------------------------------------------------------------


def test_an_operation_switches_prepares_and_casts() -> None:
    walk = Walk(IDLE)
    changes = {"timeout": 3}
    assert walk.on(OperationRequested(Action.UPDATE, GIVEN, changes)) == (
        switch(IDLE, Action.UPDATE, TemplateChange.GIVEN, template_id=GIVEN, changes=changes),
    )
    new = moved(Action.UPDATE)
    assert walk.on(TraversalSwitched(new)) == (PrepareGraph(new),)
    assert walk.on(GraphPrepared(LEAVES)) == (CastLeaves(new, LEAVES),)
    assert walk.on(LeavesCast()) == ()
    assert walk.machine.done
    assert walk.machine.stack == new
    assert not walk.machine.lost


@pytest.mark.parametrize(
    ("action", "template_id", "template"),
    [
        (Action.CREATE, None, TemplateChange.KEEP),
        (Action.UPDATE, GIVEN, TemplateChange.GIVEN),
        (Action.RESTORE, GIVEN, TemplateChange.GIVEN),
        # rules/i-convergence.md#5: these never switch it
        (Action.CHECK, GIVEN, TemplateChange.KEEP),
        (Action.SUSPEND, GIVEN, TemplateChange.KEEP),
        (Action.RESUME, GIVEN, TemplateChange.KEEP),
        (Action.SNAPSHOT, GIVEN, TemplateChange.KEEP),
        (Action.DELETE, None, TemplateChange.WITHOUT_RESOURCES),
        (Action.ROLLBACK, None, TemplateChange.PREVIOUS_OR_EMPTY),
    ],
)
def test_what_an_action_does_to_the_template(
    action: Action, template_id: TemplateId | None, template: TemplateChange
) -> None:
    walk = Walk(IDLE)
    (effect,) = walk.on(OperationRequested(action, template_id))
    assert isinstance(effect, SwitchTraversal)
    assert effect.template is template


@pytest.mark.parametrize("action", [Action.UPDATE, Action.CREATE, Action.ROLLBACK])
def test_an_operation_supersedes_a_running_one_by_starting(action: Action) -> None:
    # rules/h-updates.md#30
    walk = Walk(a_stack())
    walk.on(OperationRequested(action))
    assert walk.state is State.SWITCHING


def test_a_delete_stops_what_runs_first() -> None:
    # rules/i-convergence.md#10
    running, stopped = a_stack(), a_stack(status=Status.FAILED, current_traversal=NEWER)
    walk = Walk(running)
    assert walk.on(OperationRequested(Action.DELETE)) == (StopTraversal(running),)
    assert walk.on(TraversalStopped(stopped)) == (
        switch(stopped, Action.DELETE, TemplateChange.WITHOUT_RESOURCES),
    )


def test_an_operation_may_be_stopped_for_no_other() -> None:
    running, stopped = a_stack(), a_stack(status=Status.FAILED, current_traversal=NEWER)
    walk = Walk(running)
    assert walk.on(StopRequested()) == (StopTraversal(running),)
    assert walk.on(TraversalStopped(stopped)) == ()
    assert walk.machine.done
    assert walk.machine.stack == stopped
    assert not walk.machine.lost


def test_a_delete_of_a_stack_at_rest_has_nothing_to_stop() -> None:
    walk = Walk(IDLE)
    walk.on(OperationRequested(Action.DELETE))
    assert walk.state is State.SWITCHING


def test_a_delete_waits_for_workers_before_it_casts() -> None:
    walk = Walk(IDLE)
    new = moved(Action.DELETE)
    walk.on(OperationRequested(Action.DELETE), TraversalSwitched(new))
    assert walk.on(GraphPrepared(LEAVES)) == (StopWorkers(new),)
    assert walk.on(WorkersStopped()) == (CastLeaves(new, LEAVES),)


@pytest.mark.parametrize("action", [Action.CREATE, Action.UPDATE])
def test_a_graph_without_leaves_is_complete_at_once(action: Action) -> None:
    # rules/i-convergence.md#8
    walk = Walk(IDLE)
    new = moved(action)
    walk.on(OperationRequested(action), TraversalSwitched(new))
    reason = f"Stack {action} completed successfully"
    assert walk.on(GraphPrepared(())) == (StoreStatus(new, Status.COMPLETE, reason),)


def test_a_delete_of_an_empty_stack_ends_without_casting() -> None:
    walk = Walk(IDLE)
    new = moved(Action.DELETE)
    walk.on(OperationRequested(Action.DELETE), TraversalSwitched(new), GraphPrepared(()))
    assert walk.on(WorkersStopped()) == (RemoveCredentials(new),)


def test_a_template_without_a_graph_fails_the_operation() -> None:
    walk = Walk(IDLE)
    new = moved(Action.UPDATE)
    walk.on(OperationRequested(Action.UPDATE, GIVEN), TraversalSwitched(new))
    assert walk.on(PreparationFailed("why")) == (StoreStatus(new, Status.FAILED, "why"),)


def test_a_preparation_that_was_cut_off_is_made_up_for() -> None:
    running = a_stack()
    walk = Walk(running)
    assert walk.on(PreparationOwed()) == (PrepareGraph(running),)
    assert walk.on(GraphPrepared(LEAVES)) == (CastLeaves(running, LEAVES),)


# --- ending ------------------------------------------------------------------------------------


def test_the_last_root_completes_the_stack_and_purges() -> None:
    walk = Walk(a_stack())
    assert walk.on(RootsArrived()) == (
        StoreStatus(a_stack(), Status.COMPLETE, "Stack UPDATE completed successfully"),
    )
    ended = a_stack(status=Status.COMPLETE)
    assert walk.on(StatusStored(ended)) == (Purge(ended),)
    assert walk.on(Purged()) == ()
    assert walk.machine.done


def test_a_failed_node_fails_the_stack() -> None:
    walk = Walk(a_stack())
    assert walk.on(NodeFailed("why")) == (StoreStatus(a_stack(), Status.FAILED, "why"),)
    ended = a_stack(status=Status.FAILED)
    assert walk.on(StatusStored(ended)) == (Purge(ended),)


def test_a_failure_with_rollback_goes_on_as_a_traversal_of_its_own() -> None:
    # rules/i-convergence.md#33-34
    walk = Walk(a_stack(disable_rollback=False))
    failed = a_stack(disable_rollback=False, status=Status.FAILED)
    walk.on(NodeFailed("why"))
    assert walk.on(StatusStored(failed)) == (
        switch(failed, Action.ROLLBACK, TemplateChange.PREVIOUS_OR_EMPTY),
    )
    new = moved(Action.ROLLBACK)
    assert walk.on(TraversalSwitched(new)) == (PrepareGraph(new),)


def test_a_failed_rollback_is_not_rolled_back() -> None:
    walk = Walk(moved(Action.ROLLBACK, disable_rollback=False))
    walk.on(NodeFailed("why"))
    failed = a_stack(action=Action.ROLLBACK, status=Status.FAILED, disable_rollback=False)
    assert walk.on(StatusStored(failed)) == (Purge(failed),)


def test_a_delete_is_complete_only_once_nothing_is_left_in_keystone() -> None:
    # rules/i-convergence.md#35
    running = a_stack(action=Action.DELETE)
    walk = Walk(running)
    assert walk.on(RootsArrived()) == (RemoveCredentials(running),)
    reason = "Stack DELETE completed successfully"
    assert walk.on(CredentialsRemoved()) == (StoreStatus(running, Status.COMPLETE, reason),)
    deleted = a_stack(action=Action.DELETE, status=Status.COMPLETE)
    assert walk.on(StatusStored(deleted)) == (Purge(deleted),)
    assert walk.on(Purged()) == ()
    assert walk.machine.done


def test_a_project_that_cannot_be_removed_fails_the_delete() -> None:
    running = a_stack(action=Action.DELETE)
    walk = Walk(running)
    walk.on(RootsArrived())
    assert walk.on(RemovalFailed("why")) == (StoreStatus(running, Status.FAILED, "why"),)
    failed = a_stack(action=Action.DELETE, status=Status.FAILED)
    assert walk.on(StatusStored(failed)) == (Purge(failed),)


def test_a_failed_delete_keeps_the_stack() -> None:
    walk = Walk(a_stack(action=Action.DELETE))
    failed = a_stack(action=Action.DELETE, status=Status.FAILED)
    walk.on(NodeFailed("why"), StatusStored(failed))
    assert walk.on(Purged()) == ()
    assert walk.machine.done


@pytest.mark.parametrize(
    ("stack", "state"),
    [
        (a_stack(status=Status.FAILED, disable_rollback=False), State.SWITCHING),
        (a_stack(status=Status.FAILED, disable_rollback=True), State.PURGING),
        (a_stack(status=Status.COMPLETE), State.PURGING),
        (a_stack(action=Action.DELETE, status=Status.COMPLETE), State.PURGING),
    ],
)
def test_an_end_that_was_cut_off_is_made_up_for(stack: StackRecord, state: State) -> None:
    walk = Walk(stack)
    walk.on(EndingOwed())
    assert walk.state is state


# --- losing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stack", "events"),
    [
        (a_stack(), [OperationRequested(Action.DELETE)]),
        (IDLE, [OperationRequested(Action.UPDATE)]),
        (IDLE, [OperationRequested(Action.UPDATE), TraversalSwitched(a_stack())]),
        (a_stack(), [StopRequested()]),
        (a_stack(), [RootsArrived()]),
        (a_stack(), [NodeFailed("why")]),
        (a_stack(status=Status.COMPLETE), [EndingOwed()]),
    ],
)
def test_a_traversal_that_was_superseded_stops_silently(
    stack: StackRecord, events: list[Event]
) -> None:
    walk = Walk(stack)
    walk.on(*events)
    assert walk.on(TraversalLost()) == ()
    assert walk.machine.done
    assert walk.machine.lost


# --- illegal events ----------------------------------------------------------------------------

EVENTS: tuple[Event, ...] = (
    OperationRequested(Action.UPDATE),
    StopRequested(),
    PreparationOwed(),
    RootsArrived(),
    NodeFailed("why"),
    EndingOwed(),
    TraversalStopped(IDLE),
    TraversalSwitched(IDLE),
    TraversalLost(),
    GraphPrepared(LEAVES),
    PreparationFailed("why"),
    WorkersStopped(),
    LeavesCast(),
    StatusStored(IDLE),
    Purged(),
    CredentialsRemoved(),
    RemovalFailed("why"),
)


@pytest.mark.parametrize("state", State)
def test_an_event_that_the_table_lacks_changes_nothing(state: State) -> None:
    for event in EVENTS:
        if type(event) in TRAVERSAL_TABLE[state]:
            continue
        machine = Traversal(a_stack())
        machine.state = state
        before = repr(vars(machine))
        with pytest.raises(IllegalEvent, match=f"{type(event).__name__} in state {state}"):
            machine.handle(event)
        assert repr(vars(machine)) == before


@pytest.mark.parametrize(
    ("action", "status", "disabled", "expected"),
    [
        (Action.CREATE, Status.FAILED, False, True),
        (Action.ADOPT, Status.FAILED, False, True),
        (Action.UPDATE, Status.FAILED, False, True),
        (Action.RESTORE, Status.FAILED, False, True),
        (Action.UPDATE, Status.FAILED, True, False),
        (Action.UPDATE, Status.COMPLETE, False, False),
        (Action.DELETE, Status.FAILED, False, False),
        (Action.ROLLBACK, Status.FAILED, False, False),
        (Action.CHECK, Status.FAILED, False, False),
    ],
)
def test_what_rolls_back(action: Action, status: Status, disabled: bool, expected: bool) -> None:
    stack = a_stack(action=action, status=status, disable_rollback=disabled)
    assert rolls_back(stack) is expected


def test_a_given_template_is_the_one_that_is_switched_to() -> None:
    walk = Walk(IDLE)
    (effect,) = walk.on(OperationRequested(Action.UPDATE, TEMPLATE))
    assert isinstance(effect, SwitchTraversal)
    assert effect.template_id == TEMPLATE


STOPPED = a_stack(status=Status.FAILED, current_traversal=NEWER)
PURGED = a_stack(status=Status.FAILED, current_traversal="")


@pytest.mark.parametrize("now", [STOPPED, PURGED], ids=["stopped", "purged"])
@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (Action.UPDATE, True),
        (Action.CHECK, True),
        (Action.DELETE, True),
        (Action.CREATE, False),
        (Action.ADOPT, False),
        (Action.ROLLBACK, False),
    ],
)
def test_what_lost_to_the_end_of_what_ran_before_begins_again(
    action: Action, now: StackRecord, expected: bool
) -> None:
    assert begins_again(action, a_stack(), now) is expected


@pytest.mark.parametrize(
    "now",
    [
        moved(Action.ROLLBACK),
        moved(Action.UPDATE, raw_template_id=TemplateId(9), prev_raw_template_id=TEMPLATE),
        moved(Action.UPDATE, updated_at=NOW),
        a_stack(),
    ],
    ids=["rolled back", "to another template", "once more", "not moved"],
)
def test_what_lost_to_another_operation_gives_way_unless_it_deletes(now: StackRecord) -> None:
    assert not begins_again(Action.UPDATE, a_stack(), now)
    assert not begins_again(Action.CHECK, a_stack(), now)
    assert begins_again(Action.DELETE, a_stack(), now)


DELETING = a_stack(action=Action.DELETE)
NOT_DELETED = a_stack(action=Action.DELETE, status=Status.FAILED)


@pytest.mark.parametrize(
    ("action", "stack", "expected"),
    [
        (Action.UPDATE, a_stack(), True),
        (Action.DELETE, DELETING, True),
        (Action.UPDATE, DELETING, False),
        (Action.ROLLBACK, DELETING, False),
        (Action.CHECK, DELETING, False),
        (Action.DELETE, NOT_DELETED, True),
        (Action.UPDATE, NOT_DELETED, False),
        (Action.CHECK, NOT_DELETED, True),
    ],
)
def test_a_stack_that_is_being_deleted_begins_nothing_else(
    action: Action, stack: StackRecord, expected: bool
) -> None:
    # rules/h-updates.md#26
    assert may_begin(action, stack) is expected
