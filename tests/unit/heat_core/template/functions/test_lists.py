"""list_concat, list_concat_unique, filter."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed


@pytest.mark.parametrize(
    ("snippet", "value"),
    [
        ({"list_concat": [["a"], None, ["b", "a"]]}, ["a", "b", "a"]),
        ({"list_concat_unique": [["a", {"k": 1}], ["b", "a", {"k": 1}]]}, ["a", {"k": 1}, "b"]),
        ({"filter": [["a", None], ["a", "b", None]]}, ["b"]),
        ({"filter": [None, ["a"]]}, ["a"]),
        ({"filter": [["a"], None]}, None),
        ({"filter": [{"get_param": "l"}, ["x", "z"]]}, ["z"]),
    ],
)
def test_values(stage: Any, snippet: Any, value: Any) -> None:
    assert stage.resolve(snippet) == value


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ({"list_concat": "ab"}, 'Incorrect arguments to "list_concat" should be'),
        (
            {"list_concat": [["a"], "b"]},
            'Items to concat must be lists. [["a"], "b"] contains an item that is not a list: "b"',
        ),
        ({"filter": [["a"], {"get_param": "p"}]}, '"filter" only works with lists'),
        ({"filter": [{"get_param": "p"}, ["a"]]}, '"filter" filters a list of values'),
    ],
)
def test_resolving_refuses(stage: Any, snippet: Any, text: str) -> None:
    with pytest.raises(TypeError) as caught:
        stage.resolve(snippet)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("args", "text"),
    [("x", "must be a list"), ([[1]], "expected 2 arguments of the form [values, sequence] but")],
)
def test_filter_wants_two_arguments(stage: Any, args: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        stage.parse({"filter": args})
    assert text in str(caught.value)
