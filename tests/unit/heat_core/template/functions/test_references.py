"""get_param, get_resource, get_attr."""

from typing import Any

import pytest

from heat_core.errors import (
    InvalidTemplateAttribute,
    InvalidTemplateReference,
    StackValidationFailed,
    UserParameterMissing,
)
from heat_core.stack import NodeData
from heat_core.template import ALL_ATTRIBUTES, attribute_references, dependencies, validate
from heat_core.template.functions.references import select_path


@pytest.mark.parametrize(
    ("args", "value"),
    [
        ("p", "hello"),
        (["j", "k", "deep", "1", "z"], "end"),
        (["j", "k", "deep", 0], 10),
        (["j", "nowhere"], ""),
        (["l", "x"], ""),
        (["n", "x"], ""),
        (["j", {"a": 1}], ""),
        ("OS::stack_name", "demo"),
        ("OS::stack_id", "id-1"),
        ("OS::project_id", "project-1"),
    ],
)
def test_get_param(stage: Any, args: Any, value: Any) -> None:
    assert stage.resolve({"get_param": args}) == value


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ("ghost", UserParameterMissing, "The Parameter (ghost) was not provided."),
        ("missing", UserParameterMissing, "The Parameter (missing) was not provided."),
        ([], ValueError, 'Function "get_param" must have arguments'),
        ({"a": 1}, TypeError, 'Argument to "get_param" must be string or list'),
        ([1], TypeError, 'Parameter name in "get_param" must be string'),
    ],
)
def test_get_param_refuses(stage: Any, args: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        stage.resolve({"get_param": args})
    assert str(caught.value) == text


def test_get_resource_gives_the_reference_or_the_name(make_stage: Any) -> None:
    assert make_stage().resolve({"get_resource": "srv"}) == "srv-id"
    assert make_stage(nodes={}).resolve({"get_resource": "srv"}) == "srv"


@pytest.mark.parametrize("name", ["ghost", "off", None])
def test_a_resource_that_is_not_there_is_a_bad_reference(stage: Any, name: Any) -> None:
    tree = stage.parse({"a": [{"get_resource": name}]})
    with pytest.raises(InvalidTemplateReference):
        stage.resolve({"get_resource": name})
    with pytest.raises(InvalidTemplateReference, match=r"in x\.a\[0\]"):
        list(dependencies(tree, stage.at, "x"))


@pytest.mark.parametrize(
    ("args", "value"),
    [
        (["srv", "name"], "web"),
        (["srv", "tags", 1], "b"),
        (["srv"], {"name": "web", "tags": ["a", "b"], "bad": ...}),
    ],
)
def test_get_attr(make_stage: Any, args: Any, value: Any) -> None:
    node = make_stage().at.nodes["srv"]
    attributes = {key: item for key, item in node.attributes.items() if key != "bad"}
    node = NodeData(node.id, "srv", "u", "srv-id", attributes, "CREATE", "COMPLETE")
    stage = make_stage(nodes={"srv": node})
    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if item is not ...}
    assert stage.resolve({"get_attr": args}) == value


def test_get_attr_of_a_resource_that_is_not_made_is_null(make_stage: Any) -> None:
    before = NodeData(1, "srv", "u", "srv", {"name": None})  # type: ignore[arg-type]  # any number
    for nodes in ({}, {"srv": before}):
        stage = make_stage(nodes=nodes)
        assert stage.resolve({"get_attr": ["srv", "name"]}) is None
        assert stage.resolve({"get_attr": ["srv"]}) is None


def test_get_attr_raises_what_reading_the_attribute_raised(stage: Any) -> None:
    with pytest.raises(ValueError, match="no such luck"):
        stage.resolve({"get_attr": ["srv", "bad"]})
    with pytest.raises(ValueError, match="no such luck"):
        stage.resolve({"get_attr": ["srv"]})
    with pytest.raises(InvalidTemplateAttribute, match=r"\(srv nope\)"):
        stage.resolve({"get_attr": ["srv", "nope"]})


def test_the_first_get_attr_follows_the_path_in_the_whole_value(make_stage: Any) -> None:
    stage = make_stage("2013-05-23")
    assert stage.resolve({"get_attr": ["srv", "tags", 0]}) == "a"
    assert stage.resolve({"get_attr": ["srv", "tags", 7]}) is None
    tree = stage.parse({"get_attr": ["srv", "tags", 0]})
    assert list(attribute_references(tree, stage.at)) == [("srv", "tags")]
    assert make_stage("2013-05-23", nodes={}).resolve({"get_attr": ["srv", "tags"]}) is None


def test_references_name_the_path_or_everything(stage: Any) -> None:
    tree = stage.parse(
        [{"get_attr": ["srv", "tags", 1]}, {"get_attr": ["srv"]}, {"get_attr": ["srv", "name"]}]
    )
    assert list(attribute_references(tree, stage.at)) == [
        ("srv", ("tags", 1)),
        ("srv", ALL_ATTRIBUTES),
        ("srv", "name"),
    ]
    assert list(dependencies(tree, stage.at)) == ["srv", "srv", "srv"]


def test_a_reference_whose_name_cannot_be_known_is_left_out(stage: Any) -> None:
    tree = stage.parse({"get_attr": [{"get_param": "missing"}, "name"]})
    assert list(attribute_references(tree, stage.at)) == []


def test_validation_wants_a_known_attribute(stage: Any) -> None:
    validate(stage.parse({"get_attr": ["srv", "name"]}), stage.at)
    validate(stage.parse({"get_attr": ["srv"]}), stage.at)
    with pytest.raises(StackValidationFailed) as caught:
        validate(stage.parse({"get_attr": ["srv", "nope"]}), stage.at, ["Value"])
    assert str(caught.value) == (
        "Value.get_attr: The Referenced Attribute (srv nope) is incorrect."
    )


@pytest.mark.parametrize(
    ("version", "args", "text"),
    [
        ("2021-04-16", "srv", 'Argument to "get_attr" must be a list'),
        ("2021-04-16", [], "can be of the next forms: [resource_name] or"),
        ("2021-04-16", 5, 'Argument to "get_attr" must be a list'),
        ("2013-05-23", ["srv"], "must be of the form [resource_name, attribute, (path), ...]"),
        ("2013-05-23", 5, 'Argument to "get_attr" must be a list'),
    ],
)
def test_bad_arguments_fail_at_once(make_stage: Any, version: str, args: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        make_stage(version).parse({"get_attr": args})
    assert str(caught.value).startswith("outputs.probe.value.get_attr: ")
    assert text in str(caught.value)


def test_a_path_in_a_value_is_followed_or_leads_to_null() -> None:
    assert select_path({"a": [1, {"b": 2}]}, ["a", 1, "b"]) == 2
    assert select_path({"a": [1]}, ["a", "0"]) is None
    assert select_path({"a": 5}, ["a", "b"]) is None
    assert select_path({"a": 5}, [{"b": 1}]) is None
    assert select_path("text", [0]) == "t"
