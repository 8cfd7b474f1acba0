"""Data -> trees."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.template import Function
from heat_core.template.parser import path_text, root


def test_only_a_map_of_one_known_name_is_a_call(stage: Any) -> None:
    assert isinstance(stage.parse({"get_param": "p"}), Function)
    for data in ({"get_param": "p", "x": 1}, {"nope": 1}, {1: 2}, "get_param", 5, None):
        assert stage.parse(data) == data


def test_sets_and_bytes_become_lists(stage: Any) -> None:
    assert sorted(stage.parse({"a": {"x", "y"}})["a"]) == ["x", "y"]
    assert stage.parse({"a": b"ab"})["a"] == [97, 98]


def test_paths_read_like_the_template() -> None:
    path = root("resources.r")
    for part in (".properties", ".a", "[3]", ".list_join"):
        path = (path, part)
    assert path_text(path) == "resources.r.properties.a[3].list_join"
    assert path_text(None) == ""


def test_an_error_carries_the_path_of_its_call(stage: Any) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        stage.parse({"a": [{"b": {"list_join": [",", {"filter": 1}]}}]})
    assert caught.value.path == ["outputs.probe.value.a[0].b.list_join[1].filter"]
