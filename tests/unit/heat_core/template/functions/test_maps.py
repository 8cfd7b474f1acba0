"""map_merge, map_replace."""

from typing import Any

import pytest


@pytest.mark.parametrize(
    ("snippet", "value"),
    [
        ({"map_merge": [{"a": 1}, None, {"a": 2, "b": 3}]}, {"a": 2, "b": 3}),
        ({"map_replace": [{"a": 1}, {"keys": {"a": "A"}}]}, {"A": 1}),
        ({"map_replace": [{"a": "x"}, {"values": {"x": "y"}}]}, {"a": "y"}),
        ({"map_replace": [{"a": ["x"]}, {"values": {"x": "y"}}]}, {"a": ["x"]}),
        ({"map_replace": [{"a": 1}, None]}, {"a": 1}),
        ({"map_replace": [None, {}]}, {}),
    ],
)
def test_values(stage: Any, snippet: Any, value: Any) -> None:
    assert stage.resolve(snippet) == value


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        ({"map_merge": 5}, 'Incorrect arguments to "map_merge" should be'),
        ({"map_merge": ["x"]}, "Items to merge must be maps. 'x' is type <class 'str'> instead"),
        ({"map_replace": [{"a": 1}]}, 'Incorrect arguments to "map_replace" should be'),
        ({"map_replace": []}, 'Incorrect arguments to "map_replace" should be'),
        ({"map_replace": [{}, {}, {}]}, 'Incorrect arguments to "map_replace" should be'),
        ({"map_replace": [5, {}]}, "arguments must be a list of maps"),
        ({"map_replace": [{}, {"zzz": {}}]}, 'Incorrect arguments to "map_replace" should be'),
        (
            {"map_replace": [{"a": 1, "b": 2}, {"keys": {"a": "b"}}]},
            "key replacement b collides with a key in the input map",
        ),
        (
            {"map_replace": [{"a": 1, "b": 2}, {"keys": {"a": "c", "b": "c"}}]},
            "key replacement c collides with a key in the output map",
        ),
    ],
)
def test_resolving_refuses(stage: Any, snippet: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        stage.resolve(snippet)
    assert text in str(caught.value)


def test_a_map_has_no_first_member(stage: Any) -> None:
    with pytest.raises(KeyError):
        stage.resolve({"map_replace": {"a": 1, "b": 2}})
