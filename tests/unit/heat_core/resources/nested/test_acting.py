"""What all resources with a nested stack do with it."""

from __future__ import annotations

import pytest

from heat_core.errors import EntityNotFound, Error, NotSupported, ResourceFailure, UpdateReplace
from heat_core.procedure import ChildState, LookAtChild, ProcedureRun, UpdateChild
from heat_core.resources import Change
from heat_core.resources.nested import child_failure
from heat_core.resources.nested.acting import ActingStack
from heat_core.stack.states import Action
from tests.nested_stage import IO, Stage, definition_of, members_of

UNCHANGED = Change(changed=frozenset(), before={}, after={})
NESTED = {"n": {"type": "inner.yaml", "properties": {"need": "x"}}}


def acting(*, exists: bool = True, fails: dict[int, str] | None = None) -> Stage:
    members = members_of("v", template={}) if exists else None
    return Stage(definition_of(NESTED), "n", members=members, fails=fails)


def test_a_nested_stack_is_made_and_followed() -> None:
    stage = acting(exists=False)
    stage.create()
    assert stage.steps == [["v"]]
    assert stage.physical_id == "nested"


def test_it_is_updated_whatever_has_changed() -> None:
    stage = acting()
    stage.update()
    assert stage.steps == [["v"]]


@pytest.mark.parametrize(
    "state", [None, ChildState("DELETE", "IN_PROGRESS", ""), ChildState("DELETE", "FAILED", "")]
)
def test_one_that_is_gone_or_going_is_replaced(state: ChildState | None) -> None:
    stage = acting()
    stage.state = state
    with pytest.raises(UpdateReplace):
        stage.update()
    assert stage.steps == []


@pytest.mark.parametrize("state", [None, ChildState("DELETE", "IN_PROGRESS", "")])
@pytest.mark.parametrize(
    "refusal", [NotSupported(feature="It"), EntityNotFound(entity="Stack", name="n")]
)
def test_one_whose_delete_was_faster_than_its_update_is_replaced(
    refusal: Exception, state: ChildState | None
) -> None:
    run = ProcedureRun(acting().resource.start_update(IO, UNCHANGED))
    assert isinstance(run.start(), LookAtChild)
    assert isinstance(run.answer(ChildState("CREATE", "COMPLETE", "")), UpdateChild)
    assert isinstance(run.throw(refusal), LookAtChild)
    with pytest.raises(UpdateReplace):
        run.answer(state)


def test_one_that_is_there_and_does_not_update_says_why() -> None:
    run = ProcedureRun(acting().resource.start_update(IO, UNCHANGED))
    run.start()
    run.answer(ChildState("CREATE", "COMPLETE", ""))
    run.throw(NotSupported(feature="It"))
    with pytest.raises(NotSupported):
        run.answer(ChildState("CREATE", "COMPLETE", ""))


def test_it_is_deleted() -> None:
    stage = acting()
    stage.run(stage.resource.start_delete(IO))
    stage.run(stage.resource.finish_delete(IO))
    assert stage.steps == ["DeleteChild"]


@pytest.mark.parametrize("made", [None, "found"])
def test_what_a_cut_create_has_made_is_deleted_too(made: str | None) -> None:
    stage = acting(exists=False)
    stage.made = made
    stage.run(stage.resource.start_delete(IO))
    stage.run(stage.resource.finish_delete(IO))
    assert stage.steps == ([] if made is None else ["DeleteChild"])
    assert stage.run(stage.resource.find(IO, {})) == made


def test_a_check_and_a_cut_go_down_to_it() -> None:
    stage = acting()
    stage.state = ChildState("CHECK", "COMPLETE", "")
    stage.run(stage.resource.start_check(IO))
    stage.run(stage.resource.finish_check(IO))
    stage.run(stage.resource.cut_off(IO))
    assert stage.steps == ["CheckChild", "CancelChild"]
    without = acting(exists=False)
    for step in (without.resource.start_check, without.resource.finish_check):
        without.run(step(IO))
    without.run(without.resource.cut_off(IO))
    assert without.steps == []


def test_one_that_disappears() -> None:
    stage = acting()
    stage.state = None
    with pytest.raises(Error, match=r"^The nested stack was deleted before it was complete\.$"):
        stage.run(stage.resource.finish_create(IO))
    with pytest.raises(UpdateReplace):
        stage.run(stage.resource.follow(IO, frozenset({Action.UPDATE})))
    stage.run(stage.resource.follow(IO, frozenset({Action.DELETE})))


def test_its_failure_is_told_with_the_place() -> None:
    reason = "Resource CREATE failed: ValueError: resources.a: text: more"
    stage = acting(exists=False, fails={1: reason})
    with pytest.raises(ResourceFailure) as told:
        stage.create()
    assert str(told.value) == "ValueError: resources.n.resources.a: text: more"


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("Resource UPDATE failed: E: resources.a.x: t", "E: resources.n.resources.a.x: t"),
        ("Stack UPDATE cancelled", "resources.n: Stack UPDATE cancelled"),
        ("Timed out", "resources.n: Timed out"),
        ("Resource UPDATE failed: odd", "resources.n: Resource UPDATE failed: odd"),
        ("Resource CREATE failed: E: r.a: t", "resources.n: Resource CREATE failed: E: r.a: t"),
    ],
)
def test_failures(reason: str, text: str) -> None:
    assert str(child_failure(reason, "n", "UPDATE")) == text


def test_what_a_type_announces_it_supports() -> None:
    class Quiet(ActingStack):
        announced = frozenset({"check"})

    assert Quiet.supports("CHECK")
    assert not Quiet.supports("suspend")


def test_following_needs_a_stack() -> None:
    stage = acting(exists=False)
    with pytest.raises(AssertionError, match="no nested stack"):
        stage.run(stage.resource.follow(IO, frozenset({Action.CREATE})))
