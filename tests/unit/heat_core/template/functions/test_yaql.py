"""yaql."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.template import validate


def test_an_expression_sees_its_data(stage: Any) -> None:
    snippet = {"yaql": {"expression": "$.data.l.len() + $.data.n", "data": {"l": [1, 2], "n": 3}}}
    assert stage.resolve(snippet) == 5
    assert stage.resolve({"yaql": {"expression": "$.data"}}) == {}


def test_the_expression_may_be_a_parameter(make_stage: Any) -> None:
    stage = make_stage(p="$.data.sum()")
    snippet = {"yaql": {"expression": {"get_param": "p"}, "data": [1, 2]}}
    validate(stage.parse(snippet), stage.at)
    assert stage.resolve(snippet) == 3


def test_a_bad_expression_fails_validation(stage: Any) -> None:
    with pytest.raises(StackValidationFailed, match=r"Bad expression .*"):
        validate(stage.parse({"yaql": {"expression": "$.data.("}}), stage.at)
    with pytest.raises(StackValidationFailed, match="must contain a string"):
        validate(stage.parse({"yaql": {"expression": 5}}), stage.at)


def test_iterators_are_limited(stage: Any) -> None:
    from yaql.language.exceptions import CollectionTooLargeException

    with pytest.raises(CollectionTooLargeException):
        stage.resolve({"yaql": {"expression": "range(1000).toList()"}})


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (5, 'Arguments to "yaql" must be a map.'),
        ({"data": 1, "other": 2}, '"yaql" syntax should be yaql:'),
        ({"expression": "$", "other": 2}, '"yaql" syntax should be yaql:'),
    ],
)
def test_parsing_refuses(stage: Any, args: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        stage.parse({"yaql": args})
    assert text in str(caught.value)
