from __future__ import annotations

from typing import Any

import pytest

from heat_app.engine.arguments import StackOptions, column_filters


def test_nothing_given() -> None:
    assert StackOptions.from_args({}) == StackOptions()


def test_everything_given() -> None:
    options = StackOptions.from_args(
        {
            "timeout_mins": "5",
            "disable_rollback": False,
            "converge": "True",
            "tags": ["a", "b"],
            "adopt_stack_data": '{"heat_template_version": "2018-08-31", "resources": {}}',
            "existing": True,
        }
    )
    assert options == StackOptions(
        timeout_mins=5,
        disable_rollback=False,
        converge=True,
        tags=("a", "b"),
        adopt_stack_data={"heat_template_version": "2018-08-31", "resources": {}},
    )


@pytest.mark.parametrize("value", [0, "0", None, "soon", []])
def test_a_timeout_that_is_none(value: Any) -> None:
    assert StackOptions.from_args({"timeout_mins": value}).timeout_mins is None


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"timeout_mins": -1}, "Invalid timeout value -1"),
        (
            {"disable_rollback": 1},
            'Unrecognized value "1" for "disable_rollback", acceptable values are: true, false.',
        ),
        ({"tags": "a,b"}, "Invalid tags, not a list: a,b"),
        ({"tags": [1]}, 'Invalid tag, "1" is not a string'),
        ({"tags": ["x" * 81]}, f'Invalid tag, "{"x" * 81}" is longer than 80 characters'),
        ({"tags": ["a,b"]}, 'Invalid tag, "a,b" contains a comma'),
    ],
)
def test_wrong_arguments(args: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the text is compared below
        StackOptions.from_args(args)
    assert str(caught.value) == text


def test_adopt_data_that_does_not_parse() -> None:
    with pytest.raises(ValueError, match=r"^Invalid adopt data: "):
        StackOptions.from_args({"adopt_stack_data": "- a\n- b"})


@pytest.mark.parametrize(
    ("given", "columns"),
    [
        ({"name": "a"}, {"name": "a"}),
        ({"stack_name": "a"}, {"name": "a"}),
        ({"stack_name": ["a"], "name": "b"}, {"name": ["a", "b"]}),
        ({"stack_owner": "u", "parent": "p"}, {"username": "u", "owner_id": "p"}),
        ({"stack_status": "FAILED"}, {"status": "FAILED"}),
        ({"status": "CREATE_FAILED"}, {"status": "FAILED", "action": "CREATE"}),
        (
            {"status": ["CREATE_FAILED", "UPDATE_COMPLETE"], "action": "DELETE"},
            {"status": ["COMPLETE", "FAILED"], "action": ["CREATE", "DELETE", "UPDATE"]},
        ),
        ({"status": "nonsense"}, {"status": []}),
        ({"stack_name": ""}, {}),
    ],
)
def test_filters_become_columns(given: dict[str, Any], columns: dict[str, Any]) -> None:
    assert column_filters(given) == columns


def test_the_given_filters_stay_as_they_are() -> None:
    given = {"stack_name": "a", "status": "CREATE_FAILED"}
    column_filters(given)
    assert given == {"stack_name": "a", "status": "CREATE_FAILED"}
