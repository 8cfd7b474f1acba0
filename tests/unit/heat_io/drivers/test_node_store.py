"""The writes of a visit: what each stores, when it is lost, and how it is told after a lost commit.

Source: rules/i-convergence.md#21, rules/h-updates.md#12-18.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from site_of_tests import MINE, NOW, OTHER, TEST, TRAVERSAL, Site
from sqlalchemy import Connection, text

from heat_core.convergence.evaluation import Plan
from heat_core.convergence.node_events import (
    ClaimNode,
    MakeReplacement,
    StoreOutcome,
    StoreRefused,
)
from heat_core.convergence.node_step import DONE_IN
from heat_core.procedure import Datum, StoreCreated, StoreData
from heat_core.resources import registry
from heat_core.stack.ids import EngineId, ResourceId, TemplateId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Applied,
    Lost,
    Write,
    properties_data,
    resource_data,
    resources,
    stacks,
)
from heat_io.database.schema import metadata
from heat_io.drivers.node_store import NodeWrites

NEWER = TraversalId("traversal-2")


@pytest.fixture
def writes(site: Site) -> NodeWrites:
    return NodeWrites(MINE, lambda: NOW, site.uuid, lambda connection, engine_id: True)


@pytest.fixture
def stack(site: Site) -> StackRecord:
    return site.stack()


def a_plan(stack: StackRecord, **fields: Any) -> Plan:
    values: dict[str, Any] = {
        "type_name": TEST,
        "resource_class": registry.find(TEST),
        "template_id": stack.raw_template_id,
        "stored_properties": {"value": "v"},
        "metadata": {"k": 1},
    }
    return Plan(**values | fields)


def applied[T](site: Site, write: Write[T]) -> T:
    """The value of a write that must succeed, and that a re-read must find applied."""
    verdict = site.write(write.apply)
    assert isinstance(verdict, Applied), write.label
    found = site.read(write.confirm)
    assert isinstance(found, Applied), f"{write.label} does not find itself"
    # Whoever learns of the write from a re-read goes on with the same row.
    assert _comparable(found.value) == _comparable(verdict.value)
    return verdict.value


def _comparable(value: Any) -> Any:
    """No properties are none or empty ones, as it came."""
    if isinstance(value, ResourceRecord):
        return replace(value, properties=value.properties or {})
    return value


def replaced_by(site: Site, row: ResourceRecord, other: ResourceId) -> ResourceRecord:
    site.write(lambda c: resources.update(c, row.id, {"replaced_by": other}))
    return replace(row, replaced_by=other)


def lost(site: Site, write: Write[Any]) -> None:
    """The write is lost, changes nothing, and a re-read says so."""
    before = _everything(site)
    assert site.write(write.apply) == Lost()
    assert _everything(site) == before
    assert site.read(write.confirm) == Lost()


def _everything(site: Site) -> Any:
    return site.read(
        lambda c: {name: c.execute(t.select()).all() for name, t in metadata.tables.items()}
    )


def held(site: Site, stack: StackRecord, **fields: Any) -> ResourceRecord:
    """A row whose lock is ours."""
    values: dict[str, Any] = {
        "engine_id": MINE,
        "action": Action.CREATE,
        "status": Status.IN_PROGRESS,
        "atomic_key": 3,
    }
    return site.row(stack, **values | fields)


# --- claim -------------------------------------------------------------------------------------


def claim(
    writes: NodeWrites, stack: StackRecord, row: ResourceRecord, action: Action, plan: Any
) -> Write[ResourceRecord]:
    return writes.claim(ClaimNode(row, action, plan), stack, TRAVERSAL, TEST)


def test_a_create_is_claimed_with_all_that_it_begins_with(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, action=Action.INIT, atomic_key=None, physical_id=None, metadata=None)
    plan = a_plan(stack, requires_while_running=(ResourceId(9), ResourceId(8)))
    row_after = applied(site, claim(writes, stack, row, Action.CREATE, plan))
    stored = site.stored(row)
    assert stored == replace(row_after, updated_at=stored.updated_at if stored else None)
    assert stored is not None
    assert (stored.engine_id, stored.atomic_key) == (MINE, 1)
    assert (stored.action, stored.status) == (Action.CREATE, Status.IN_PROGRESS)
    assert stored.status_reason == "state changed"
    assert stored.requires == (9, 8)
    assert stored.metadata == {"k": 1}
    assert stored.properties == {"value": "v"}
    assert stored.current_template_id == stack.raw_template_id
    (event,) = site.events(stack)
    assert (event.resource_action, event.resource_status) == ("CREATE", "IN_PROGRESS")
    assert event.resource_type == TEST
    assert event.properties_data_id == stored.properties_data_id


def test_a_create_that_is_tried_again_forgets_the_object_that_was_removed(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    # Else, after a crash, the old id would pass for that of the new object.
    row = site.row(stack, action=Action.DELETE, physical_id="removed")
    claimed = applied(site, claim(writes, stack, row, Action.CREATE, a_plan(stack)))
    assert claimed.physical_id is None
    stored = site.stored(row)
    assert stored is not None
    assert stored.physical_id is None


def test_an_update_is_claimed_on_the_old_template(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    old = site.template()
    row = site.row(stack, current_template_id=old, properties={"value": "u"})
    applied(site, claim(writes, stack, row, Action.UPDATE, a_plan(stack)))
    stored = site.stored(row)
    assert stored is not None
    assert stored.updated_at == NOW
    assert stored.current_template_id == old
    assert stored.properties == {"value": "u"}
    assert stored.metadata == {}
    assert stored.physical_id == row.physical_id


@pytest.mark.parametrize("clears", [True, False])
def test_a_rollback_takes_the_old_row_from_its_replacement(
    site: Site, stack: StackRecord, writes: NodeWrites, clears: bool
) -> None:
    row = site.row(stack, replaced_by=ResourceId(7))
    plan = a_plan(stack, clear_replaced_by=clears)
    claimed = applied(site, claim(writes, stack, row, Action.UPDATE, plan))
    assert claimed.replaced_by == (None if clears else 7)


def test_a_check_is_claimed_without_touching_what_the_row_requires(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, requires=(ResourceId(4),))
    plan = a_plan(stack, requires_while_running=(ResourceId(9),))
    claimed = applied(site, claim(writes, stack, row, Action.CHECK, plan))
    assert claimed.requires == (4,)
    assert claimed.updated_at is None


def test_a_delete_is_claimed_on_the_template_that_the_row_is_of(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, current_template_id=site.template())
    plan = a_plan(stack, requires_while_running=(ResourceId(9),))
    claimed = applied(site, claim(writes, stack, row, Action.DELETE, plan))
    assert claimed.current_template_id == row.current_template_id
    assert claimed.physical_id == row.physical_id
    assert (claimed.requires, claimed.updated_at) == ((9,), None)


def with_cached_attributes(site: Site, row: ResourceRecord) -> ResourceRecord:
    """The row as one of Heat's engines leaves it when others read its attributes."""
    data_id = site.write(lambda c: properties_data.insert(c, {"output": "old"}))
    site.write(lambda c: resources.update(c, row.id, {"attributes_data_id": data_id}))
    return replace(row, attributes_data_id=data_id)


