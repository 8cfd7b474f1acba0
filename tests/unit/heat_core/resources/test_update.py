from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from heat_core.errors import NotSupported, ResourceActionRestricted, StackValidationFailed
from heat_core.procedure import ChildState, Finished, LookAtChild, ProcedureIO, ProcedureRun
from heat_core.properties import Prop
from heat_core.resources import (
    PROMOTED_REASON,
    Change,
    NoChange,
    Refused,
    Replace,
    ResourceType,
    UpdateDecision,
    UpdateInPlace,
    UpdateQuestion,
    decide_update,
    nested_state,
    prepare_update,
    registry,
)
from heat_core.resources.nested import TemplateResource
from heat_core.stack import FrozenDefinition
from heat_core.stack.states import Action, Status


class Thing(ResourceType):
    """A type with a property of every sort."""

    name = "Vec::Thing"
    properties: ClassVar = {
        "updatable": Prop.string(update_allowed=True),
        "fixed": Prop.string(),
        "immutable": Prop.string(immutable=True),
        "number": Prop.integer(update_allowed=True, default=1),
    }


class Stubborn(Thing):
    """Asks for a new object where Thing would not."""

    def needs_replace(self, after: Mapping[str, Any]) -> bool:
        return after["updatable"] == "replace"

    def needs_replace_failed(self) -> bool:
        return False

    def needs_replace_with_prop_diff(self, change: Change) -> bool:
        return change.difference.get("updatable") == "diff"

    def needs_replace_with_change(self, change: Change) -> bool:
        return change.metadata_changed


class Patient(Stubborn):
    """Survives a failed check."""

    always_replace_on_check_failed = False


def frozen(
    properties: dict[str, Any] | None = None, *, type_name: str = "Vec::Thing", **fields: Any
) -> FrozenDefinition:
    given = frozenset(
        {*fields, *(["properties"] if properties is not None else [])} - {"description"}
    )
    return FrozenDefinition(
        name="r", type=type_name, properties=properties or {}, given=given, **fields
    )


@pytest.fixture
def decide(view: Any) -> Any:
    def run(
        before: FrozenDefinition,
        after: FrozenDefinition,
        *,
        cls: type[ResourceType] = Thing,
        new_class: type[ResourceType] | None = None,
        restricted: frozenset[str] = frozenset(),
        preview: bool = False,
        **fields: Any,
    ) -> UpdateDecision:
        state = {"action": Action.CREATE, "status": Status.COMPLETE, "physical_id": "phys"}
        return decide_update(
            UpdateQuestion(
                resource=cls(view(**{**state, **fields})),
                new_class=new_class or cls,
                before=before,
                after=after,
                restricted=restricted,
                preview=preview,
            )
        )

    return run


RESOURCE_TEXT = 'The Resource Thing "r" [phys] Stack "st" [stack-1] requires replacement.'
NAME_TEXT = "The Resource r requires replacement."


def test_nothing_changed(decide: Any) -> None:
    assert decide(frozen({"fixed": "a"}), frozen({"fixed": "a"})) == NoChange()


def test_equal_values_written_differently_are_an_update_of_nothing(decide: Any) -> None:
    decision = decide(frozen({"number": 1}), frozen({"number": "1"}))

    assert isinstance(decision, UpdateInPlace)
    assert decision.change.changed == frozenset()
    assert decision.change.properties_changed


def test_changed_properties(decide: Any) -> None:
    decision = decide(frozen({"updatable": "a"}), frozen({"updatable": "b", "number": 2}))

    assert isinstance(decision, UpdateInPlace)
    change = decision.change
    assert change.difference == {"updatable": "b", "number": 2}
    assert change.before["updatable"] == "a"
    assert change.after["fixed"] is None
    assert not change.metadata_changed


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({"metadata": {"a": 1}}, {"metadata": {"a": 2}}, True),
        ({}, {"metadata": {}}, True),
        ({"metadata": {"a": 1}}, {"metadata": {"a": 1}, "deletion_policy": "Retain"}, False),
    ],
)
def test_changes_of_the_definition(
    decide: Any, before: dict[str, Any], after: dict[str, Any], changed: bool
) -> None:
    decision = decide(frozen(**before), frozen(**after))

    assert isinstance(decision, UpdateInPlace)
    assert decision.change.metadata_changed is changed
    assert not decision.change.properties_changed


def test_name_and_description_do_not_count(decide: Any) -> None:
    assert decide(frozen(), frozen(description="new")) == NoChange()


def test_a_property_that_cannot_change_in_place(decide: Any) -> None:
    assert decide(frozen({"fixed": "a"}), frozen({"fixed": "b"})) == Replace(
        NAME_TEXT, started=True
    )


def test_an_immutable_property(decide: Any) -> None:
    decision = decide(
        frozen({"immutable": "a", "fixed": "a"}), frozen({"immutable": "b", "fixed": "b"})
    )

    assert isinstance(decision, Refused)
    assert decision.started
    assert isinstance(decision.error, NotSupported)
    assert str(decision.error) == (
        "Update to properties immutable of r (Vec::Thing) is not supported."
    )


