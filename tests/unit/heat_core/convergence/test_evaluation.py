"""What a visit decides, from real templates and real types (rules/h-updates.md#5-17)."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from dataclasses import replace
from typing import Any

import pytest
from rows import TEMPLATE, TRAVERSAL, a_row, a_stack

from heat_core.convergence.evaluation import (
    Plan,
    Situation,
    class_of,
    delete_plan,
    evaluate,
    note_of_done,
    resource_class,
    view_of,
)
from heat_core.convergence.node_events import Decision, EvaluationFailed, NodeEvaluated
from heat_core.convergence.node_step import DONE_IN
from heat_core.environment import Environment
from heat_core.errors import EntityNotFound
from heat_core.procedure import All, Finished, HttpAnswer, ProcedureIO, ProcedureRun, ServiceError
from heat_core.resources import ResourceType, registry
from heat_core.stack import NodeData, StackDefinition
from heat_core.stack.ids import ResourceId
from heat_core.stack.naming import physical_resource_name
from heat_core.stack.records import ResourceRecord
from heat_core.stack.states import Action, Status
from heat_core.stack.timeouts import DEFAULT_ACTION_TIMEOUT_SECONDS
from heat_core.template import Template

IO = ProcedureIO()
TEST = "OS::Heat::TestResource"
PROJECT = "OS::Keystone::Project"
NODE_1 = NodeData(ResourceId(11), "x", "uuid-11", "ref-x", {"output": "out"}, "CREATE")
NODE_2 = NodeData(ResourceId(12), "y", "uuid-12", "ref-y")


def run(procedure: Coroutine[Any, Any, Any], *answers: Any) -> Any:
    """Step a procedure; HTTP bodies and refusals come from `answers` in order, all of them."""
    left = list(answers)
    value = _stepped(procedure, left)
    assert not left, f"nobody asked for {left}"
    return value


def _stepped(procedure: Coroutine[Any, Any, Any], answers: list[Any]) -> Any:
    stepped = ProcedureRun(procedure)
    state = stepped.start()
    while not isinstance(state, Finished):
        if isinstance(state, All):
            state = stepped.answer([_stepped(branch, answers) for branch in state.branches])
            continue
        assert answers, f"no answer for {state}"
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            state = stepped.throw(answer)
        else:
            state = stepped.answer(HttpAnswer(200, answer))
    return state.value


def define(
    *, environment: Mapping[str, Any] | None = None, **resources: Mapping[str, Any]
) -> StackDefinition:
    document = {"heat_template_version": "2018-08-31", "resources": resources}
    template = Template(document, environment=Environment.from_dict(environment or {}))
    return StackDefinition.build(template, stack_name="st", stack_id="id", project_id="tenant")


def a_test_resource(**properties: Any) -> dict[str, Any]:
    return {"type": TEST, "properties": properties}


def situation(
    definition: StackDefinition,
    own: StackDefinition | None = None,
    row: ResourceRecord | None = None,
    **fields: Any,
) -> Situation:
    """An update of row "a", made from `own` (None: its template is gone)."""
    values: dict[str, Any] = {"stack": a_stack(), "is_update": True, "nodes": {}}
    return Situation(
        definition=definition, own_definition=own, row=row or a_row(1), **values | fields
    )


def decided(at: Situation, *answers: Any) -> NodeEvaluated:
    found = run(evaluate(IO, at), *answers)
    assert isinstance(found, NodeEvaluated), found
    return found


def failed(at: Situation, *answers: Any) -> EvaluationFailed:
    found = run(evaluate(IO, at), *answers)
    assert isinstance(found, EvaluationFailed), found
    return found


def updated(before: Mapping[str, Any], after: Mapping[str, Any], **fields: Any) -> Situation:
    """An update of "a" from the properties `before` to `after`."""
    own = define(a=a_test_resource(**before))
    row = a_row(1, properties=before, metadata={}, **fields)
    return situation(define(a=a_test_resource(**after)), own, row)


INIT = a_row(1, action=Action.INIT, current_template_id=TEMPLATE, physical_id=None)


# --- create ------------------------------------------------------------------------------------


def test_a_new_row_is_created_with_checked_values() -> None:
    found = decided(situation(define(a=a_test_resource(value="v", wait_secs="3")), row=INIT))
    assert found.decision is Decision.CREATE
    plan = found.plan
    assert plan.type_name == TEST
    assert plan.resource_class is registry.find(TEST)
    assert plan.template_id == TEMPLATE
    assert plan.stored_properties == {"value": "v", "wait_secs": "3"}  # as the user wrote them
    assert plan.props["wait_secs"] == 3
    assert plan.props["fail"] is False
    assert plan.requires == ()


def test_a_create_requires_the_rows_whose_data_it_got() -> None:
    # rules/i-convergence.md#15: highest first
    definition = define(
        a=a_test_resource(value={"get_attr": ["x", "output"]}),
        x=a_test_resource(),
        y=a_test_resource(),
    )
    row = replace(INIT, requires=(ResourceId(3),))
    at = situation(definition, row=row, nodes={"x": NODE_1, "y": NODE_2})
    plan = decided(at).plan
    assert plan.stored_properties == {"value": "out"}
    assert plan.requires == (12, 11)
    assert plan.requires_while_running == (12, 11, 3)


def test_metadata_is_resolved_into_the_plan() -> None:
    definition = define(
        a={"type": TEST, "metadata": {"k": {"get_resource": "x"}}}, x=a_test_resource()
    )
    assert decided(situation(definition, row=INIT, nodes={"x": NODE_1})).plan.metadata == {
        "k": "ref-x"
    }


def test_an_invalid_property_fails_the_create_and_names_the_resource_twice_for_the_stack() -> None:
    found = failed(situation(define(a=a_test_resource(wait_secs="soon")), row=INIT))
    assert found.reason.startswith("StackValidationFailed: resources.a: ")
    assert found.stack_reason is not None
    assert found.stack_reason != found.reason
    assert isinstance(found.plan, Plan)
    assert found.plan.stored_properties == {"wait_secs": "soon"}


def test_an_unknown_type_fails_before_there_is_a_plan_of_its_own() -> None:
    at = situation(define(a={"type": "OS::Nova::Nothing"}), row=INIT, nodes={"x": NODE_1})
    found = failed(at)
    assert "The Resource Type (OS::Nova::Nothing) could not be found." in found.reason
    assert found.plan.resource_class is ResourceType
    assert found.plan.requires == (11,)
    assert found.plan.props is None


def test_names_are_resolved_by_their_service() -> None:
    at = situation(define(a={"type": PROJECT, "properties": {"domain": "users"}}), row=INIT)
    plan = decided(
        at,
        {"domain": {"id": "d1", "name": "users"}},
    ).plan
    assert plan.props["domain"] == "d1"
    assert plan.stored_properties == {"domain": "users"}


def test_a_cut_create_is_planned_again() -> None:
    definition = define(a=a_test_resource(value="v"))
    begun = decided(situation(definition, row=INIT)).plan.stored_properties
    cut = a_row(
        1,
        action=Action.CREATE,
        status=Status.IN_PROGRESS,
        current_template_id=TEMPLATE,
        properties=begun,
    )
    found = decided(situation(definition, definition, cut, resume=True))
    assert found.decision is Decision.CREATE
    assert found.plan.props["value"] == "v"


def test_a_cut_create_whose_values_have_changed_is_not_gone_on_with() -> None:
    definition = define(a=a_test_resource(value="v"))
    cut = a_row(
        1,
        action=Action.CREATE,
        status=Status.IN_PROGRESS,
        current_template_id=TEMPLATE,
        properties={"value": "read of what is gone by now"},
    )
    found = decided(situation(definition, definition, cut, resume=True))
    assert found.decision is Decision.REPLACE


def test_a_rollback_takes_the_old_row_back() -> None:
    # rules/h-updates.md#23
    stack = a_stack(action=Action.ROLLBACK)
    definition = define(a=a_test_resource(value="v"))
    row = a_row(1, replaced_by=ResourceId(7), properties={"value": "v"}, metadata={})
    assert decided(situation(definition, definition, row, stack=stack)).plan.clear_replaced_by
    assert not decided(situation(definition, definition, row)).plan.clear_replaced_by
    lonely = replace(row, replaced_by=None)
    plan = decided(situation(definition, definition, lonely, stack=stack)).plan
    assert not plan.clear_replaced_by


# --- update ------------------------------------------------------------------------------------


def test_nothing_changed() -> None:
    at = updated({"value": "v"}, {"value": "v"}, requires=(ResourceId(5),))
    found = decided(replace(at, nodes={"x": NODE_1}))
    assert found.decision is Decision.UNCHANGED
    # rules/h-updates.md#12: requires is not refreshed
    assert found.plan.requires == (5,)


def test_a_changed_property_is_updated_in_place() -> None:
    found = decided(updated({"value": "v"}, {"value": "w"}))
    assert found.decision is Decision.UPDATE
    assert found.plan.change.changed == {"value"}
    assert found.plan.change.difference == {"value": "w"}
    assert found.plan.replace_reason is None


def test_changed_metadata_alone_is_an_update() -> None:
    own = define(a={"type": TEST, "metadata": {"k": 1}})
    new = define(a={"type": TEST, "metadata": {"k": 2}})
    row = a_row(1, properties={}, metadata={"k": 1})
    found = decided(situation(new, own, row))
    assert found.decision is Decision.UPDATE
    assert found.plan.change.metadata_changed
    assert found.plan.metadata == {"k": 2}


def test_a_property_that_cannot_change_replaces_within_the_update() -> None:
    # rules/h-updates.md#13d, #15
    found = decided(updated({"update_replace_value": "v"}, {"update_replace_value": "w"}))
    assert found.decision is Decision.UPDATE
    assert found.plan.replace_reason == "The Resource a requires replacement."


def test_a_failed_resource_is_replaced_before_any_update() -> None:
    # rules/h-updates.md#10a, #16
    found = decided(updated({"value": "v"}, {"value": "w"}, status=Status.FAILED))
    assert found.decision is Decision.MAKE_ROOM
    assert "requires replacement" in found.reason


def test_another_type_is_a_replacement() -> None:
    # rules/h-updates.md#6
    own = define(a=a_test_resource())
    new = define(a={"type": "OS::Heat::None"})
    found = decided(situation(new, own, a_row(1, properties={}, metadata={})))
    assert found.decision is Decision.REPLACE


def test_a_type_that_is_not_known_any_more_is_another_type() -> None:
    own = define(a={"type": "OS::Old::Thing"})
    new = define(a=a_test_resource())
    found = decided(situation(new, own, a_row(1, properties={}, metadata={})))
    assert found.decision is Decision.REPLACE


def test_a_substituted_type_is_the_same_type(monkeypatch: pytest.MonkeyPatch) -> None:
    # rules/h-updates.md#5
    new_class = registry.find(TEST)

    class Old(ResourceType):
        name = "OS::Old::Thing"
        support = replace(new_class.support, substitute=TEST)

    # No type that is built in so far has a substitute.
    monkeypatch.setattr("heat_core.convergence.evaluation.class_of", lambda *_: Old)
    own = define(a={"type": Old.name, "properties": {"value": "v"}})
    new = define(a=a_test_resource(value="v"))
    found = decided(situation(new, own, a_row(1, properties={"value": "v"}, metadata={})))
    assert found.decision is Decision.UPDATE  # the definition differs by its type


def test_without_its_old_template_a_row_is_compared_by_what_is_stored() -> None:
    row = a_row(1, properties={"value": "v"}, metadata={})
    same = decided(situation(define(a=a_test_resource(value="v")), None, row))
    assert same.decision is Decision.UNCHANGED
    other = decided(situation(define(a=a_test_resource(value="w")), None, row))
    assert other.decision is Decision.UPDATE


def test_a_template_that_lacks_the_row_counts_as_gone() -> None:
    row = a_row(1, properties={"value": "v"}, metadata={})
    own = define(other=a_test_resource())
    found = decided(situation(define(a=a_test_resource(value="v")), own, row))
    assert found.decision is Decision.UNCHANGED


def test_an_invalid_new_value_fails_the_update() -> None:
    found = failed(updated({"value": "v"}, {"wait_secs": "soon"}))
    assert "StackValidationFailed: resources.a" in found.reason
    assert found.stack_reason is None


def test_a_definition_that_does_not_resolve_fails_the_update() -> None:
    new = define(a={"type": "OS::Nova::Nothing"})
    found = failed(situation(new, define(a=a_test_resource()), a_row(1)))
    assert "The Resource Type (OS::Nova::Nothing) could not be found." in found.reason
    assert found.plan.resource_class is ResourceType


@pytest.mark.parametrize(
    ("after", "restricted"),
    [({"value": "w"}, "update"), ({"update_replace_value": "w"}, "replace")],
)
def test_a_restricted_action_is_refused(after: dict[str, str], restricted: str) -> None:
    # rules/h-updates.md#9
    own = define(a=a_test_resource(value="v"))
    new = define(
        environment={"resource_registry": {"resources": {"a": {"restricted_actions": restricted}}}},
        a=a_test_resource(**after),
    )
    found = failed(situation(new, own, a_row(1, properties={"value": "v"}, metadata={})))
    assert f"{restricted} is restricted for resource." in found.reason
    assert found.refused == f"{restricted} is restricted for resource."


def test_another_external_id_is_refused_without_a_word() -> None:
    # rules/h-updates.md#7
    own = define(a=a_test_resource(value="v"))
    new = define(a={**a_test_resource(value="v"), "external_id": "other"})
    found = failed(situation(new, own, a_row(1, properties={"value": "v"}, metadata={})))
    assert "external_id" in found.reason
    assert found.refused == ""


# --- resuming an update ------------------------------------------------------------------------


@pytest.mark.parametrize("after", [{"value": "v"}, {"value": "w"}])
def test_a_cut_update_sets_everything_that_may_be_set(after: dict[str, str]) -> None:
    at = updated({"value": "v"}, after, action=Action.UPDATE, status=Status.IN_PROGRESS)
    found = decided(replace(at, resume=True))
    assert found.decision is Decision.UPDATE
    change = found.plan.change
    assert {"value", "fail", "wait_secs"} <= change.changed
    assert "update_replace_value" not in change.changed
    assert change.after["value"] == after["value"]


def test_a_cut_update_that_needs_a_new_object_ends_in_a_replacement() -> None:
    at = updated(
        {"update_replace_value": "v"},
        {"update_replace_value": "w"},
        action=Action.UPDATE,
        status=Status.IN_PROGRESS,
    )
    found = decided(replace(at, resume=True))
    assert found.decision is Decision.UPDATE
    assert found.plan.replace_reason is not None


def test_a_cut_update_to_a_new_type_goes_through_the_update_too() -> None:
    own, new = define(a=a_test_resource()), define(a={"type": "OS::Heat::None"})
    row = a_row(1, action=Action.UPDATE, status=Status.IN_PROGRESS, properties={}, metadata={})
    found = decided(situation(new, own, row, resume=True))
    assert found.decision is Decision.UPDATE
    assert found.plan.replace_reason is not None


def test_a_cut_update_whose_values_are_not_valid_fails() -> None:
    # Nothing changed since the cut, so the decision itself has nothing to check.
    at = updated(
        {"wait_secs": "soon"},
        {"wait_secs": "soon"},
        action=Action.UPDATE,
        status=Status.IN_PROGRESS,
    )
    found = failed(replace(at, resume=True))
    assert "StackValidationFailed" in found.reason


def test_a_cut_update_is_checked_even_where_the_decision_had_nothing_to_check() -> None:
    # An external object's properties are not looked at when it is updated (rules/h-updates.md#7).
    external = {**a_test_resource(wait_secs="soon"), "external_id": "abc"}
    row = a_row(1, action=Action.UPDATE, status=Status.IN_PROGRESS, metadata={})
    at = situation(define(a=external), define(a=external), row)
    assert decided(at).decision is Decision.UNCHANGED
    assert "StackValidationFailed" in failed(replace(at, resume=True)).reason


def test_a_service_that_refuses_the_question_fails_the_update() -> None:
    own = define(a={"type": PROJECT, "properties": {"domain": "users"}})
    new = define(a={"type": PROJECT, "properties": {"domain": "others"}})
    row = a_row(1, properties={"domain": "users"}, metadata={})
    refusal = ServiceError("identity", 403, "no", error_class="Forbidden", text="no (HTTP 403)")
    found = run(evaluate(IO, situation(new, own, row)), refusal, refusal)
    assert isinstance(found, EvaluationFailed)
    assert "no (HTTP 403)" in found.reason


# --- check -------------------------------------------------------------------------------------

CHECKING = a_stack(action=Action.CHECK)


def test_a_type_that_can_be_checked_is() -> None:
    own = define(a=a_test_resource(value="v"))
    row = a_row(1, properties={"value": "v"})
    found = decided(situation(own, own, row, stack=CHECKING))
    assert found.decision is Decision.CHECK
    assert found.plan.resource_class is registry.find(TEST)


def test_a_type_that_cannot_be_checked_says_so_unless_there_is_nothing_to_check() -> None:
    # rules/g-events-status.md#7
    own = define(a={"type": "OS::Heat::Delay"})
    found = decided(situation(own, own, a_row(1), stack=CHECKING))
    assert found.decision is Decision.UNCHECKED
    assert found.plan.type_name == "OS::Heat::Delay"
    assert decided(situation(own, own, INIT, stack=CHECKING)).decision is Decision.NOTHING


def test_a_check_looks_at_what_was_made_not_at_what_the_template_says_now() -> None:
    own, new = define(a=a_test_resource()), define(a={"type": "OS::Heat::Delay"})
    assert decided(situation(new, own, a_row(1), stack=CHECKING)).decision is Decision.CHECK


def test_a_check_cleans_nothing_up() -> None:
    row = a_row(1)  # of an older template
    found = decided(situation(define(), None, row, is_update=False, stack=CHECKING))
    assert found == NodeEvaluated(Decision.NOTHING)


# --- clean-up ----------------------------------------------------------------------------------


def cleaned(row: ResourceRecord, own: StackDefinition | None = None) -> NodeEvaluated:
    return decided(situation(define(), own, row, is_update=False))


def test_a_clean_up_leaves_what_the_new_template_has() -> None:
    found = cleaned(a_row(1, current_template_id=TEMPLATE))
    assert found == NodeEvaluated(Decision.NOTHING)


def test_a_clean_up_only_removes_rows_without_an_object() -> None:
    assert cleaned(a_row(1, action=Action.INIT)) == NodeEvaluated(Decision.REMOVE)


def test_a_clean_up_deletes_by_the_definition_that_the_row_was_made_from() -> None:
    own = define(a=a_test_resource(value="v"))
    row = a_row(1, properties={"value": "v"}, metadata={"k": 1}, requires=(ResourceId(3),))
    found = cleaned(row, own)
    assert found.decision is Decision.DELETE
    plan = found.plan
    assert plan.type_name == TEST
    assert plan.stored_properties == {"value": "v"}
    assert plan.metadata == {"k": 1}
    assert plan.requires == plan.requires_while_running == (3,)
    assert not plan.retain


@pytest.mark.parametrize(
    ("fields", "retain"),
    [
        ({}, False),
        ({"deletion_policy": "Delete"}, False),
        ({"deletion_policy": "Retain"}, True),
        ({"deletion_policy": "retain"}, True),
        ({"external_id": "abc"}, True),
    ],
)
def test_what_is_retained(fields: dict[str, str], retain: bool) -> None:
    # rules/g-events-status.md#29
    own = define(a={"type": TEST, **fields})
    assert delete_plan(a_stack(), a_row(1), own).retain is retain


def test_a_row_whose_template_is_gone_has_nothing_to_act_on() -> None:
    plan = delete_plan(a_stack(), a_row(1), None)
    assert plan.type_name == ""
    assert plan.resource_class is ResourceType
    assert not plan.retain


def test_a_row_of_a_type_that_is_not_known_any_more_can_be_cleaned_up() -> None:
    found = cleaned(a_row(1), define(a={"type": "OS::Old::Thing"}))
    assert found.decision is Decision.DELETE
    assert found.plan.type_name == "OS::Old::Thing"
    assert found.plan.resource_class is ResourceType


# --- classes and views -------------------------------------------------------------------------


def test_the_environment_may_map_a_type_to_another() -> None:
    definition = define(
        environment={"resource_registry": {"My::Type": TEST}}, a={"type": "My::Type"}
    )
    assert resource_class("My::Type", definition, "a") is registry.find(TEST)


def test_an_unknown_type_is_an_error_or_the_base_class() -> None:
    with pytest.raises(EntityNotFound):
        resource_class("OS::No::Thing", None, "a")
    assert class_of("OS::No::Thing", None, "a") is ResourceType
    assert class_of(TEST, None, "a") is registry.find(TEST)


def test_a_view_shows_the_row_and_the_names_around_it() -> None:
    row = a_row(
        1,
        uuid="7f3c1c52-6a54-4b43-8c42-5f1b7c1f8e11",
        properties={"value": "v"},
        metadata={"k": 1},
        data={"value": "v"},
    )
    view = view_of(row, a_stack(timeout=2), registry.find(TEST))
    assert view.physical_name == physical_resource_name("st", "a", row.uuid)
    assert view.project_id == "tenant"
    assert view.properties == {"value": "v"}
    assert view.metadata == {"k": 1}
    assert view.data == {"value": "v"}
    assert view.stack_timeout_seconds == 120


def test_a_view_of_a_bare_row_has_empty_maps_and_the_default_timeout() -> None:
    view = view_of(a_row(1), a_stack(), registry.find(TEST))
    assert view.properties == {} == view.metadata
    assert view.stack_timeout_seconds == DEFAULT_ACTION_TIMEOUT_SECONDS


def test_a_clean_up_that_the_row_does_not_decide_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heat_core.convergence.evaluation.base_decision", lambda *_: None)
    with pytest.raises(AssertionError, match="decided by the row alone"):
        cleaned(a_row(1))


# --- what is remembered of it ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_name", "action", "is_noted"),
    [
        ("OS::Heat::ResourceGroup", Action.ROLLBACK, True),
        ("OS::Heat::ResourceGroup", Action.UPDATE, False),
        (TEST, Action.ROLLBACK, False),
    ],
)
def test_a_nested_stack_that_went_back_remembers_in_which_traversal(
    type_name: str, action: Action, is_noted: bool
) -> None:
    stack = a_stack(action=action)
    plan = delete_plan(stack, a_row(), define(a={"type": type_name}))
    noted = note_of_done(stack, plan)
    assert noted == ({DONE_IN: TRAVERSAL} if is_noted else {})