def attribute_rows(site: Site, row: ResourceRecord) -> tuple[Any, Any]:
    """The id in the row, and what it refers to."""
    stored = site.stored(row)
    assert stored is not None
    wanted = row.attributes_data_id
    assert wanted is not None
    return stored.attributes_data_id, site.read(lambda c: properties_data.fetch(c, wanted))


@pytest.mark.parametrize("action", [Action.UPDATE, Action.CHECK, Action.DELETE])
def test_attributes_that_heat_has_cached_go_when_something_is_done(
    site: Site, stack: StackRecord, writes: NodeWrites, action: Action
) -> None:
    row = with_cached_attributes(site, site.row(stack))
    claimed = applied(site, claim(writes, stack, row, action, a_plan(stack)))
    assert claimed.attributes_data_id is None
    assert attribute_rows(site, row) == (None, None)


def test_attributes_that_heat_has_cached_stay_with_a_claim_that_is_lost(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = with_cached_attributes(site, site.row(stack, engine_id=OTHER))
    lost(site, claim(writes, stack, row, Action.UPDATE, a_plan(stack)))
    assert attribute_rows(site, row) == (row.attributes_data_id, {"output": "old"})


def test_attributes_of_a_row_whose_engine_died_go(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = with_cached_attributes(site, held(site, stack, engine_id=OTHER))
    applied(site, writes.went_down(row, Action.UPDATE, stack, TEST))
    assert attribute_rows(site, row) == (None, None)


def test_a_claim_without_a_plan_only_takes_the_lock(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack)
    claimed = applied(site, claim(writes, stack, row, Action.UPDATE, None))
    assert (claimed.engine_id, claimed.requires) == (MINE, row.requires)


@pytest.mark.parametrize("change", [{"engine_id": OTHER}, {"atomic_key": 9}, {"atomic_key": None}])
def test_a_claim_of_a_row_that_changed_is_lost(
    site: Site, stack: StackRecord, writes: NodeWrites, change: dict[str, Any]
) -> None:
    row = site.row(stack)
    site.write(lambda c: resources.update(c, row.id, change))
    lost(site, claim(writes, stack, row, Action.UPDATE, a_plan(stack)))


def test_a_claim_for_a_superseded_traversal_is_lost(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack)
    site.write(lambda c: stacks.update(c, stack.id, {"current_traversal": NEWER}))
    lost(site, claim(writes, stack, row, Action.UPDATE, a_plan(stack)))
    site.write(lambda c: stacks.soft_delete(c, stack.id))
    lost(site, claim(writes, stack, row, Action.UPDATE, a_plan(stack)))


# --- take over ---------------------------------------------------------------------------------


def test_a_dead_engines_lock_is_taken_and_nothing_else_changes(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = held(site, stack, engine_id=OTHER)
    taken = applied(site, writes.take_over(row))
    assert taken == replace(row, engine_id=MINE, atomic_key=4)
    assert site.stored(row) == taken
    assert site.events(stack) == []


@pytest.mark.parametrize("change", [{"engine_id": None}, {"atomic_key": 4}])
def test_a_lock_that_moved_is_not_taken(
    site: Site, stack: StackRecord, writes: NodeWrites, change: dict[str, Any]
) -> None:
    row = held(site, stack, engine_id=OTHER)
    site.write(lambda c: resources.update(c, row.id, change))
    lost(site, writes.take_over(row))


def test_nothing_is_taken_from_an_engine_that_has_come_back(site: Site, stack: StackRecord) -> None:
    asked = []

    def has_come_back(connection: Connection, engine_id: EngineId) -> bool:
        asked.append(engine_id)
        return False

    writes = NodeWrites(MINE, lambda: NOW, site.uuid, has_come_back)
    row = held(site, stack, engine_id=OTHER)
    lost(site, writes.take_over(row))
    lost(site, writes.went_down(row, Action.UPDATE, stack, TEST))
    lost(site, writes.went_down(row, None, stack, TEST))
    assert asked == [OTHER] * 3


def test_there_must_be_a_lock_to_take(site: Site, stack: StackRecord, writes: NodeWrites) -> None:
    with pytest.raises(AssertionError, match="no lock"):
        writes.take_over(site.row(stack))
    with pytest.raises(AssertionError, match="no lock"):
        writes.went_down(site.row(stack), Action.UPDATE, stack, TEST)


def test_a_lock_alone_changes_nothing_else(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, status=Status.FAILED, status_reason="broken")
    locked = applied(site, writes.lock(row, stack, TRAVERSAL))
    assert locked == replace(row, engine_id=MINE, atomic_key=3)
    released = applied(
        site,
        writes.outcome(
            StoreOutcome(locked, row.action, row.status, "broken", a_plan(stack), False),
            stack,
            TEST,
        ),
    )
    assert released == replace(row, atomic_key=4)
    assert site.events(stack) == []


def test_a_lock_for_a_superseded_traversal_or_on_a_locked_row_is_lost(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack)
    lost(site, writes.lock(row, stack, NEWER))
    site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
    lost(site, writes.lock(row, stack, TRAVERSAL))


def test_a_dead_engines_lock_goes_with_a_failure_and_without_a_bump(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    # convergence-state.json, "update with a stale lock of a dead engine on a"
    row = site.row(stack, engine_id=OTHER)
    stored = applied(site, writes.went_down(row, Action.UPDATE, stack, TEST))
    text = "Worker went down during resource UPDATE"
    assert stored == replace(
        row, engine_id=None, action=Action.UPDATE, status=Status.FAILED, status_reason=text
    )
    assert site.stored(row) == stored
    (event,) = site.events(stack)
    assert (event.resource_action, event.resource_status) == ("UPDATE", "FAILED")
    assert event.resource_status_reason == text
    lost(site, writes.went_down(row, Action.UPDATE, stack, TEST))


def test_where_nothing_has_failed_only_a_dead_engines_lock_goes(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, engine_id=OTHER, action=Action.DELETE)
    stored = applied(site, writes.went_down(row, None, stack, TEST))
    assert stored == site.stored(row) == replace(row, engine_id=None)
    assert site.events(stack) == []
    applied(site, writes.went_down(row, None, stack, TEST))
    site.write(lambda c: resources.update(c, row.id, {"engine_id": MINE}))
    lost(site, writes.went_down(row, None, stack, TEST))


# --- outcome -----------------------------------------------------------------------------------


def outcome(
    writes: NodeWrites,
    stack: StackRecord,
    row: ResourceRecord,
    plan: Any,
    *,
    action: Action = Action.CREATE,
    status: Status = Status.COMPLETE,
    completed: bool = True,
) -> Write[ResourceRecord]:
    effect = StoreOutcome(row, action, status, "reason", plan, completed)
    return writes.outcome(effect, stack, TEST)


def test_a_completed_action_releases_the_lock_and_moves_to_the_template(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = held(site, stack, current_template_id=site.template(), requires=(ResourceId(3),))
    plan = a_plan(stack, requires=(ResourceId(9),))
    stored = applied(site, outcome(writes, stack, row, plan))
    assert (stored.engine_id, stored.atomic_key) == (None, 4)
    assert (stored.status, stored.status_reason) == (Status.COMPLETE, "reason")
    assert stored.current_template_id == stack.raw_template_id
    assert stored.requires == (9,)
    (event,) = site.events(stack)
    assert (event.resource_status, event.resource_status_reason) == ("COMPLETE", "reason")


def test_a_failed_action_is_of_the_new_template_and_still_requires_what_it_did(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    # convergence-state.json, "update failure with rollback": the clean-up keeps its order
    row = held(site, stack, current_template_id=site.template(), requires=(ResourceId(3),))
    plan = a_plan(stack, requires=())
    stored = applied(site, outcome(writes, stack, row, plan, status=Status.FAILED))
    assert stored.current_template_id == stack.raw_template_id
    assert stored.requires == (3,)


def test_an_aborted_action_stays_on_its_template(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    old = site.template()
    row = held(site, stack, current_template_id=old, requires=(ResourceId(3),))
    plan = a_plan(stack, requires=(ResourceId(9),))
    write = outcome(writes, stack, row, plan, status=Status.FAILED, completed=False)
    stored = applied(site, write)
    assert stored.current_template_id == old
    assert stored.requires == (3,)


def test_an_update_stores_its_properties_only_when_it_succeeds(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = held(site, stack, action=Action.UPDATE, properties={"value": "u"})
    plan = a_plan(stack)
    failed = outcome(writes, stack, row, plan, action=Action.UPDATE, status=Status.FAILED)
    assert applied(site, failed).properties == {"value": "u"}
    again = held(site, stack, name="b", action=Action.UPDATE, properties={"value": "u"})
    done = applied(site, outcome(writes, stack, again, plan, action=Action.UPDATE))
    stored = site.stored(again)
    assert stored is not None
    assert (stored.properties, stored.metadata) == ({"value": "v"}, {"k": 1})
    assert (done.properties, done.metadata) == ({"value": "v"}, {"k": 1})
    # A row of its own: events keep showing the old ones.
    assert stored.properties_data_id != again.properties_data_id


def test_properties_that_did_not_change_keep_their_row(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = held(site, stack, action=Action.UPDATE, properties={"value": "v"}, metadata={"k": 1})
    stored = applied(site, outcome(writes, stack, row, a_plan(stack), action=Action.UPDATE))
    assert stored.properties_data_id == row.properties_data_id


@pytest.mark.parametrize("before", [{"value": "u"}, None])
def test_no_properties_are_no_row(
    site: Site, stack: StackRecord, writes: NodeWrites, before: dict[str, str] | None
) -> None:
    row = held(site, stack, action=Action.UPDATE, properties=before)
    plan = a_plan(stack, stored_properties={}, metadata={})
    stored = applied(site, outcome(writes, stack, row, plan, action=Action.UPDATE))
    assert stored.properties_data_id is None


def test_a_deleted_row_keeps_its_template_and_frees_its_replacement(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    # rules/h-updates.md#22
    old = site.template()
    row = held(site, stack, action=Action.DELETE, current_template_id=old)
    replacement = site.row(stack, replaces=row.id)
    row = replaced_by(site, row, replacement.id)
    stored = applied(site, outcome(writes, stack, row, a_plan(stack), action=Action.DELETE))
    assert stored.current_template_id == old
    freed = site.stored(replacement)
    assert freed is not None
    assert (freed.replaces, freed.atomic_key) == (None, 3)


@pytest.mark.parametrize("status", [Status.FAILED, Status.COMPLETE])
def test_a_replacement_that_is_not_its_own_or_not_deleted_stays(
    site: Site, stack: StackRecord, writes: NodeWrites, status: Status
) -> None:
    row = held(site, stack, action=Action.DELETE)
    replacement = site.row(stack, replaces=row.id if status is Status.FAILED else ResourceId(99))
    row = replaced_by(site, row, replacement.id)
    applied(site, outcome(writes, stack, row, None, action=Action.DELETE, status=status))
    assert site.stored(replacement) == replacement


def test_a_replacement_at_work_is_freed_without_a_bump(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = held(site, stack, action=Action.DELETE)
    replacement = held(site, stack, engine_id=OTHER, replaces=row.id)
    row = replaced_by(site, row, replacement.id)
    applied(site, outcome(writes, stack, row, None, action=Action.DELETE))
    assert site.stored(replacement) == replace(replacement, replaces=None)


def test_a_replacement_whose_outcome_shares_the_transaction_keeps_its_new_properties(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    old = held(site, stack, action=Action.DELETE)
    new = held(site, stack, action=Action.UPDATE, replaces=old.id, properties={"value": "before"})
    old = replaced_by(site, old, new.id)
    plan = a_plan(stack, stored_properties={"value": "after"})
    both = [
        outcome(writes, stack, old, None, action=Action.DELETE),
        outcome(writes, stack, new, plan, action=Action.UPDATE),
    ]
    shares = [write.share for write in both if write.share is not None]

    def together(connection: Connection) -> None:
        assert shares[0].run(connection, [share.part for share in shares])
        for share in shares:
            share.then(connection)

    site.write(together)
    stored = site.stored(new)
    assert stored is not None
    assert (stored.replaces, stored.properties) == (None, {"value": "after"})


def test_a_replacement_that_is_gone_does_no_harm(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = replaced_by(site, held(site, stack, action=Action.DELETE), ResourceId(99))
    applied(site, outcome(writes, stack, row, None, action=Action.DELETE))


def test_settling_what_had_ended_writes_no_event(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    # rules/g-events-status.md#9: only real changes are events
    row = held(site, stack, status=Status.COMPLETE)
    applied(site, outcome(writes, stack, row, None, completed=False))
    assert site.events(stack) == []


@pytest.mark.parametrize(
    ("action", "status", "completed", "is_noted"),
    [
        (Action.UPDATE, Status.COMPLETE, True, True),
        (Action.CREATE, Status.COMPLETE, True, True),
        (Action.UPDATE, Status.COMPLETE, False, False),
        (Action.UPDATE, Status.FAILED, True, False),
        (Action.DELETE, Status.COMPLETE, True, False),
    ],
)
def test_a_nested_stack_that_a_rollback_brought_remembers_it(
    site: Site,
    writes: NodeWrites,
    action: Action,
    status: Status,
    completed: bool,
    is_noted: bool,
) -> None:
    stack = site.stack(action=Action.ROLLBACK)
    row = held(site, stack, action=action, data={DONE_IN: "an earlier one", "kept": "1"})
    plan = a_plan(stack, resource_class=registry.find("OS::Heat::ResourceGroup"))
    write = outcome(writes, stack, row, plan, action=action, status=status, completed=completed)
    stored = applied(site, write)
    assert stored.data == {DONE_IN: TRAVERSAL if is_noted else "an earlier one", "kept": "1"}


@pytest.mark.parametrize("change", [{"engine_id": OTHER}, {"engine_id": None}, {"atomic_key": 4}])
def test_an_outcome_without_the_lock_is_lost(
    site: Site, stack: StackRecord, writes: NodeWrites, change: dict[str, Any]
) -> None:
    row = held(site, stack)
    site.write(lambda c: resources.update(c, row.id, change))
    lost(site, outcome(writes, stack, row, a_plan(stack)))


# --- without the lock --------------------------------------------------------------------------


def test_an_unchanged_row_moves_to_the_new_template(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, current_template_id=site.template(), requires=(ResourceId(3),))
    moved = applied(site, writes.unchanged(row, a_plan(stack), stack))
    assert moved == replace(row, current_template_id=stack.raw_template_id, atomic_key=3)
    assert site.stored(row) == moved
    assert site.events(stack) == []


def test_a_failed_row_that_nothing_is_wrong_with_becomes_complete(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, status=Status.FAILED)
    moved = applied(site, writes.unchanged(row, a_plan(stack), stack))
    assert (moved.action, moved.status) == (Action.CREATE, Status.COMPLETE)
    assert moved.status_reason == (
        "Update status to COMPLETE for FAILED resource neither update nor replace."
    )
    (event,) = site.events(stack)
    assert event.resource_status == "COMPLETE"


def test_an_unchanged_row_of_a_rollback_is_not_replaced_any_more(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, replaced_by=ResourceId(7))
    plan = a_plan(stack, clear_replaced_by=True)
    assert applied(site, writes.unchanged(row, plan, stack)).replaced_by is None
    other = site.row(stack)
    assert applied(site, writes.unchanged(other, plan, stack)).replaced_by is None


def test_what_cannot_be_checked_says_so(site: Site, stack: StackRecord, writes: NodeWrites) -> None:
    # rules/g-events-status.md#7
    row = site.row(stack)
    told = applied(site, writes.unchecked(row, a_plan(stack), stack))
    assert (told.action, told.status) == (Action.CHECK, Status.COMPLETE)
    assert told.status_reason == f"CHECK not supported for {TEST}"
    assert len(site.events(stack)) == 1
    applied(site, writes.unchecked(told, a_plan(stack), stack))
    assert len(site.events(stack)) == 1  # the state had not changed


def test_an_update_that_does_not_begin_leaves_the_row_as_it_was(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack)
    effect = StoreRefused(row, a_plan(stack), "update is restricted for resource.")
    assert applied(site, writes.refused(effect, stack, TRAVERSAL, TEST)) == row
    assert site.stored(row) == row
    (event,) = site.events(stack)
    assert (event.resource_action, event.resource_status) == ("UPDATE", "FAILED")
    assert event.resource_status_reason == "update is restricted for resource."


def test_an_update_that_does_not_begin_may_have_nothing_to_say(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack)
    write = writes.refused(StoreRefused(row, a_plan(stack), ""), stack, TRAVERSAL, TEST)
    assert applied(site, write) == row
    assert site.events(stack) == []


@pytest.mark.parametrize("kind", ["unchanged", "unchecked", "refused"])
def test_writes_without_the_lock_are_lost_on_a_locked_row(
    site: Site, stack: StackRecord, writes: NodeWrites, kind: str
) -> None:
    row = site.row(stack)
    made: dict[str, Callable[[], Write[Any]]] = {
        "unchanged": lambda: writes.unchanged(row, a_plan(stack), stack),
        "unchecked": lambda: writes.unchecked(row, a_plan(stack), stack),
        "refused": lambda: writes.refused(
            StoreRefused(row, a_plan(stack), "no"), stack, TRAVERSAL, TEST
        ),
    }
    site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
    lost(site, made[kind]())


def test_a_refusal_is_lost_with_its_traversal_and_with_its_row(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack)
    effect = StoreRefused(row, a_plan(stack), "no")
    lost(site, writes.refused(effect, stack, NEWER, TEST))
    gone = replace(effect, row=replace(row, id=ResourceId(99)))
    lost(site, writes.refused(gone, stack, TRAVERSAL, TEST))


# --- removing ----------------------------------------------------------------------------------


def test_a_row_with_nothing_behind_it_goes_with_its_data(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, action=Action.INIT, data={"k": "v"})
    assert applied(site, writes.remove(row, stack, TRAVERSAL)) == row
    assert site.stored(row) is None
    assert site.read(lambda c: resource_data.fetch(c, row.id)) == {}


def test_removing_frees_both_ends_of_a_replacement(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    # SQLite gives the removed id to the next row: nobody may still name it.
    old = site.row(stack)
    row = site.row(stack, action=Action.INIT, replaces=old.id)
    newer = site.row(stack, replaces=row.id)
    site.write(lambda c: resources.update(c, old.id, {"replaced_by": row.id}))
    site.write(lambda c: resources.update(c, row.id, {"replaced_by": newer.id}))
    applied(site, writes.remove(replace(row, replaced_by=newer.id), stack, TRAVERSAL))
    left = [site.stored(old), site.stored(newer)]
    assert [one and (one.replaces, one.replaced_by) for one in left] == [(None, None)] * 2


def test_a_removed_row_may_have_replaced_one_that_is_gone(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, action=Action.INIT, replaces=ResourceId(99))
    applied(site, writes.remove(row, stack, TRAVERSAL))


def test_a_row_that_somebody_took_up_is_not_removed(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, action=Action.INIT)
    lost(site, writes.remove(row, stack, NEWER))
    site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
    lost(site, writes.remove(row, stack, TRAVERSAL))


# --- replacement -------------------------------------------------------------------------------


def test_a_replacement_is_a_new_row_and_both_know_each_other(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    # rules/h-updates.md#18
    row = site.row(stack, current_template_id=site.template())
    plan = a_plan(stack, requires=(ResourceId(9), ResourceId(4)))
    new_id = applied(site, writes.replacement(MakeReplacement(row, stack, plan), TRAVERSAL))
    new = site.stored(new_id)
    assert new is not None
    assert (new.name, new.stack_id, new.root_stack_id) == (row.name, stack.id, stack.id)
    assert (new.action, new.status, new.status_reason) == (Action.INIT, Status.COMPLETE, None)
    assert (new.replaces, new.requires) == (row.id, (9, 4))
    assert (new.atomic_key, new.engine_id, new.physical_id) == (None, None, None)
    assert new.current_template_id == stack.raw_template_id
    assert new.uuid != row.uuid
    old = site.stored(row)
    assert old is not None
    assert (old.replaced_by, old.atomic_key) == (new_id, 3)


def test_a_replacement_is_lost_when_row_or_traversal_changed(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack)
    effect = MakeReplacement(row, stack, a_plan(stack))
    lost(site, writes.replacement(effect, NEWER))
    site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
    lost(site, writes.replacement(effect, TRAVERSAL))


def test_somebody_elses_replacement_is_not_ours(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack)
    first = writes.replacement(MakeReplacement(row, stack, a_plan(stack)), TRAVERSAL)
    second = writes.replacement(MakeReplacement(row, stack, a_plan(stack)), TRAVERSAL)
    applied(site, first)
    lost(site, second)


def test_a_replacement_of_a_row_that_is_gone_is_lost(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    gone = replace(site.row(stack), id=ResourceId(99))
    lost(site, writes.replacement(MakeReplacement(gone, stack, a_plan(stack)), TRAVERSAL))


def test_a_replacement_needs_its_plan(site: Site, stack: StackRecord, writes: NodeWrites) -> None:
    with pytest.raises(AssertionError, match="needs the plan"):
        writes.replacement(MakeReplacement(site.row(stack), stack, None), TRAVERSAL)


# --- while a procedure runs --------------------------------------------------------------------


def test_the_physical_id_is_stored_with_its_data_and_without_a_bump(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = held(site, stack, physical_id=None, data={"old": "o", "kept": "k"})
    request = StoreCreated("id-1", (Datum("new", "n", redact=True), Datum("old", None)))
    stored = applied(site, writes.created(row, request))
    assert stored.physical_id == "id-1"
    assert stored.data == {"kept": "k", "new": "n"}
    assert stored.atomic_key == row.atomic_key
    assert site.stored(row) == stored


def test_the_physical_id_needs_the_engine_and_not_the_key(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    # DESIGN: invariant 4
    row = held(site, stack, physical_id=None)
    site.write(lambda c: resources.update(c, row.id, {"atomic_key": 9}))
    applied(site, writes.created(row, StoreCreated("id-1")))
    site.write(lambda c: resources.update(c, row.id, {"engine_id": OTHER}))
    lost(site, writes.created(row, StoreCreated("id-2")))


def test_another_id_is_not_ours(site: Site, stack: StackRecord, writes: NodeWrites) -> None:
    row = held(site, stack, physical_id="id-9")
    assert site.read(writes.created(row, StoreCreated("id-1")).confirm) == Lost()
    gone = replace(row, id=ResourceId(99))
    lost(site, writes.created(gone, StoreCreated("id-1")))


def test_data_needs_the_lock_and_does_not_bump(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    # rules/i-convergence.md#23
    row = held(site, stack, data={"old": "o", "changed": "1"})
    request = StoreData((Datum("changed", "2"), Datum("old", None), Datum("new", "n")))
    stored = applied(site, writes.data(row, request))
    assert stored.data == {"changed": "2", "new": "n"}
    assert site.stored(row) == stored
    for change in ({"atomic_key": 9}, {"engine_id": OTHER}):
        site.write(lambda c, change=change: resources.update(c, row.id, change))
        lost(site, writes.data(row, request))


def test_data_that_is_not_all_there_was_not_stored(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = held(site, stack, data={"a": "1"})
    write = writes.data(row, StoreData((Datum("a", "1"), Datum("b", "2"))))
    assert site.read(write.confirm) == Lost()


# --- all of them -------------------------------------------------------------------------------


def test_rows_go_before_sync_points_and_in_the_order_of_their_ids(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    first, second = site.row(stack), site.row(stack)
    orders = [writes.unchanged(row, a_plan(stack), stack).order for row in (second, first)]
    assert sorted(orders) == [(1, first.id), (1, second.id)]


def test_a_write_of_a_row_that_is_gone_is_lost(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    gone = replace(site.row(stack), id=ResourceId(99), current_template_id=TemplateId(1))
    lost(site, claim(writes, stack, gone, Action.UPDATE, a_plan(stack)))
    lost(site, writes.unchanged(gone, a_plan(stack), stack))
    lost(site, writes.data(replace(gone, engine_id=MINE), StoreData(())))


def test_an_id_that_is_stored_once_more_leaves_its_data_once(
    site: Site, stack: StackRecord, writes: NodeWrites
) -> None:
    row = site.row(stack, physical_id=None, engine_id=MINE)
    write = writes.created(row, StoreCreated("id-1", (Datum("key", "value"),)))
    for _ in range(2):
        assert applied(site, write).data == {"key": "value"}
    query = text("SELECT COUNT(*) FROM resource_data")
    assert site.read(lambda connection: connection.scalar(query)) == 1
