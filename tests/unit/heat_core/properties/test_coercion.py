from __future__ import annotations

from typing import Any

import pytest

from heat_core.properties import Prop
from heat_core.properties.coercion import coerce_scalar, convert_list, convert_map, split_text


@pytest.mark.parametrize(
    ("prop", "value", "coerced"),
    [
        (Prop.string(), "x", "x"),
        (Prop.string(), 5, "5"),
        (Prop.string(), True, "True"),
        (Prop.string(), None, ""),
        (Prop.string(default="d"), None, "d"),
        (Prop.integer(), 5.9, 5),
        (Prop.integer(), " 6 ", 6),
        (Prop.integer(), True, 1),
        (Prop.integer(), None, 0),
        (Prop.number(), "1.5", 1.5),
        (Prop.number(), True, True),
        (Prop.number(), None, 0),
        (Prop.boolean(), "TRUE", True),
        (Prop.boolean(), False, False),
        (Prop.boolean(), None, False),
        (Prop.boolean(default=True), None, True),
        (Prop.any(default=[1]), None, None),
        (Prop.any(), {"a": 1}, {"a": 1}),
    ],
)
def test_scalars(prop: Prop, value: Any, coerced: Any) -> None:
    found = coerce_scalar(prop, value)

    assert found == coerced
    assert type(found) is type(coerced)


@pytest.mark.parametrize(
    ("prop", "value", "error", "text"),
    [
        (Prop.string(), 1.5, ValueError, "Value must be a string; got 1.5"),
        (Prop.string(), ["a"], ValueError, "Value must be a string; got ['a']"),
        (Prop.integer(), "x", TypeError, "Value 'x' is not an integer"),
        (Prop.boolean(), "Yes", ValueError, '"yes" is not a valid boolean'),
        (Prop.boolean(), 1, TypeError, '"1" is not a valid boolean'),
    ],
)
def test_bad_scalars(prop: Prop, value: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        coerce_scalar(prop, value)
    assert str(caught.value) == text


def test_maps_and_lists_have_children() -> None:
    with pytest.raises(AssertionError, match="not a scalar"):
        coerce_scalar(Prop.map(), {})


def test_maps() -> None:
    assert convert_map(Prop.map(), {"a": 1}) == {"a": 1}
    assert convert_map(Prop.map(), None) == {}
    assert convert_map(Prop.map(default={"d": 1}), None) == {"d": 1}
    with pytest.raises(TypeError, match=r'^"x" is not a map$'):
        convert_map(Prop.map(), "x")
    with pytest.raises(TypeError, match=r'^"5" is not a map$'):
        convert_map(Prop.map(allow_conversion=True), 5)


def test_lists() -> None:
    assert convert_list(Prop.list(), (1, 2)) == (1, 2)
    assert convert_list(Prop.list(), None) == []
    assert convert_list(Prop.list(default=["d"]), None) == ["d"]
    with pytest.raises(TypeError, match=r"^\"'x'\" is not a list$"):
        convert_list(Prop.list(), "x")


def test_texts_are_split_at_commas() -> None:
    assert split_text("a, b,,c") == ["a", " b", "", "c"]
    assert split_text("") == []
