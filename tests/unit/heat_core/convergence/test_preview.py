"""What an update would do, told beforehand, from real templates and real types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from rows import OLD_TEMPLATE, a_row, a_stack

from heat_core.convergence.preview import Kind, Outlook, Present, Previewed, preview_update
from heat_core.environment import Environment
from heat_core.errors import NotSupported, StackValidationFailed
from heat_core.procedure import (
    ChildState,
    Finished,
    LookAtChild,
    ProcedureIO,
    ProcedureRun,
    Sleep,
)
from heat_core.stack import NodeData, StackDefinition
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.records import ResourceRecord
from heat_core.stack.states import Action, Status
from heat_core.template import Template

IO = ProcedureIO()
TEST = "OS::Heat::TestResource"
RANDOM = "OS::Heat::RandomString"
VALUE = "OS::Heat::Value"


def define(
    resources: Mapping[str, Any],
    *,
    parameters: Mapping[str, Any] | None = None,
    environment: Mapping[str, Any] | None = None,
) -> StackDefinition:
    document = {
        "heat_template_version": "2018-08-31",
        "parameters": parameters or {},
        "resources": resources,
    }
    template = Template(document, environment=Environment.from_dict(environment or {}))
    return StackDefinition.build(template, stack_name="st", stack_id="id", project_id="tenant")


def made(
    definition: StackDefinition,
    stored: Mapping[str, Mapping[str, Any]],
    attributes: Mapping[str, Mapping[Any, Any]] | None = None,
    **rows: Mapping[str, Any],
) -> Present:
    """The stack after a create: one row a resource, with these stored properties."""
    records = [
        a_row(
            number,
            name=name,
            physical_id=f"physical-{name}",
            properties=properties,
            **rows.get(name, {}),
        )
        for number, (name, properties) in enumerate(stored.items(), 1)
    ]
    nodes = {row.name: _node(row, (attributes or {}).get(row.name, {})) for row in records}
    stack = a_stack(raw_template_id=OLD_TEMPLATE, prev_raw_template_id=None)
    return Present(stack=stack, rows=records, definition=definition, nodes=nodes)


def _node(row: ResourceRecord, attributes: Mapping[Any, Any]) -> NodeData:
    return NodeData(row.id, row.name, row.uuid, row.physical_id, attributes, row.action)


def outlook(present: Present, wanted: StackDefinition, nested: ChildState | None = None) -> Outlook:
    """The preview; `nested` is the state in which every nested stack is."""
    run = ProcedureRun(preview_update(IO, present, wanted))
    state = run.start()
    while not isinstance(state, Finished):
        looks = isinstance(state, LookAtChild)
        assert looks or state == Sleep(0)
        state = run.answer(nested if looks else None)
    found: Outlook = state.value
    return found


def kinds(found: Outlook) -> dict[str, str]:
    return {one.name: one.kind.value for one in found.resources}


def one(found: Outlook, name: str) -> Previewed:
    (only,) = [resource for resource in found.resources if resource.name == name]
    return only


def properties(found: Outlook, name: str) -> dict[str, tuple[Any, Any]]:
    return {change.name: (change.before, change.after) for change in one(found, name).properties}


def a_test(**given: Any) -> dict[str, Any]:
    return {"type": TEST, "properties": given}


def a_value(value: Any) -> dict[str, Any]:
    return {"type": VALUE, "properties": {"value": value}}


# --- the kinds -----------------------------------------------------------------------------------


def test_each_kind() -> None:
    now = define({"same": a_value("x"), "changes": a_test(value="a"), "gone": a_value(1)})
    then = define({"same": a_value("x"), "changes": a_test(value="b"), "new": a_value(2)})
    stored = {"same": {"value": "x"}, "changes": {"value": "a"}, "gone": {"value": 1}}
    found = outlook(made(now, stored), then)
    assert kinds(found) == {
        "same": "unchanged",
        "changes": "updated",
        "new": "added",
        "gone": "deleted",
    }
    assert properties(found, "changes") == {"value": ("a", "b")}
    assert properties(found, "same") == {}
    assert one(found, "changes").reason is None
    assert [gone.name for gone in found.of(Kind.DELETED)] == ["gone"]


def test_a_property_that_cannot_change_in_place() -> None:
    now = define({"r": {"type": RANDOM, "properties": {"length": 8}}})
    then = define({"r": {"type": RANDOM, "properties": {"length": 9, "salt": "s"}}})
    found = one(outlook(made(now, {"r": {"length": 8}}), then), "r")
    assert found.kind is Kind.REPLACED
    assert found.reason == "A change of properties length, salt takes a new object."
    assert {change.name: (change.before, change.after) for change in found.properties} == {
        "length": (8, 9),
        "salt": (None, "s"),
    }


def test_another_type() -> None:
    now, then = define({"r": a_test(value="x")}), define({"r": a_value("x")})
    found = one(outlook(made(now, {"r": {"value": "x"}}), then), "r")
    assert (found.kind, found.properties) == (Kind.REPLACED, ())
    assert found.reason == f"The type changes from {TEST} to {VALUE}."


@pytest.mark.parametrize(
    ("nested", "kind"),
    [
        (ChildState("CREATE", "COMPLETE", ""), Kind.UPDATED),
        (ChildState("UPDATE", "FAILED", ""), Kind.UPDATED),
        (ChildState("DELETE", "FAILED", ""), Kind.REPLACED),
        (None, Kind.REPLACED),
    ],
)
def test_a_nested_stack_that_goes_is_replaced_by_its_update(
    nested: ChildState | None, kind: Kind
) -> None:
    group = {"count": 1, "resource_def": {"type": VALUE, "properties": {"value": "x"}}}
    now = define({"g": {"type": "OS::Heat::ResourceGroup", "properties": group}})
    found = one(outlook(made(now, {"g": group}), now, nested), "g")
    assert found.kind is kind
    gone = "Its nested stack is gone or being deleted."
    assert found.reason == (gone if kind is Kind.REPLACED else None)


@pytest.mark.parametrize(
    ("action", "shown"), [(Action.CHECK, "CHECK_FAILED"), (Action.CREATE, "CREATE_FAILED")]
)
def test_a_failed_resource(action: Action, shown: str) -> None:
    now = define({"r": a_test(value="x")})
    state = {"action": action, "status": Status.FAILED}
    found = one(outlook(made(now, {"r": {"value": "x"}}, r=state), now), "r")
    assert found.kind is Kind.REPLACED
    assert found.reason == f"The resource is {shown}."


def test_a_type_that_asks_for_a_new_object() -> None:
    now = define({"r": a_test(value="x", update_replace=True)})
    then = define({"r": a_test(value="y", update_replace=True)})
    found = one(outlook(made(now, {"r": {"value": "x", "update_replace": True}}), then), "r")
    assert found.kind is Kind.REPLACED
    assert found.reason == f"The type {TEST} asks for a new object."
    assert [change.name for change in found.properties] == ["value"]


def test_only_the_metadata_changes() -> None:
    now = define({"r": a_value("x")})
    then = define({"r": {**a_value("x"), "metadata": {"k": "v"}}})
    found = one(outlook(made(now, {"r": {"value": "x"}}), then), "r")
    assert (found.kind, found.properties) == (Kind.UPDATED, ())


def test_a_resource_that_was_never_made_is_added() -> None:
    now = define({"r": a_value("x")})
    state = {"action": Action.INIT, "physical_id": None, "properties": None}
    row = a_row(1, name="r", **state)
    stack = a_stack(raw_template_id=OLD_TEMPLATE)
    found = outlook(Present(stack=stack, rows=[row], definition=now), now)
    assert kinds(found) == {"r": "added"}


def test_rows_that_no_template_has_are_deleted() -> None:
    now = define({"r": a_value("x")})
    present = made(
        now, {"r": {"value": "x"}, "left": {}, "over": {}}, over={"action": Action.DELETE}
    )
    assert kinds(outlook(present, now)) == {"r": "unchanged", "left": "deleted"}


def test_a_row_of_an_older_template_is_compared_with_that() -> None:
    older, now = define({"r": a_test(value="old")}), define({"r": a_test(value="new")})
    template = TemplateId(77)
    present = made(now, {"r": {"value": "old"}}, r={"current_template_id": template})
    present = Present(
        stack=present.stack,
        rows=present.rows,
        definition=now,
        others={template: older},
        nodes=present.nodes,
    )
    assert properties(outlook(present, now), "r") == {"value": ("old", "new")}
    assert kinds(outlook(present, older)) == {"r": "unchanged"}


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "wanted", "kind"),
    [
        ("update", a_test(value="b"), "updated"),
        ("replace", a_value("b"), "replaced"),
        ("update", a_test(value="a"), "unchanged"),
        ("replace", a_test(value="b"), "updated"),
    ],
)
def test_restricted_actions(word: str, wanted: dict[str, Any], kind: str) -> None:
    now = define({"r": a_test(value="a")})
    registry = {"resource_registry": {"resources": {"r": {"restricted_actions": word}}}}
    found = outlook(made(now, {"r": {"value": "a"}}), define({"r": wanted}, environment=registry))
    assert kinds(found) == {"r": kind}
    refused = one(found, "r").refused
    assert refused is ((word, kind) in {("update", "updated"), ("replace", "replaced")})
    if refused:
        assert one(found, "r").reason == f"{word} is restricted for resource."


def test_what_the_update_would_not_even_begin() -> None:
    now = define({"r": a_value("x")})
    then = define({"r": {**a_value("x"), "external_id": "other"}})
    with pytest.raises(NotSupported) as caught:
        outlook(made(now, {"r": {"value": "x"}}), then)
    text = f"Update to property external_id of r ({VALUE}) is not supported."
    assert str(caught.value) == text


# --- resources that others read ------------------------------------------------------------------

CHAIN = {
    "r": {"type": RANDOM, "properties": {"length": 8}},
    "t": a_test(value={"get_attr": ["r", "value"]}),
    "v": a_value({"list_join": ["-", [{"get_attr": ["t", "output"]}, "end"]]}),
}
STORED: dict[str, dict[str, Any]] = {
    "r": {"length": 8},
    "t": {"value": "abcdefgh"},
    "v": {"value": "abcdefgh-end"},
}
ATTRIBUTES: dict[str, dict[Any, Any]] = {
    "r": {"value": "abcdefgh"},
    "t": {"output": "abcdefgh"},
    "v": {},
}
DATA = {"r": {"data": {"value": "abcdefgh"}}, "t": {"data": {"value": "abcdefgh"}}}


def test_what_reads_unchanged_resources_is_unchanged() -> None:
    present = made(define(CHAIN), STORED, ATTRIBUTES, **DATA)
    assert kinds(outlook(present, define(CHAIN))) == dict.fromkeys("rtv", "unchanged")


def test_what_will_be_known_is_told() -> None:
    then = define({**CHAIN, "t": a_test(value="known")})
    found = outlook(made(define(CHAIN), STORED, ATTRIBUTES, **DATA), then)
    assert kinds(found) == {"r": "unchanged", "t": "updated", "v": "updated"}
    assert properties(found, "v") == {"value": ("abcdefgh-end", "known-end")}


def test_what_nobody_knows_counts_as_changed() -> None:
    then = define({**CHAIN, "r": {"type": RANDOM, "properties": {"length": 9}}})
    found = outlook(made(define(CHAIN), STORED, ATTRIBUTES, **DATA), then)
    assert kinds(found) == {"r": "replaced", "t": "updated", "v": "updated"}
    for name in ("t", "v"):
        (change,) = one(found, name).properties
        assert (change.before, change.after, change.known) == (STORED[name]["value"], None, False)


def test_an_unknown_value_for_a_property_that_cannot_change() -> None:
    resources = {**CHAIN, "s": {"type": RANDOM, "properties": {"salt": {"get_resource": "t"}}}}
    stored = {**STORED, "s": {"salt": "physical-t"}}
    present = made(define(resources), stored, ATTRIBUTES, **DATA)
    assert kinds(outlook(present, define(resources)))["s"] == "unchanged"
    in_place = define({**resources, "t": a_test(value="other")})
    assert kinds(outlook(present, in_place))["s"] == "unchanged"
    moved = define({**resources, "t": a_value("other")})
    found = one(outlook(present, moved), "s")
    assert found.kind is Kind.REPLACED
    assert found.reason == "A change of property salt takes a new object."


def test_everything_from_one_resource() -> None:
    everything = {"get_attr": ["t"]}
    resources = {"t": a_test(value="a"), "v": a_value(everything)}
    stored = {"t": {"value": "a"}, "v": {"value": {"output": "a"}}}
    present = made(define(resources), stored, {"t": {"output": "a"}}, t={"data": {"value": "a"}})
    assert kinds(outlook(present, define(resources))) == {"t": "unchanged", "v": "unchanged"}
    then = define({**resources, "t": a_test(value="b")})
    assert properties(outlook(present, then), "v") == {"value": ({"output": "a"}, {"output": "b"})}
    replaced = define({**resources, "t": {"type": RANDOM}})
    (change,) = one(outlook(present, replaced), "v").properties
    assert change.known is False


def test_a_new_resource_whose_attributes_follow_from_its_definition() -> None:
    now = define({"v": a_value("old")})
    then = define({"n": a_test(value="new"), "v": a_value({"get_attr": ["n", "output"]})})
    found = outlook(made(now, {"v": {"value": "old"}}), then)
    assert properties(found, "v") == {"value": ("old", "new")}


def test_another_row_of_the_name_is_in_front() -> None:
    """Attributes were read of the last row: nothing is known of one that isn't."""
    resources = {"t": a_test(value="a"), "v": a_value({"get_resource": "t"})}
    present = made(define(resources), {"t": {"value": "a"}, "v": {"value": "physical-t"}})
    nodes = {**present.nodes, "t": NodeData(ResourceId(9), "t", "uuid", "other")}
    present = Present(
        stack=present.stack, rows=present.rows, definition=present.definition, nodes=nodes
    )
    found = outlook(present, define(resources))
    assert kinds(found) == {"t": "unchanged", "v": "updated"}
    assert one(found, "v").properties[0].known is False


