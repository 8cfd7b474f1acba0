from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.procedure import HttpAnswer, ServiceError, Sleep
from heat_core.properties import OMITTED, Custom, Prop, Properties, Rule
from heat_core.properties import rules as rule
from heat_core.resources import (
    ResourceType,
    bind,
    prepare_create,
    registry,
    resolve_translations,
    stored_values,
)

MISSING = HttpAnswer(404)


class Owned(ResourceType):
    """A type with a project to look up and a text to check."""

    properties: ClassVar = {
        "project": Prop.string(constraints=[Custom("keystone.project")]),
        "others": Prop.list(),
        "flavor": Prop.string(constraints=[Custom("nova.flavor")]),
        "size": Prop.integer(default=1),
    }

    @classmethod
    def translation_rules(cls, props: Properties) -> Sequence[Rule]:
        return (
            rule.resolve(["project"], "keystone", "get_project_id"),
            rule.resolve(["others"], "keystone", "get_project_id"),
        )


def project(name: str) -> dict[str, Any]:
    return {"project": {"id": f"id-{name}"}}


def test_values_without_any_service(script: Any) -> None:
    assert script.run(prepare_create(script.io, Owned, {"size": "3"})) == {
        "project": None,
        "others": None,
        "flavor": None,
        "size": 3,
    }
    assert script.asked == []


def test_every_name_is_asked_for_once_and_side_by_side(script: Any) -> None:
    props = script.run(
        prepare_create(script.io, Owned, {"project": "a", "others": ["b", "a", "c"]}),
        project("a"),
        project("b"),
        project("c"),
    )

    assert props["project"] == "id-a"
    assert props["others"] == ["id-b", "id-a", "id-c"]
    assert len(script.calls) == 3


def test_a_name_that_is_not_there_is_the_property_s_error(script: Any) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        script.run(prepare_create(script.io, Owned, {"project": "a"}), MISSING, {"projects": []})
    assert str(caught.value) == (
        "Property error: Properties.project: The KeystoneProject (a) could not be found."
    )


def test_a_service_s_refusal_is_the_property_s_error(
    script: Any, refuse: Callable[..., ServiceError]
) -> None:
    with pytest.raises(StackValidationFailed, match=r"Properties.project: text .HTTP 403"):
        script.run(prepare_create(script.io, Owned, {"project": "a"}), refuse(403, "Forbidden"))


def test_a_constraint_of_a_service_that_is_not_there(script: Any) -> None:
    text = "public endpoint for compute service in RegionOne region not found"
    missing = ServiceError("compute", 0, text, error_class="EndpointNotFound", text=text)
    with pytest.raises(StackValidationFailed) as caught:
        script.run(prepare_create(script.io, Owned, {"flavor": "m1"}), missing)
    assert str(caught.value) == f"Property error: Properties.flavor: {text}"


def test_the_test_constraint_takes_its_time(script: Any) -> None:
    test_type = registry.find("OS::Heat::TestResource")
    script.run(prepare_create(script.io, test_type, {"constraint_prop_secs": 2}))

    assert script.asked == [Sleep(2)]


def test_the_test_constraint_cannot_go_back_in_time(script: Any) -> None:
    test_type = registry.find("OS::Heat::TestResource")
    with pytest.raises(StackValidationFailed, match="sleep length must be non-negative"):
        script.run(prepare_create(script.io, test_type, {"constraint_prop_secs": -1}))


def test_translation_alone_checks_nothing(script: Any) -> None:
    data = {"project": "a", "flavor": "m1"}
    props = script.run(resolve_translations(script.io, Owned, data), project("a"))

    assert (props["project"], props["flavor"]) == ("id-a", "m1")


def test_translation_can_ignore_failures(script: Any) -> None:
    props = script.run(
        resolve_translations(script.io, Owned, {"project": "a"}, ignore_errors=True),
        MISSING,
        {"projects": []},
    )

    assert props["project"] == "a"


def test_an_ellipsis_counts_as_absent() -> None:
    assert bind(Owned, {"size": ...})["size"] == 1
    assert bind(Owned, {"size": "x"}, resolve=lambda tree: OMITTED)["size"] == 1


def test_stored_values_keep_names(view: Any) -> None:
    resource = Owned(view(properties={"project": "a", "size": "2"}))

    assert dict(stored_values(resource)) == {
        "project": "a",
        "others": None,
        "flavor": None,
        "size": 2,
    }


def test_validation_leaves_out_values_that_come_later() -> None:
    string = registry.find("OS::Heat::RandomString")
    how: dict[str, Any] = {"resolve": lambda tree: 0 if tree == "later" else tree}

    bind(string, {"length": "later"}, pending=lambda tree: tree == "later", **how).validate()
    with pytest.raises(StackValidationFailed, match="out of range"):
        bind(string, {"length": "later"}, **how).validate()


def test_properties_are_a_map_and_not_a_call() -> None:
    class GetParam:
        """Stands for a call."""

    assert bind(Owned, None)["size"] == 1
    with pytest.raises(TypeError, match="'GetParam' object is not iterable"):
        bind(Owned, GetParam())  # type: ignore[arg-type]  # what a template may hold all the same
