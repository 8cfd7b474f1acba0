"""Conditions."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed, UserParameterMissing
from heat_core.stack import StackDefinition
from heat_core.template import Conditions, Template


def _conditions(section: Any) -> Conditions:
    document = {
        "heat_template_version": "2018-08-31",
        "conditions": section,
        "parameters": {"missing": {"type": "string"}, "e": {"type": "string", "default": "prod"}},
    }
    return StackDefinition.build(Template(document), stack_name="s").conditions


def test_conditions_name_each_other() -> None:
    conditions = _conditions(
        {"a": {"equals": [{"get_param": "e"}, "prod"]}, "b": {"not": "a"}, "c": {"or": ["b", "a"]}}
    )
    conditions.validate()
    assert {name: conditions.is_enabled(name) for name in conditions} == {
        "a": True,
        "b": False,
        "c": True,
    }
    assert "a" in conditions
    assert conditions.is_enabled(None) is True
    assert conditions.is_enabled(False) is False


@pytest.mark.parametrize("name", ["ghost", 5, ["a"]])
def test_an_unknown_name_is_refused(name: Any) -> None:
    with pytest.raises(ValueError, match="Invalid condition"):
        _conditions({"a": True}).is_enabled(name)


def test_a_circle_is_refused_every_time() -> None:
    conditions = _conditions({"a": {"not": "b"}, "b": {"not": "a"}})
    for _ in range(2):
        with pytest.raises(StackValidationFailed) as caught:
            conditions.is_enabled("a")
        assert str(caught.value) == (
            'Condition validation error: Circular definition for condition "a"'
        )


def test_a_failure_is_the_same_every_time() -> None:
    conditions = _conditions({"a": {"equals": [{"get_param": "missing"}, 1]}})
    for _ in range(2):
        with pytest.raises(UserParameterMissing):
            conditions.is_enabled("a")


@pytest.mark.parametrize("definition", ["text", 5, {"a": 1, "b": 2}, None])
def test_a_definition_is_a_boolean_or_a_call(definition: Any) -> None:
    with pytest.raises(StackValidationFailed, match='The definition of condition "a" is invalid'):
        _conditions({"a": definition}).validate()


def test_a_definition_has_to_come_out_a_boolean() -> None:
    with pytest.raises(StackValidationFailed, match='The definition of condition "a" is invalid'):
        _conditions({"a": {"get_param": "e"}}).is_enabled("a")


@pytest.mark.parametrize("section", [["a"], "a", {5: True}])
def test_the_section_is_a_map_of_names(section: Any) -> None:
    with pytest.raises(StackValidationFailed, match="Conditions validation error"):
        _conditions(section)