# --- secrets -------------------------------------------------------------------------------------


def test_values_of_hidden_parameters_are_marked() -> None:
    parameters = {
        "h": {"type": "string", "hidden": True, "default": "secret"},
        "p": {"type": "string", "default": "open"},
    }
    resources = {
        "a": a_test(value={"str_replace": {"template": "x", "params": {"x": {"get_param": "h"}}}}),
        "b": a_test(value={"get_param": "p"}),
    }
    now = define(resources, parameters=parameters)
    then = define({"a": a_test(value="open"), "b": a_test(value="more")}, parameters=parameters)
    found = outlook(made(now, {"a": {"value": "secret"}, "b": {"value": "open"}}), then)
    assert one(found, "a").properties[0].secret is True
    assert one(found, "b").properties[0].secret is False


# --- corners -------------------------------------------------------------------------------------


def test_a_row_without_a_template_is_compared_by_what_is_stored() -> None:
    now, then = define({"r": a_test(value="a")}), define({"r": a_test(value="b")})
    row = {"r": {"current_template_id": None}}
    found = outlook(made(now, {"r": {"value": "a"}}, **row), then)
    assert kinds(found) == {"r": "updated"}
    assert properties(found, "r") == {"value": ("a", "b")}


def test_properties_that_are_one_call_as_a_whole() -> None:
    reads = {"map_merge": [{"value": {"get_attr": ["x", "value"]}}]}
    now = define({"x": {"type": RANDOM, "properties": {"length": 8}}, "r": a_test(value="v")})
    then = define(
        {
            "x": {"type": RANDOM, "properties": {"length": 9}},
            "r": {"type": TEST, "properties": reads},
        }
    )
    found = outlook(made(now, {"x": {"length": 8}, "r": {"value": "v"}}), then)
    assert kinds(found) == {"x": "replaced", "r": "updated"}
    (change,) = one(found, "r").properties
    assert (change.name, change.known) == ("value", False)


def test_a_changed_resource_that_nobody_has_read() -> None:
    now = define({"r": a_test(value="a")})
    then = define({"r": a_test(value="b"), "s": a_test(value={"get_resource": "r"})})
    present = replace(made(now, {"r": {"value": "a"}}), nodes={})
    found = outlook(present, then)
    assert kinds(found) == {"r": "updated", "s": "added"}
    # The row behind "r" was not looked at, so what "s" will be given is not known.
    assert dict(found.nodes["r"].attributes) == {}


def test_a_definition_that_cannot_be_read_is_the_users_mistake() -> None:
    now = define({"r": a_test(value="a")})
    then = define({"r": {"type": TEST, "metadata": {"m": {"list_join": [",", 5]}}}})
    with pytest.raises(StackValidationFailed, match=r"resources\.r"):
        outlook(made(now, {"r": {"value": "a"}}), then)