def test_new_properties_are_checked(decide: Any) -> None:
    decision = decide(frozen({"number": 1}), frozen({"number": "x"}))

    assert isinstance(decision, Refused)
    assert decision.started
    assert isinstance(decision.error, StackValidationFailed)
    assert str(decision.error) == ("Property error: Properties.number: Value 'x' is not an integer")


def test_an_old_value_that_cannot_be_read_counts_as_changed(decide: Any) -> None:
    decision = decide(frozen({"number": "x"}), frozen({"number": 1}))

    assert isinstance(decision, UpdateInPlace)
    assert decision.change.difference == {"number": 1}
    assert "number" not in decision.change.before


@pytest.mark.parametrize(
    ("action", "status", "cls", "replaced"),
    [
        (Action.CREATE, Status.FAILED, Thing, True),
        (Action.CREATE, Status.FAILED, Stubborn, False),
        (Action.CHECK, Status.FAILED, Stubborn, True),
        (Action.CHECK, Status.FAILED, Patient, False),
        (Action.DELETE, Status.COMPLETE, Stubborn, True),
        (Action.INIT, Status.COMPLETE, Stubborn, True),
        (Action.UPDATE, Status.IN_PROGRESS, Thing, False),
    ],
)
def test_states(
    decide: Any, action: Action, status: Status, cls: type[ResourceType], replaced: bool
) -> None:
    decision = decide(frozen(), frozen(), cls=cls, action=action, status=status)

    assert isinstance(decision, Replace) is replaced
    if replaced:
        assert decision == Replace(RESOURCE_TEXT.replace("Thing", cls.__name__))
    elif status is Status.FAILED:
        assert decision == NoChange(promote=True)


def test_a_preview_does_not_mind_what_was_never_made(decide: Any) -> None:
    decision = decide(frozen(), frozen(), action=Action.INIT, preview=True)

    assert decision == NoChange()


@pytest.mark.parametrize(
    ("before", "after", "started"),
    [
        (frozen(), frozen({"updatable": "replace"}), False),
        (frozen(), frozen({"updatable": "diff"}), True),
        (frozen(metadata={"a": 1}), frozen(metadata={"a": 2}), True),
    ],
)
def test_the_type_asks_for_a_new_object(
    decide: Any, before: FrozenDefinition, after: FrozenDefinition, started: bool
) -> None:
    decision = decide(before, after, cls=Stubborn)

    assert decision == Replace(RESOURCE_TEXT.replace("Thing", "Stubborn"), started=started)


def test_another_type(decide: Any) -> None:
    assert decide(frozen(), frozen(), new_class=Stubborn) == Replace(NAME_TEXT, of_type=True)


def test_external_resources(decide: Any) -> None:
    same = decide(
        frozen(external_id="x"), frozen({"fixed": "b"}, external_id="x"), status=Status.FAILED
    )
    other = decide(frozen(external_id="x"), frozen(external_id="y"))
    gone = decide(frozen(external_id="x"), frozen())

    assert same == NoChange(promote=True)
    for refused in (other, gone):
        assert isinstance(refused, Refused)
        assert not refused.started
        assert str(refused.error) == (
            "Update to property external_id of r (Vec::Thing) is not supported."
        )


@pytest.mark.parametrize(
    ("after", "restricted", "refused"),
    [
        ({"updatable": "b"}, "update", "update"),
        ({"updatable": "b"}, "replace", None),
        ({"fixed": "b"}, "replace", "replace"),
        ({"fixed": "b"}, "update", None),
        ({}, "update", None),
        ({}, "replace", None),
    ],
)
def test_restricted_actions(
    decide: Any, after: dict[str, Any], restricted: str, refused: str | None
) -> None:
    decision = decide(frozen({}), frozen(after), restricted=frozenset({restricted}))

    if refused is None:
        assert not isinstance(decision, Refused)
    else:
        assert isinstance(decision, Refused)
        assert not decision.started
        assert isinstance(decision.error, ResourceActionRestricted)
        assert str(decision.error) == f"{refused} is restricted for resource."


def test_another_type_where_replacing_is_restricted(decide: Any) -> None:
    decision = decide(frozen(), frozen(), new_class=Stubborn, restricted=frozenset({"replace"}))

    assert isinstance(decision, Refused)
    assert str(decision.error) == "replace is restricted for resource."


def test_what_the_restriction_hides_comes_out_all_the_same(decide: Any) -> None:
    decision = decide(
        frozen({"immutable": "a"}),
        frozen({"immutable": "b"}),
        restricted=frozenset({"update"}),
    )

    assert isinstance(decision, Refused)
    assert isinstance(decision.error, NotSupported)


def test_a_stand_in_never_changes(decide: Any) -> None:
    none = registry.find("OS::Heat::None")

    for status in (Status.COMPLETE, Status.FAILED):
        decision = decide(frozen({"a": 1}), frozen({"b": 2}), cls=none, status=status)
        assert decision == NoChange(promote=status is Status.FAILED)


