"""repeat."""

from typing import Any

import pytest

from heat_core.errors import StackValidationFailed
from heat_core.template import validate


def _repeat(template: Any, for_each: Any, **more: Any) -> dict[str, Any]:
    return {"repeat": {"template": template, "for_each": for_each, **more}}


@pytest.mark.parametrize(
    ("snippet", "value"),
    [
        (_repeat("%a%%b%", {"%a%": ["1", "2"], "%b%": ["x", "y"]}), ["1x", "1y", "2x", "2y"]),
        (
            _repeat("%a%%b%", {"%a%": ["1", "2"], "%b%": ["x", "y"]}, permutations=False),
            ["1x", "2y"],
        ),
        (_repeat({"k%a%": ["%a%", 5]}, {"%a%": ["1"]}), [{"k1": ["1", 5]}]),
        (_repeat("%a%", {"%a%": {"get_param": "l"}}), ["x", "y"]),
        (_repeat("%a%", {"%a%": {"k": 1}}), ["k"]),
        (_repeat("%a%", {"%a%": None}), []),
        (_repeat("%a%%b%", {"%a%": "", "%b%": ["x"]} | {"%a%": []}), []),
    ],
)
def test_values(stage: Any, snippet: Any, value: Any) -> None:
    assert stage.resolve(snippet) == value


@pytest.mark.parametrize(
    ("snippet", "text"),
    [
        (_repeat("x", {"%a%": "text"}), "must be lists or maps"),
        (_repeat("x", {"%a%": {"k": 1}}, permutations=False), "must be lists"),
        (
            _repeat("x", {"%a%": ["1"], "%b%": ["1", "2"]}, permutations=False),
            "the length of for_each values should be equal if no nested loop.",
        ),
    ],
)
def test_resolving_refuses(stage: Any, snippet: Any, text: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        stage.resolve(snippet)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (5, 'Arguments to "repeat" must be a map'),
        ({"template": "x"}, '"repeat" syntax should be repeat:'),
        (
            {"template": "x", "for_each": {}, "permutations": "no"},
            '"permutations" should be boolean type for repeat function.',
        ),
    ],
)
def test_parsing_refuses(stage: Any, args: Any, text: str) -> None:
    with pytest.raises(StackValidationFailed) as caught:
        stage.parse({"repeat": args})
    assert text in str(caught.value)


def test_validation_wants_a_map_to_walk(stage: Any) -> None:
    with pytest.raises(StackValidationFailed, match='The "for_each" argument to "repeat" must'):
        validate(stage.parse(_repeat("x", ["a"])), stage.at)
    validate(stage.parse(_repeat("x", {"get_param": "j"})), stage.at)


def test_the_first_repeat_takes_lists_only(make_stage: Any) -> None:
    stage = make_stage("2015-04-30")
    assert stage.resolve(_repeat("%a%", {"%a%": ["1"]})) == ["1"]
    with pytest.raises(TypeError, match="must be lists"):
        stage.resolve(_repeat("%a%", {"%a%": {"k": 1}}))
