"""The transactions of a traversal's beginning and end (rules/i-convergence.md#5-10, #32-35)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from site_of_tests import NOW, TRAVERSAL, Site, a_test_resource
from sqlalchemy import func, select

from heat_core.convergence import (
    PREPARED,
    Node,
    SwitchTraversal,
    TemplateChange,
    decode_deps,
    read_mark,
)
from heat_core.convergence.node import SNAPSHOT
from heat_core.environment import Environment
from heat_core.graph import CycleError, Graph
from heat_core.stack import StackDefinition
from heat_core.stack.ids import ResourceId, StackId, TemplateId, TraversalId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import stacks, templates
from heat_io.database.schema import raw_template, sync_point
from heat_io.drivers import traversal_store
from heat_io.drivers.definitions import build_definition
from heat_io.drivers.traversal_store import Prepared, Stamp

NEWER = TraversalId("traversal-2")
STAMP = Stamp(NOW, "00000000-0000-4000-8000-0000000000e1", NEWER)


def moved_on(site: Site, stack: StackRecord) -> None:
    """Somebody else starts a traversal."""
    site.write(lambda c: stacks.update(c, stack.id, {"current_traversal": TraversalId("other")}))


def all_points(site: Site) -> int:
    return site.read(lambda c: c.execute(select(func.count()).select_from(sync_point)).scalar_one())


# --- stop --------------------------------------------------------------------------------------


def test_a_stopped_traversal_has_failed_and_lost_its_sync_points(site: Site) -> None:
    stack = site.stack(action=Action.CREATE)
    site.graph(stack, [(Node(1, True), None)])
    moved = site.write(lambda c: traversal_store.stop(c, stack, STAMP))
    stored = site.stored_stack(stack)
    assert moved == replace(stored, current_deps=None)
    assert (stored.action, stored.status) == (Action.CREATE, Status.FAILED)
    assert stored.status_reason == "Stack CREATE cancelled"
    assert stored.current_traversal == NEWER
    assert all_points(site) == 0
    (event,) = site.events(stack)
    assert event.uuid == STAMP.event_uuid
    assert event.resource_status_reason == "Stack CREATE cancelled"


def test_what_has_ended_or_moved_on_cannot_be_stopped(site: Site) -> None:
    stack = site.stack()
    site.write(lambda c: stacks.update(c, stack.id, {"status": Status.COMPLETE}))
    assert site.write(lambda c: traversal_store.stop(c, stack, STAMP)) is None
    site.write(lambda c: stacks.update(c, stack.id, {"status": Status.IN_PROGRESS}))
    moved_on(site, stack)
    assert site.write(lambda c: traversal_store.stop(c, stack, STAMP)) is None
    assert site.events(stack) == []


# --- switch ------------------------------------------------------------------------------------


def switched(
    site: Site,
    stack: StackRecord,
    action: Action,
    template: TemplateChange,
    template_id: TemplateId | None = None,
    **changes: Any,
) -> StackRecord | None:
    effect = SwitchTraversal(stack, action, template, template_id, changes)
    moved = site.write(lambda c: traversal_store.switch(c, effect, STAMP))
    if moved is not None:
        assert moved == replace(site.stored_stack(stack), current_deps=moved.current_deps)
    return moved


def test_a_create_keeps_its_template_and_has_no_time_of_an_update(site: Site) -> None:
    stack = site.stack(action=Action.CREATE)
    moved = switched(site, stack, Action.CREATE, TemplateChange.KEEP)
    assert moved is not None
    assert (moved.raw_template_id, moved.prev_raw_template_id) == (stack.raw_template_id, None)
    assert moved.updated_at is None
    assert (moved.status, moved.status_reason) == (Status.IN_PROGRESS, "Stack CREATE started")
    assert moved.current_traversal == NEWER


def test_an_update_moves_to_its_template_and_remembers_the_old_one(site: Site) -> None:
    stack = site.stack(status=Status.COMPLETE)
    given = site.template()
    moved = switched(site, stack, Action.UPDATE, TemplateChange.GIVEN, given, timeout=5)
    assert moved is not None
    assert (moved.raw_template_id, moved.prev_raw_template_id) == (given, stack.raw_template_id)
    assert moved.updated_at == NOW
    assert moved.timeout == 5
    (event,) = site.events(stack)
    assert event.resource_status_reason == "Stack UPDATE started"


@pytest.mark.parametrize("action", [Action.CREATE, Action.ADOPT])
def test_what_begins_a_stack_leaves_no_previous_template(site: Site, action: Action) -> None:
    # rules/i-convergence.md#5
    given = site.template()
    moved = switched(site, site.stack(), action, TemplateChange.GIVEN, given)
    assert moved is not None
    assert (moved.raw_template_id, moved.prev_raw_template_id) == (given, None)


@pytest.mark.parametrize("action", [Action.CHECK, Action.SUSPEND, Action.SNAPSHOT])
def test_other_actions_leave_the_templates_alone(site: Site, action: Action) -> None:
    before = site.template()
    stack = site.stack(status=Status.COMPLETE, prev_raw_template_id=before)
    moved = switched(site, stack, action, TemplateChange.KEEP)
    assert moved is not None
    assert (moved.raw_template_id, moved.prev_raw_template_id) == (stack.raw_template_id, before)
    assert moved.updated_at == NOW


def test_a_delete_goes_towards_its_template_without_resources(site: Site) -> None:
    environment = Environment.from_dict(
        {"parameters": {"p": "shown", "h": "secret"}, "encrypted_param_names": ["h"]}
    ).stored()
    template_id = site.template(
        {"a": a_test_resource()},
        environment,
        parameters={"p": {"type": "string"}, "h": {"type": "string", "hidden": True}},
    )
    stack = site.stack(status=Status.COMPLETE, raw_template_id=template_id)
    moved = switched(site, stack, Action.DELETE, TemplateChange.WITHOUT_RESOURCES)
    assert moved is not None
    assert moved.prev_raw_template_id == template_id
    made = site.read(lambda c: templates.fetch(c, moved.raw_template_id))
    assert made is not None
    assert made.template["resources"] == {}
    assert set(made.template["parameters"]) == {"p", "h"}
    assert made.environment["parameters"] == {"p": "shown", "h": "secret"}


def test_a_rollback_goes_back_to_the_previous_template(site: Site) -> None:
    # rules/i-convergence.md#34
    before = site.template()
    stack = site.stack(status=Status.FAILED, prev_raw_template_id=before)
    moved = switched(site, stack, Action.ROLLBACK, TemplateChange.PREVIOUS_OR_EMPTY)
    assert moved is not None
    assert (moved.raw_template_id, moved.prev_raw_template_id) == (before, stack.raw_template_id)


def test_a_rollback_without_a_previous_template_goes_towards_nothing(site: Site) -> None:
    stack = site.stack({"a": a_test_resource()}, action=Action.CREATE, status=Status.FAILED)
    moved = switched(site, stack, Action.ROLLBACK, TemplateChange.PREVIOUS_OR_EMPTY)
    assert moved is not None
    assert moved.prev_raw_template_id == stack.raw_template_id
    made = site.read(lambda c: templates.fetch(c, moved.raw_template_id))
    assert made is not None
    assert made.template == {"heat_template_version": "2018-08-31"}


def test_the_mark_is_there_before_anything_is_cast(site: Site) -> None:
    # DESIGN: liveness and resume
    stack = site.stack(status=Status.COMPLETE)
    site.graph(stack, [(Node(1, True), None)])
    moved = switched(site, stack, Action.DELETE, TemplateChange.WITHOUT_RESOURCES)
    assert moved is not None
    (point,) = site.points(moved)
    assert read_mark(point) == {"action": "DELETE"}
    # The old traversal's are gone: whoever works for it finds out.
    assert all_points(site) == 1


def test_the_first_traversal_has_no_sync_points_to_remove(site: Site) -> None:
    stack = site.stack(current_traversal=None)
    assert switched(site, stack, Action.UPDATE, TemplateChange.KEEP) is not None
    assert all_points(site) == 1


def test_a_lost_traversal_changes_nothing(site: Site) -> None:
    stack = site.stack(status=Status.COMPLETE)
    moved_on(site, stack)
    assert switched(site, stack, Action.DELETE, TemplateChange.WITHOUT_RESOURCES) is None
    assert site.events(stack) == []
    count = site.read(
        lambda c: c.execute(select(func.count()).select_from(raw_template)).scalar_one()
    )
    assert count == 1


def test_a_rollback_of_what_has_just_completed_does_not_begin(site: Site) -> None:
    stack = site.stack(action=Action.UPDATE)
    site.write(lambda c: stacks.update(c, stack.id, {"status": Status.COMPLETE}))
    assert switched(site, stack, Action.ROLLBACK, TemplateChange.PREVIOUS_OR_EMPTY) is None


def test_templates_that_cannot_be_missing(site: Site) -> None:
    stack = site.stack(status=Status.COMPLETE)
    with pytest.raises(AssertionError, match="promised and not given"):
        switched(site, stack, Action.UPDATE, TemplateChange.GIVEN)
    lost = replace(stack, raw_template_id=TemplateId(99))
    for template in (TemplateChange.PREVIOUS_OR_EMPTY, TemplateChange.WITHOUT_RESOURCES):
        with pytest.raises(AssertionError, match="lost its template"):
            switched(site, lost, Action.DELETE, template)


# --- prepare -----------------------------------------------------------------------------------


def defined(site: Site, stack: StackRecord) -> StackDefinition:
    record = site.read(lambda c: templates.fetch(c, stack.raw_template_id))
    assert record is not None
    return build_definition(record, {}, stack.id, stack.name, stack.tenant)


def begun(site: Site, names: dict[str, Any], **fields: Any) -> StackRecord:
    """A stack whose traversal is stored, not prepared."""
    stack = site.stack(names, status=Status.COMPLETE, current_traversal=TRAVERSAL, **fields)
    moved = switched(site, stack, Action.UPDATE, TemplateChange.KEEP)
    assert moved is not None
    return moved


def prepared(site: Site, stack: StackRecord) -> Prepared | None:
    definition = defined(site, stack)
    return site.write(lambda c: traversal_store.prepare(c, stack, definition, site.uuid, NOW))


DIAMOND = {
    "a": a_test_resource(),
    "b": {**a_test_resource(), "depends_on": "a"},
    "c": {**a_test_resource(), "depends_on": "a"},
    "d": {**a_test_resource(), "depends_on": ["b", "c"]},
}


def test_new_rows_are_init_and_free(site: Site) -> None:
    # rules/h-updates.md#3
    stack = begun(site, {"a": a_test_resource()})
    assert prepared(site, stack) is not None
    (row,) = site.rows(stack)
    assert row == replace(
        ResourceRecord(
            id=row.id,
            uuid=row.uuid,
            name="a",
            stack_id=stack.id,
            root_stack_id=stack.id,
            current_template_id=stack.raw_template_id,
            created_at=NOW,
            updated_at=stack.updated_at,
        ),
        status_reason="",
    )


@pytest.mark.parametrize("updated_at", [None, NOW + timedelta(hours=1)])
def test_rows_that_an_update_adds_are_as_old_as_the_update(
    site: Site, updated_at: datetime | None
) -> None:
    stack = begun(site, {"a": a_test_resource()})
    site.write(lambda c: stacks.update(c, stack.id, {"updated_at": updated_at}))
    assert prepared(site, site.stored_stack(stack)) is not None
    (row,) = site.rows(stack)
    assert (row.created_at, row.updated_at) == (NOW, updated_at)


def test_rows_of_a_nested_stack_leave_the_root_to_others(site: Site) -> None:
    parent = site.stack()
    stack = begun(site, {"a": a_test_resource()}, owner_id=parent.id)
    assert prepared(site, stack) is not None
    (row,) = site.rows(stack)
    assert row.root_stack_id != stack.id


def test_graph_sync_points_and_mark_are_stored(site: Site) -> None:
    stack = begun(site, DIAMOND)
    made = prepared(site, stack)
    assert made is not None
    assert decode_deps(site.stored_stack(stack).current_deps) == made.graph
    names = {row.id: row.name for row in site.rows(stack)}
    requires = {
        names[ResourceId(int(node.id))]: {
            names[ResourceId(int(needed.id))] for needed in made.graph.requires(node)
        }
        for node in made.graph
    }
    assert requires == {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b", "c"}}
    points = site.points(stack)
    assert len(points) == 5
    assert all(point.input_data == {} and point.atomic_key == 0 for point in points)
    assert read_mark(site.point(stack, None)) == {"action": "UPDATE", PREPARED: True}
    # Those that need others were inserted first (rules/h-updates.md#4).
    by_id = [row.name for row in sorted(site.rows(stack), key=lambda row: row.id)]
    assert (by_id[0], by_id[-1]) == ("d", "a")


def test_the_leaves_come_with_their_rows_clean_up_first(site: Site) -> None:
    stack = begun(site, {"a": a_test_resource(), "b": a_test_resource()})
    existing = site.row(stack, "a")
    gone = site.row(stack, "removed")
    made = prepared(site, stack)
    assert made is not None
    new = next(row for row in site.rows(stack) if row.name == "b")
    assert made.leaves == (
        (Node(gone.id, False), gone.id),
        (Node(existing.id, True), existing.id),
        (Node(new.id, True), new.id),
    )


def test_an_existing_row_is_chosen_by_its_score(site: Site) -> None:
    stack = begun(site, {"a": a_test_resource()})
    old = site.row(stack, "a", current_template_id=stack.raw_template_id)
    site.row(stack, "a", status=Status.FAILED, replaces=old.id)
    made = prepared(site, stack)
    assert made is not None
    assert [node for node in made.graph if node.is_update] == [Node(old.id, True)]
    assert len(site.rows(stack)) == 2


def test_an_empty_stack_has_only_its_own_sync_point(site: Site) -> None:
    stack = begun(site, {})
    made = prepared(site, stack)
    assert made == Prepared(Graph({}, {}), ())
    assert len(site.points(stack)) == 1


def test_a_traversal_is_prepared_once(site: Site) -> None:
    stack = begun(site, DIAMOND)
    first = prepared(site, stack)
    assert prepared(site, stack) is None
    assert len(site.rows(stack)) == 4
    assert site.read(lambda c: traversal_store.read_prepared(c, stack)) == first


def test_a_superseded_traversal_is_not_prepared(site: Site) -> None:
    stack = begun(site, DIAMOND)
    moved_on(site, stack)
    assert prepared(site, stack) is None
    assert site.rows(stack) == []
    assert site.read(lambda c: traversal_store.read_prepared(c, stack)) is None


def test_what_has_ended_meanwhile_is_not_prepared_once_more(site: Site) -> None:
    # An engine that was cut off comes back: another one prepared the traversal and ended it.
    stack = site.stack({})
    assert prepared(site, stack) is not None
    done = ended(site, stack, Status.COMPLETE)
    assert done is not None
    assert purged(site, done)
    assert prepared(site, stack) is None
    assert all_points(site) == 0


@pytest.mark.parametrize("traversal", [None, ""])
def test_without_a_traversal_there_is_nothing_to_prepare(
    site: Site, traversal: TraversalId | None
) -> None:
    stack = site.stack({}, current_traversal=None)
    none = replace(stack, current_traversal=traversal)
    if traversal is None:
        assert prepared(site, none) is None
    assert site.read(lambda c: traversal_store.read_prepared(c, none)) is None


def test_what_is_not_prepared_reads_as_that(site: Site) -> None:
    stack = begun(site, DIAMOND)
    assert site.read(lambda c: traversal_store.read_prepared(c, stack)) is None
    gone = replace(stack, id=StackId("gone"))
    assert site.read(lambda c: traversal_store.read_prepared(c, gone)) is None


def test_a_circle_stores_nothing(site: Site) -> None:
    circle = {
        "a": {**a_test_resource(), "depends_on": "b"},
        "b": {**a_test_resource(), "depends_on": "a"},
    }
    stack = begun(site, circle)
    with pytest.raises(CycleError):
        prepared(site, stack)
    assert site.rows(stack) == []


def test_a_snapshot_has_no_row_to_visit(site: Site) -> None:
    stack = site.stack()
    site.graph(stack, [(Node("5f", False, SNAPSHOT), None), (Node(1, False), None)])
    found = site.read(lambda c: traversal_store.read_prepared(c, stack))
    assert found is not None
    assert found.leaves == ((Node(1, False), 1),)


# --- ending ------------------------------------------------------------------------------------


def ended(site: Site, stack: StackRecord, status: Status) -> StackRecord | None:
    return site.write(lambda c: traversal_store.store_status(c, stack, status, "why", STAMP))


@pytest.mark.parametrize("status", [Status.COMPLETE, Status.FAILED])
def test_the_final_status_keeps_the_traversal(site: Site, status: Status) -> None:
    stack = site.stack()
    site.graph(stack, [(Node(1, True), None)])
    found = ended(site, stack, status)
    stored = site.stored_stack(stack)
    assert found == replace(stored, current_deps=None)
    assert (stored.status, stored.status_reason) == (status, "why")
    assert stored.current_traversal == TRAVERSAL
    assert len(site.points(stack)) == 2  # what follows the end is still owed
    (event,) = site.events(stack)
    assert (event.resource_status, event.resource_status_reason) == (status, "why")


def test_an_ended_traversal_does_not_end_again(site: Site) -> None:
    stack = site.stack()
    assert ended(site, stack, Status.COMPLETE) is not None
    assert ended(site, stack, Status.FAILED) is None
    assert site.stored_stack(stack).status is Status.COMPLETE
    assert len(site.events(stack)) == 1


def test_a_superseded_traversal_does_not_end(site: Site) -> None:
    stack = site.stack()
    moved_on(site, stack)
    assert ended(site, stack, Status.COMPLETE) is None


# --- purge -------------------------------------------------------------------------------------


def purged(site: Site, stack: StackRecord) -> bool:
    return site.write(lambda c: traversal_store.purge(c, stack))


def has_template(site: Site, template_id: TemplateId | None) -> bool:
    assert template_id is not None
    return site.read(lambda c: templates.fetch(c, template_id)) is not None


def test_what_is_gone_goes_and_the_old_template_with_it(site: Site) -> None:
    old = site.template()
    stack = site.stack(status=Status.COMPLETE, prev_raw_template_id=old)
    kept = site.row(stack, "a")
    site.row(stack, "b", action=Action.DELETE, current_template_id=old)
    failed = site.row(stack, "c", action=Action.DELETE, status=Status.FAILED)
    site.graph(stack, [(Node(kept.id, True), None)])
    assert purged(site, stack)
    assert {row.id for row in site.rows(stack)} == {kept.id, failed.id}
    stored = site.stored_stack(stack)
    assert stored.prev_raw_template_id is None
    assert stored.current_traversal == TRAVERSAL
    assert not has_template(site, old)
    assert has_template(site, stack.raw_template_id)
    assert all_points(site) == 0


def test_a_failed_stack_leaves_its_traversal_and_keeps_its_old_template(site: Site) -> None:
    old = site.template()
    stack = site.stack(status=Status.FAILED, prev_raw_template_id=old)
    site.graph(stack, [(Node(1, True), None)])
    assert purged(site, stack)
    stored = site.stored_stack(stack)
    assert (stored.current_traversal, stored.prev_raw_template_id) == ("", old)
    assert has_template(site, old)
    assert all_points(site) == 0


def test_a_template_that_a_row_still_has_stays(site: Site) -> None:
    old = site.template()
    stack = site.stack(status=Status.COMPLETE, prev_raw_template_id=old)
    site.row(stack, "a", current_template_id=old)
    assert purged(site, stack)
    assert has_template(site, old)


def test_rows_of_the_current_template_do_not_take_it_along(site: Site) -> None:
    stack = site.stack(status=Status.FAILED)
    site.row(stack, "a", action=Action.DELETE)
    assert purged(site, stack)
    assert site.rows(stack) == []
    assert has_template(site, stack.raw_template_id)


def test_ids_of_removed_rows_are_forgotten(site: Site) -> None:
    # SQLite would give them to other rows.
    stack = site.stack(status=Status.COMPLETE)
    gone = site.row(stack, "a", action=Action.DELETE)
    first = site.row(stack, "b", requires=(gone.id, ResourceId(77)), replaces=gone.id)
    second = site.row(stack, "c", replaced_by=gone.id)
    untouched = site.row(stack, "d", requires=(first.id,))
    assert purged(site, stack)
    stored = [site.stored(row) for row in (first, second)]
    assert [row and (row.requires, row.replaces, row.replaced_by) for row in stored] == [
        ((77,), None, None),
        ((), None, None),
    ]
    assert site.stored(untouched) == untouched


def test_a_deleted_stack_goes_from_every_list(site: Site) -> None:
    stack = site.stack(action=Action.DELETE, status=Status.COMPLETE)
    assert purged(site, stack)
    assert site.read(lambda c: stacks.fetch(c, stack.id)) is None
    assert site.stored_stack(stack).deleted_at == NOW


def test_a_deleted_stack_leaves_no_sync_point_of_any_traversal(site: Site) -> None:
    stack = site.stack(action=Action.DELETE, status=Status.COMPLETE)
    earlier = replace(stack, current_traversal=TraversalId("earlier"))
    node = Node(ResourceId(1), True)
    site.graph(earlier, [(node, None)])
    assert purged(site, replace(stack, status=Status.COMPLETE))
    assert site.points(earlier) == []


def test_a_stack_that_could_not_be_deleted_stays(site: Site) -> None:
    stack = site.stack(action=Action.DELETE, status=Status.FAILED)
    assert purged(site, stack)
    assert site.read(lambda c: stacks.fetch(c, stack.id)) is not None


def test_a_superseded_traversal_purges_nothing(site: Site) -> None:
    stack = site.stack(status=Status.COMPLETE)
    row = site.row(stack, "a", action=Action.DELETE)
    moved_on(site, stack)
    assert not purged(site, stack)
    assert site.stored(row) is not None


def test_a_purge_may_be_repeated(site: Site) -> None:
    stack = site.stack(status=Status.COMPLETE, current_traversal=None)
    assert purged(site, stack)
    assert purged(site, stack)
