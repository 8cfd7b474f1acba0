"""All the parameters of a stack."""

from typing import Any

import pytest

from heat_core.errors import InvalidSchemaError, UnknownUserParameter, UserParameterMissing
from heat_core.parameters import Parameters
from heat_core.stack import HeatIdentifier
from heat_core.template import version_of

HOT = version_of({"heat_template_version": "2018-08-31"})
IDENTITY = HeatIdentifier("project", "name", "id")


def _parameters(section: Any, values: Any = None, defaults: Any = None) -> Parameters:
    return Parameters.of(HOT, section, IDENTITY, values, defaults)


def test_a_mapping_with_the_pseudo_parameters_first() -> None:
    parameters = _parameters({"a": {"type": "number", "default": 1}}, {"a": "2"})
    assert dict(parameters) == {
        "OS::stack_id": "id",
        "OS::project_id": "project",
        "OS::stack_name": "name",
        "a": 2,
    }
    assert "a" in parameters
    assert "b" not in parameters
    assert len(parameters) == 4
    assert parameters.get_parameter("a").user_value == "2"
    assert [one.name for one in parameters.of_template()] == ["a"]
    assert next(iter(parameters.all())).name == "OS::stack_id"


def test_unknown_names_come_before_everything_else() -> None:
    parameters = _parameters({"a": {"type": "string"}}, {"b": 1})
    with pytest.raises(UnknownUserParameter, match=r"The Parameter \(b\) was not defined"):
        parameters.validate()
    with pytest.raises(UnknownUserParameter):
        _parameters({}, {"OS::stack_name": "x"}).validate()


def test_then_each_in_its_order() -> None:
    section = {"a": {"type": "string"}, "b": {"type": "string", "default": 1}}
    with pytest.raises(UserParameterMissing, match="a"):
        _parameters(section).validate()
    _parameters(section).validate(check_values=False)
    _parameters(section, {"a": "x"}).validate()
    with pytest.raises(InvalidSchemaError):
        _parameters({"a": {"type": "nope"}})


def test_environment_defaults_reach_pseudo_parameters_too() -> None:
    parameters = _parameters({"a": {"type": "string"}}, {}, {"a": "d", "OS::stack_name": "other"})
    assert parameters["a"] == "d"
    assert parameters["OS::stack_name"] == "other"


def test_shown_leaves_out_what_has_no_value() -> None:
    section = {
        "a": {"type": "string"},
        "b": {"type": "comma_delimited_list", "default": "x,y"},
        "c": {"type": "string", "default": "s", "hidden": True},
    }
    assert _parameters(section).shown() == {
        "OS::stack_id": "id",
        "OS::project_id": "project",
        "OS::stack_name": "name",
        "b": "x,y",
        "c": "******",
    }


def test_immutable_parameters() -> None:
    fixed = {"a": {"type": "string", "default": "x", "immutable": True}}
    free = {"a": {"type": "string", "default": "x"}}
    changed = _parameters(fixed, {"a": "y"})
    assert _parameters(free).immutable_changed(changed, {"a": "y"}) == ["a"]
    assert _parameters(free).immutable_changed(_parameters(fixed), {}) == []
    assert _parameters(fixed).immutable_changed(_parameters(free, {"a": "y"}), {"a": "y"}) == []
    assert _parameters({}).immutable_changed(changed, {"a": "y"}) == []