def test_an_old_spelling_is_compared_after_translation(decide: Any) -> None:
    string = registry.find("OS::Heat::RandomString")
    classes = {"character_classes": [{"class": "digits", "min": 1}]}

    same = decide(frozen({"sequence": "digits"}), frozen(classes), cls=string)
    assert isinstance(same, UpdateInPlace)
    assert same.change.changed == frozenset()
    other = decide(frozen({"sequence": "digits"}), frozen({"sequence": "letters"}), cls=string)
    assert other == Replace(NAME_TEXT, started=True)


def test_names_are_resolved_before_deciding(script: Any, view: Any) -> None:
    project = registry.find("OS::Keystone::Project")
    question = UpdateQuestion(
        resource=project(view(action=Action.CREATE, status=Status.COMPLETE, physical_id="p1")),
        new_class=project,
        before=frozen({"domain": "by-name"}, type_name="OS::Keystone::Project"),
        after=frozen({"domain": "by-id"}, type_name="OS::Keystone::Project"),
    )

    decision = script.run(
        prepare_update(script.io, question), {"domain": {"id": "d"}}, {"domain": {"id": "d"}}
    )
    assert isinstance(decision, UpdateInPlace)
    assert decision.change.changed == frozenset()
    assert sorted(script.calls) == [("GET", "/v3/domains/by-id"), ("GET", "/v3/domains/by-name")]


def test_promotion_has_a_reason() -> None:
    assert PROMOTED_REASON.startswith("Update status to COMPLETE for FAILED resource")


class Nested(Thing):
    """A type with a nested stack."""

    has_nested_stack = True


def test_a_nested_stack_is_always_updated(decide: Any) -> None:
    for action, status in (
        (Action.CREATE, Status.COMPLETE),
        (Action.CREATE, Status.FAILED),
        (Action.UPDATE, Status.FAILED),
    ):
        decision = decide(frozen(), frozen(), cls=Nested, action=action, status=status)
        assert isinstance(decision, UpdateInPlace)


def test_before_there_is_a_nested_stack_the_resource_is_like_any_other(decide: Any) -> None:
    failed = {"action": Action.CREATE, "status": Status.FAILED, "physical_id": None}
    assert isinstance(decide(frozen(), frozen(), cls=Nested, **failed), Replace)
    made = {"physical_id": None}
    assert isinstance(decide(frozen(), frozen(), cls=Nested, **made), UpdateInPlace)


def test_a_nested_stack_that_is_broken_is_updated_and_one_marked_unhealthy_replaced(
    view: Any,
) -> None:
    def decided(nested_state: tuple[Action, Status] | None) -> UpdateDecision:
        resource = Nested(view(action=Action.CHECK, status=Status.FAILED, physical_id="phys"))
        return decide_update(
            UpdateQuestion(
                resource=resource,
                new_class=Nested,
                before=frozen(),
                after=frozen(),
                nested_state=nested_state,
            )
        )

    assert isinstance(decided((Action.CHECK, Status.FAILED)), UpdateInPlace)
    assert isinstance(decided((Action.CREATE, Status.COMPLETE)), Replace)
    assert isinstance(decided(None), Replace)


@pytest.mark.parametrize(
    ("state", "is_updated"),
    [
        (ChildState("CHECK", "FAILED", "broken"), True),
        (ChildState("CREATE", "COMPLETE", ""), False),
        (None, False),
    ],
)
def test_which_of_the_two_it_is_the_nested_stack_tells(
    view: Any, state: ChildState | None, is_updated: bool
) -> None:
    # rules/h-updates.md#25
    resource = Nested(view(action=Action.CHECK, status=Status.FAILED, physical_id="phys"))
    question = UpdateQuestion(resource=resource, new_class=Nested, before=frozen(), after=frozen())
    run = ProcedureRun(prepare_update(ProcedureIO(), question))
    assert run.start() == LookAtChild("phys")
    decided = run.answer(state)
    assert isinstance(decided, Finished)
    assert isinstance(decided.value, UpdateInPlace if is_updated else Replace)


def test_a_resource_without_a_nested_stack_has_no_state_of_one(view: Any) -> None:
    for resource in (Thing(view(physical_id="phys")), Nested(view(physical_id=None))):
        found = ProcedureRun(nested_state(ProcedureIO(), resource)).start()
        assert isinstance(found, Finished)
        assert found.value is None


def test_another_template_is_an_update_with_a_schema_of_its_own(decide: Any) -> None:
    def template(*names: str) -> type[ResourceType]:
        schema = {name: Prop.string(update_allowed=True) for name in names}
        return type("Template", (TemplateResource,), {"properties": schema})

    before, after = frozen({"a": "1", "b": "2"}), frozen({"b": "2", "c": "3"})
    decision = decide(before, after, cls=template("a", "b"), new_class=template("b", "c"))
    assert isinstance(decision, UpdateInPlace)
    assert decision.change.changed == {"c"}
    other = decide(before, after, cls=template("a", "b"), new_class=Thing)
    assert isinstance(other, Replace)
