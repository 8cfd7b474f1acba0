"""Text functions."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed


@pytest.mark.parametrize(
    ("template", "params", "value"),
    [
        ("a X b", {"X": 1}, "a 1 b"),
        ("ab a", {"a": "1", "ab": "2"}, "2 1"),
        ("XY", {"X": "Y", "Y": "Z"}, "YZ"),
        ("none X", {"X": None}, "none "),
        ("true X", {"X": True}, "true True"),
        ("json X", {"X": {"b": 1, "a": [2]}}, 'json {"a": [2], "b": 1}'),
        ("untouched", {}, "untouched"),
    ],
)
def test_str_replace(stage: Any, template: str, params: Any, value: str) -> None:
    assert stage.resolve({"str_replace": {"template": template, "params": params}}) == value


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        ("str_replace", {"template": 5, "params": {}}, '"str_replace" template must be a string'),
        (
            "str_replace",
            {"template": "x", "params": {"get_param": "p"}},
            '"str_replace" params must be a map',
        ),
        ("str_replace", {"template": "x", "params": {b"x": "a"}}, "placeholders must be strings"),
        (
            "str_replace_strict",
            {"template": "x", "params": {"yy": 1, "z": 2}},
            "The following params were not found in the template: yy,z",
        ),
        (
            "str_replace_vstrict",
            {"template": "x", "params": {"x": ""}},
            "str_replace_vstrict has an undefined or empty value for param x",
        ),
        (
            "str_replace_vstrict",
            {"template": "x", "params": {"x": []}},
            "str_replace_vstrict has an undefined or empty value for param x",
        ),
        (
            "str_replace_vstrict",
            {"template": "x", "params": {"x": None}},
            "str_replace_vstrict has an undefined or empty value for param x",
        ),
        ("list_join", [1, ["a"]], '"list_join" delimiter must be a string'),
        ("list_join", [",", "ab"], '"list_join" must operate on a list'),
        ("list_join", [",", [1.5]], "Items to join must be string, map or list not 1.5"),
        ("str_split", [",", "a,b", 9], "should be between 0 and 1"),
        ("str_split", [",", "a,b", "x"], 'Incorrect index to "str_split" should be'),
        ("str_split", [","], 'Incorrect arguments to "str_split"'),
    ],
)
def test_resolving_refuses(stage: Any, function: str, args: Any, text: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        stage.resolve({function: args})
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        ("str_replace", "x", 'Arguments to "str_replace" must be a map'),
        ("str_replace", {"template": "x"}, "syntax should be str_replace:"),
        ("str_replace", {"template": "x", "params": []}, "parameters must be a mapping"),
        ("list_join", "x", 'Incorrect arguments to "list_join"'),
        ("list_join", [","], 'Incorrect arguments to "list_join"'),
        ("str_split", "x", 'Incorrect arguments to "str_split"'),
    ],
)
def test_parsing_refuses(stage: Any, function: str, args: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        stage.parse({function: args})
    assert text in str(caught.value)


def test_the_first_str_replace_takes_no_maps(make_stage: Any) -> None:
    stage = make_stage("2013-05-23")
    snippet = {"str_replace": {"template": "x", "params": {"x": {"a": 1}}}}
    with pytest.raises(TypeError, match="params must be strings or numbers, param x is not valid"):
        stage.resolve(snippet)
    assert stage.resolve({"str_replace": {"template": "x", "params": {"x": None}}}) == ""


@pytest.mark.parametrize(
    ("args", "value"),
    [
        ([",", ["a", None, "b"]], "a,,b"),
        ([",", ["a"], None, ["b", {"k": 1}]], 'a,b,{"k": 1}'),
        (["-", {"get_param": "l"}], "x-y"),
    ],
)
def test_list_join(stage: Any, args: Any, value: str) -> None:
    assert stage.resolve({"list_join": args}) == value


def test_the_first_list_join_takes_one_list_of_text(make_stage: Any) -> None:
    stage = make_stage("2013-05-23")
    assert stage.resolve({"list_join": [",", ["a", None]]}) == "a,"
    assert stage.resolve({"Fn::Join": [",", {"get_attr": ["srv", "tags"]}]}) == "a,b"
    with pytest.raises(TypeError, match="Items to join must be strings not 1"):
        stage.resolve({"list_join": [",", [1]]})
    with pytest.raises(StackValidationFailed):
        stage.parse({"list_join": [",", ["a"], ["b"]]})


@pytest.mark.parametrize(
    ("args", "value"),
    [
        ([",", "a,b"], ["a", "b"]),
        ([",", "a,b", 1], "b"),
        ([",", "a,b", "-1"], "b"),
        ([",", None], None),
    ],
)
def test_str_split(stage: Any, args: Any, value: Any) -> None:
    assert stage.resolve({"str_split": args}) == value


def test_cfn_replace(cfn_stage: Any) -> None:
    assert cfn_stage.resolve({"Fn::Replace": [{"$a": "1"}, "x $a"]}) == "x 1"
    for args in ("x", [{}], {"a": 1}):
        with pytest.raises(StackValidationFailed, match="Incorrect arguments to"):
            cfn_stage.parse({"Fn::Replace": args})
