"""Environment files laid over each other."""

import json
from typing import Any

import pytest

from heat_core.environment import merge_environment_files, merge_strategy, with_all_sections
from heat_core.errors import ConflictingMergeStrategyForParam, InvalidMergeStrategyForParam
from heat_core.template import Template

SCHEMATA = Template(
    {
        "heat_template_version": "2018-08-31",
        "parameters": {
            "s": {"type": "string"},
            "l": {"type": "comma_delimited_list"},
            "j": {"type": "json"},
            "n": {"type": "number"},
            "b": {"type": "boolean"},
        },
    }
).parameter_schemata()


def _merge(*environments: Any, base: Any = None) -> dict[str, Any]:
    files = {f"{number}": json.dumps(one) for number, one in enumerate(environments)}
    return merge_environment_files(list(files), files, with_all_sections(base or {}), SCHEMATA)


def _two(name: str, first: Any, second: Any, strategy: str | None) -> Any:
    strategies = {"parameter_merge_strategies": {name: strategy}} if strategy else {}
    return _merge(
        {"parameters": {name: first}} | strategies, {"parameters": {name: second}} | strategies
    )["parameters"][name]


@pytest.mark.parametrize(
    ("name", "first", "second", "strategy", "merged"),
    [
        ("s", "a", "b", None, "b"),
        ("s", "a", "b", "merge", "ab"),
        ("l", "a", "b", "merge", "a,b"),
        ("l", ["a"], ["b"], "merge", ["a", "b"]),
        ("j", {"a": 1, "c": {"x": 1}}, {"c": {"y": 2}}, "merge", {"a": 1, "c": {"y": 2}}),
        (
            "j",
            {"a": 1, "c": {"x": 1}, "l": [1], "t": "u"},
            '{"c": {"y": 2}, "l": [2], "t": "v", "a": 3, "z": null}',
            "deep_merge",
            {"a": 3, "c": {"x": 1, "y": 2}, "l": [1, 2], "t": "uv"},
        ),
        ("s", "a", "b", "bogus", "b"),
    ],
)
def test_strategies(name: str, first: Any, second: Any, strategy: Any, merged: Any) -> None:
    assert _two(name, first, second, strategy) == merged


def test_some_kinds_do_not_merge() -> None:
    with pytest.raises(ValueError, match=r"Invalid parameter in environment \."):
        _two("n", 1, 2, "merge")
    with pytest.raises(InvalidMergeStrategyForParam):
        _two("b", "true", "false", "merge")


def test_the_first_file_fixes_the_strategy() -> None:
    second = {"parameters": {"s": "b"}, "parameter_merge_strategies": {"s": "merge"}}
    with pytest.raises(ConflictingMergeStrategyForParam) as caught:
        _merge({"parameters": {"s": "a"}}, second)
    assert str(caught.value) == (
        "Conflicting merge strategy 'merge' for parameter 's' in file '1'."
    )


def test_files_win_over_the_request_and_unknown_parameters_fall_away() -> None:
    base = {"parameters": {"s": "request", "l": "x"}}
    merged = _merge({"parameters": {"s": "file", "zzz": 1, "l": None}}, base=base)
    assert merged["parameters"] == {"s": "file", "l": "x"}
    assert base == {"parameters": {"s": "request", "l": "x"}}
    assert _merge({"parameters": {"zzz": 1}})["parameters"] == {"zzz": 1}


def test_other_sections_are_replaced_key_by_key() -> None:
    merged = _merge(
        {"resource_registry": {"A": "a.yaml", "resources": {"r": {}}}},
        {"resource_registry": {"A": "b.yaml", "resources": {"s": {}}, "C": None}},
    )
    assert merged["resource_registry"] == {"A": "b.yaml", "resources": {"s": {}}}


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        merge_environment_files(["x"], {}, with_all_sections({}), SCHEMATA)


def test_the_strategy_of_a_parameter() -> None:
    assert merge_strategy(None, "p") == "overwrite"
    assert merge_strategy({"default": "merge"}, "p") == "merge"
    assert merge_strategy({"default": "merge", "p": "deep_merge"}, "p") == "deep_merge"
    assert merge_strategy({}, "p", {"p": "merge"}) == "merge"
