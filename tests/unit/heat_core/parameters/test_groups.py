"""Parameter groups."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.parameters import validate_groups


def test_groups_that_hold() -> None:
    validate_groups(None, {"a"})
    validate_groups([], {"a"})
    validate_groups([{"label": "g", "parameters": ["a"]}, {"parameters": []}], {"a", "b"})


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ("x", "parameter_groups: The parameter_groups should be a list."),
        (
            [{"label": "g"}],
            "parameter_groups.g: The parameters must be provided for each parameter group.",
        ),
        (
            [{"label": "g", "parameters": "a"}],
            "parameter_groups.g: The parameters of parameter group should be a list.",
        ),
        (
            [{"parameters": ["a"]}, {"label": "h", "parameters": ["a"]}],
            "parameter_groups.h: The a parameter must be assigned to one parameter group only.",
        ),
        (
            [{"label": "g", "parameters": [["x"]]}],
            "parameter_groups.g: The grouped parameter ['x'] does not reference a valid parameter.",
        ),
    ],
)
def test_groups_that_do_not(groups: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        validate_groups(groups, ["a", "b"])
    assert str(caught.value) == f"Parameter Groups error: {text}"
