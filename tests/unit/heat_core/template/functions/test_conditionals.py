"""if, and, or, not, equals, contains."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.template import OMITTED, Macro, dependencies, parse, resolve, validate


def _condition(stage: Any, snippet: Any) -> Any:
    scope = stage.definition.scope
    return resolve(parse(scope.version.condition_table, scope, snippet), stage.at)


def test_if_parses_only_the_branch_that_it_takes(stage: Any) -> None:
    assert stage.resolve({"if": ["yes", "a", {"get_file": {"bad": 1}}]}) == "a"
    assert stage.resolve({"if": ["no", {"list_join": 5}, "b"]}) == "b"
    assert stage.resolve({"if": [True, 1, 2]}) == 1
    assert stage.resolve({"if": [{"not": "no"}, 1, 2]}) == 1
    with pytest.raises(StackValidationFailed, match=r"value\.if\.list_join"):
        stage.parse({"if": ["yes", {"list_join": 5}, "b"]})


def test_a_two_armed_if_leaves_the_value_out(stage: Any) -> None:
    gone = {"if": ["no", 1]}
    assert stage.resolve({"a": gone, "b": [gone, 2], "c": 3}) == {"b": [2], "c": 3}
    assert stage.resolve(gone) is None
    tree = stage.parse(gone)
    assert isinstance(tree, Macro)
    assert tree.parsed is OMITTED
    validate(tree, stage.at)
    assert list(dependencies(tree, stage.at)) == []


def test_the_first_if_wants_three_arguments(make_stage: Any) -> None:
    for args in (["yes", 1], "yes", [], {"a": 1}, ["yes", 1, 2, 3]):
        with pytest.raises(StackValidationFailed, match="must be of the form: "):
            make_stage("2016-10-14").parse({"if": args})


def test_an_unknown_condition_is_refused(stage: Any) -> None:
    with pytest.raises(StackValidationFailed, match='Invalid condition "ghost"'):
        stage.parse({"if": ["ghost", 1, 2]})


@pytest.mark.parametrize(
    ("snippet", "value"),
    [
        ({"and": ["yes", True]}, True),
        ({"and": ["yes", "no"]}, False),
        ({"or": ["no", "yes"]}, True),
        ({"or": ["no", False]}, False),
        ({"not": "no"}, True),
        ({"not": {"equals": [{"get_param": "n"}, 7]}}, False),
        ({"equals": ["hello", {"get_param": "p"}]}, True),
        ({"equals": [1, True]}, True),
        ({"contains": ["x", {"get_param": "l"}]}, True),
        ({"contains": ["el", "hello"]}, True),
        ({"contains": ["z", ["a"]]}, False),
    ],
)
def test_conditions(stage: Any, snippet: Any, value: bool) -> None:
    assert _condition(stage, snippet) is value


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ({"and": 5}, 'Arguments to "and" must be a list of conditions'),
        ({"or": ["yes"]}, 'The minimum number of condition arguments to "or" is 2.'),
        ({"not": None}, 'Argument to "not" must be a condition'),
        ({"equals": ["a"]}, 'Arguments to "equals" must be of the form: [value_1, value_2]'),
        ({"contains": []}, 'Incorrect arguments to "contains"'),
        ({"contains": ["a"]}, 'Arguments to "contains" must be of the form: [value1, ['),
        ({"get_resource": "srv"}, 'The function "get_resource" is invalid in this context'),
    ],
)
def test_bad_conditions_fail_at_once(stage: Any, snippet: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        _condition(stage, snippet)
    assert text in str(caught.value)


def test_contains_wants_a_sequence(stage: Any) -> None:
    with pytest.raises(TypeError, match='Second argument to "contains" should be a sequence'):
        stage.resolve({"contains": ["a", {"get_param": "j"}]})


def test_cfn_not_takes_a_list_of_one(cfn_stage: Any) -> None:
    assert _condition(cfn_stage, {"Fn::Not": ["Yes"]}) is False
    for args in ("Yes", [], ["Yes", "Yes"], {"a": 1}):
        with pytest.raises(StackValidationFailed, match=r"must be of the form: \[condition\]"):
            _condition(cfn_stage, {"Fn::Not": args})
