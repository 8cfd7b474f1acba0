"""Values of one parameter."""

from typing import Any

import pytest

from heat_core.errors import InvalidSchemaError, StackValidationFailed, UserParameterMissing
from heat_core.parameters import Parameter, read_schemata
from heat_core.template import version_of

HOT = version_of({"heat_template_version": "2018-08-31"})


def _parameter(kind: str, value: Any = None, user_default: Any = None, **more: Any) -> Parameter:
    schema = read_schemata(HOT, {"p": {"type": kind, **more}})["p"]
    return Parameter("p", schema, value, user_default)


@pytest.mark.parametrize(
    ("kind", "given", "value", "shown"),
    [
        ("string", "x", "x", "x"),
        ("string", True, "True", "True"),
        ("string", [1], "[1]", "[1]"),
        ("number", "7", 7, "7"),
        ("number", " 7 ", 7, "7"),
        ("number", "1e3", 1000.0, "1000.0"),
        ("number", True, True, "True"),
        ("boolean", "yes", True, "True"),
        ("boolean", "OFF", False, "False"),
        ("boolean", 1, True, "True"),
        ("comma_delimited_list", "a, b", ["a", " b"], "a, b"),
        ("comma_delimited_list", "", [], ""),
        ("comma_delimited_list", [1, None], ["1", "None"], "1,None"),
        ("json", '{"a": 1}', {"a": 1}, '{"a": 1}'),
        ("json", [1], [1], "[1]"),
        ("json", "", "", '""'),
    ],
)
def test_values(kind: str, given: Any, value: Any, shown: str) -> None:
    parameter = _parameter(kind, given)
    parameter.validate()
    assert parameter.value() == value
    assert type(parameter.value()) is type(value)
    assert parameter.shown() == shown


@pytest.mark.parametrize(
    ("kind", "given", "text"),
    [
        ("number", "x", "could not convert string to float: 'x'"),
        ("number", [1], "int() argument must be"),
        ("boolean", "maybe", "Unrecognized value 'maybe', acceptable values are: '0', '1', 'f'"),
        ("comma_delimited_list", 5, "Value must be a comma-delimited list string: 'int' object"),
        ("json", "{", "Value must be valid JSON: Expecting property name enclosed in double"),
    ],
)
def test_values_that_cannot_be_read(kind: str, given: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        _parameter(kind, given).validate()
    assert str(caught.value).startswith("Parameter 'p' is invalid: ")
    assert text in str(caught.value)
    _parameter(kind, given).validate(check_value=False)


def test_the_users_value_then_the_environments_then_the_templates() -> None:
    assert _parameter("string", "u", "e", default="t").value() == "u"
    assert _parameter("string", None, "e", default="t").value() == "e"
    assert _parameter("string", None, None, default="t").value() == "t"
    assert _parameter("string", default="t").has_value


def test_a_missing_value() -> None:
    parameter = _parameter("string")
    assert not parameter.has_value
    for ask in (parameter.value, parameter.shown, parameter.validate):
        with pytest.raises(UserParameterMissing, match=r"The Parameter \(p\) was not provided"):
            ask()
    with pytest.raises(ValueError, match="Unrecognized value 'None'"):
        _parameter("boolean").value()


def test_constraints_are_checked() -> None:
    constraint = [{"range": {"max": 3}}]
    with pytest.raises(StackValidationFailed) as caught:
        _parameter("number", 5, constraints=constraint).validate()
    assert str(caught.value) == ("Parameter 'p' is invalid: 5 is out of range (min: None, max: 3)")
    with pytest.raises(InvalidSchemaError, match="Parameter 'p' is invalid: Range constraint"):
        _parameter("string", "x", constraints=constraint).validate()


def test_a_hidden_value_is_masked_in_what_is_shown_only() -> None:
    parameter = _parameter("string", "secret", hidden=True)
    assert parameter.value() == "secret"
    assert parameter.shown() == "******"
    assert parameter.hidden is True


def test_descriptions() -> None:
    assert (_parameter("string").label, _parameter("string").description) == ("p", "")
    full = _parameter("string", label="L", description="D")
    assert (full.label, full.description) == ("L", "D")
