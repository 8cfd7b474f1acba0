"""Removed and invalid functions."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.template import validate


def test_a_removed_function_stays_as_it_stands_and_fails_validation(make_stage: Any) -> None:
    stage = make_stage("2018-08-31")
    snippet = {"Fn::Split": [",", "a,b"]}
    assert stage.resolve(snippet) == snippet
    with pytest.raises(StackValidationFailed) as caught:
        validate(stage.parse(snippet), stage.at, ["Value"])
    assert str(caught.value) == (
        "Value.Fn::Split: The template version is invalid: "
        "The function Fn::Split is not supported in this version of HOT."
    )
