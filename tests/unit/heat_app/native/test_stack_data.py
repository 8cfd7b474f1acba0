"""What a create or update body becomes, and the errors in the order in which they are told."""

from typing import Any

import pytest

from heat_app.native.faults import HTTPBadRequest
from heat_app.native.stack_data import StackData
from heat_core.errors import RequestLimitExceeded

HOT = {"heat_template_version": "2018-08-31"}
EMPTY_ENVIRONMENT: dict[str, Any] = {
    "parameters": {},
    "resource_registry": {},
    "parameter_defaults": {},
    "encrypted_param_names": [],
    "event_sinks": [],
}


def _data(body: dict[str, Any], *, patch: bool = False, limit: int = 524288) -> StackData:
    return StackData(body, patch=patch, max_template_size=limit)


def _refusal(data: StackData, part: str) -> str:
    with pytest.raises(HTTPBadRequest) as caught:
        getattr(data, part)()
    return str(caught.value)


def test_templates() -> None:
    assert _data({"template": HOT}).template() == HOT
    assert _data({"template": "heat_template_version: 2018-08-31"}).template() == HOT
    assert _data({"template": {}}).template() == {}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({}, "No template specified"),
        ({"template": None}, "No template specified"),
        (
            {"template": ""},
            "Template not in valid format: Template format version not found.",
        ),
        (
            {"template": "- a"},
            "Template not in valid format: The template is not a JSON object or YAML mapping.",
        ),
        ({"adopt_stack_data": "{}"}, "Invalid adopt data: 'template'"),
        (
            {"adopt_stack_data": "x"},
            "Invalid adopt data: The template is not a JSON object or YAML mapping.",
        ),
    ],
)
def test_no_usable_template(body: dict[str, Any], text: str) -> None:
    assert _refusal(_data(body), "template") == text


def test_a_template_may_be_somewhere_else() -> None:
    data = _data({"template_url": "http://h/t"})
    assert data.template_url() == "http://h/t"
    assert data.template(b"heat_template_version: 2018-08-31") == {
        "heat_template_version": "2018-08-31"
    }
    with pytest.raises(HTTPBadRequest) as caught:
        data.template(b"a: \xff")
    assert str(caught.value).startswith(
        "Template not in valid format: Error parsing template [root stack] unacceptable character"
    )


@pytest.mark.parametrize("other", ["template", "adopt_stack_data"])
def test_a_template_in_the_request_comes_first(other: str) -> None:
    assert _data({"template_url": "http://h/t", other: "x"}).template_url() is None
    assert _data({}).template_url() is None


def test_a_template_of_the_wrong_type() -> None:
    for value in (5, [1], True):
        with pytest.raises(TypeError):
            _data({"template": value}).template()


def test_adopt_data_hold_the_template() -> None:
    data = _data({"adopt_stack_data": '{"template": {"a": 1}}', "template": HOT})
    assert data.template() == {"a": 1}


def test_template_size() -> None:
    with pytest.raises(RequestLimitExceeded) as caught:
        _data({"template": {"a": "b"}}, limit=9).template()
    assert str(caught.value) == (
        "Request limit exceeded: Template size (10 bytes) exceeds maximum allowed size (9 bytes)."
    )
    with pytest.raises(RequestLimitExceeded):
        _data({"template": "a" * 10}, limit=9).template()


def test_a_patch_needs_no_template() -> None:
    assert _data({}, patch=True).template() is None
    assert _data({"template": HOT}, patch=True).template() == HOT


def test_environments() -> None:
    assert _data({}).environment() == EMPTY_ENVIRONMENT
    assert _data({"environment": None}).environment() == EMPTY_ENVIRONMENT
    assert _data({"environment": "parameters: {a: 1}"}).environment()["parameters"] == {"a": 1}
    kept = _data({"environment": {"parameter_merge_strategies": {"a": "merge"}}}).environment()
    assert kept == {**EMPTY_ENVIRONMENT, "parameter_merge_strategies": {"a": "merge"}}


def test_parameters_of_the_body_win() -> None:
    body = {"environment": {"parameters": {"a": 1, "b": 2}}, "parameters": {"b": 3}}
    assert _data(body).environment()["parameters"] == {"a": 1, "b": 3}


def test_environment_files_replace_the_environment() -> None:
    body = {"environment": {"x": 1}, "environment_files": ["e"], "parameters": {"b": 3}}
    assert _data(body).environment() == {**EMPTY_ENVIRONMENT, "parameters": {"b": 3}}
    assert _refusal(_data({**body, "environment_files": []}), "environment") == (
        'Environment not in valid format: environment has wrong section "x"'
    )


@pytest.mark.parametrize(
    ("environment", "text"),
    [
        ("a", "The environment is not a valid YAML mapping data type."),
        ({"parameters": None}, 'environment has empty section "parameters"'),
        ("parameters:", 'environment has empty section "parameters"'),
    ],
)
def test_bad_environments(environment: Any, text: str) -> None:
    data = _data({"environment": environment})
    assert _refusal(data, "environment") == f"Environment not in valid format: {text}"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"environment": 5}, TypeError),
        ({"environment": [1]}, TypeError),
        ({"environment": {"parameters": "x"}}, AttributeError),
        ({"parameters": None}, TypeError),
        ({"parameters": "abc"}, ValueError),
    ],
)
def test_values_that_python_refuses(body: dict[str, Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        _data(body).environment()


def test_arguments() -> None:
    body = {
        "stack_name": "s",
        "template": HOT,
        "files": {"f": "x"},
        "files_container": "c",
        "environment_files": ["f"],
        "timeout_mins": "5",
        "tags": "a,b",
        "disable_rollback": True,
        "anything": [1],
    }
    data = _data(body)
    assert data.arguments() == {
        "timeout_mins": 5,
        "tags": ["a", "b"],
        "disable_rollback": True,
        "anything": [1],
    }
    assert (data.stack_name(), data.files()) == ("s", {"f": "x"})
    assert (data.files_container(), data.environment_files()) == ("c", ["f"])
    assert _data({}, patch=True).arguments(is_update=True) == {"existing": True}
    assert _data({"tags": None, "timeout_mins": None}).arguments() == {
        "tags": None,
        "timeout_mins": None,
    }


def test_converge_is_for_updates() -> None:
    assert _data({"converge": True}).arguments(is_update=True) == {"converge": True}
    assert _refusal(_data({"converge": False}), "arguments") == (
        "converge flag only supported in stack update (or update preview) request."
    )


def test_the_name_must_be_there() -> None:
    assert _refusal(_data({}), "stack_name") == "No stack name specified"
    assert _data({"stack_name": None}).stack_name() is None
