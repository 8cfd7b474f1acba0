"""The jobs of yaql."""

import pytest

from heat_core.isolation.expressions import evaluate_expression, parse_expression


def test_an_expression_sees_its_data() -> None:
    assert evaluate_expression("$.data.sum()", [1, 2], 200, 10000) == 3


def test_a_bad_expression() -> None:
    with pytest.raises(ValueError, match="Bad expression"):
        parse_expression("$.(", 200, 10000)
    parse_expression("$.data", 200, 10000)


def test_the_limits_are_those_given() -> None:
    assert len(evaluate_expression("range(20).toList()", None, 20, 10000)) == 20
    with pytest.raises(Exception, match="exceeds 10 elements"):
        evaluate_expression("range(20).toList()", None, 10, 10000)
