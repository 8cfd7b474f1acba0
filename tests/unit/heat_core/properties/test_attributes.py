from __future__ import annotations

from typing import Any

import pytest

from heat_core.properties import BASE_ATTRIBUTES, Attr, CacheMode, Kind, select_from_attribute


@pytest.mark.parametrize(
    ("value", "path", "found"),
    [
        ({"a": [1, {"b": 2}]}, ["a", 1, "b"], 2),
        ({"a": 1}, [], {"a": 1}),
        ({"a": 1}, ["b"], None),
        ([1], [5], None),
        ([1], ["0"], None),
        ("text", [0], "t"),
        (5, ["a"], None),
        (None, ["a"], None),
        ({"a": 1}, [None], None),
        ({"a": {"b": 1}}, ["a", "b", "c"], None),
    ],
)
def test_select_from_attribute(value: Any, path: list[Any], found: Any) -> None:
    assert select_from_attribute(value, path) == found


def test_forms() -> None:
    assert Attr().as_dict() == {}
    assert Attr(description="d", kind=Kind.MAP).as_dict() == {"description": "d", "type": "map"}


@pytest.mark.parametrize(
    ("kind", "fits", "misfits"),
    [
        (Kind.STRING, ["x"], [1]),
        (Kind.LIST, [[], ()], ["x", {}]),
        (Kind.MAP, [{}], [[]]),
        (Kind.INTEGER, [1], ["1", 1.5]),
        (Kind.BOOLEAN, [True, "yes", "0"], ["x", None]),
        (None, [1, "x", None], []),
    ],
)
def test_fits(kind: Kind | None, fits: list[Any], misfits: list[Any]) -> None:
    attr = Attr(kind=kind)

    assert all(attr.fits(value) for value in fits)
    assert not any(attr.fits(value) for value in misfits)


def test_every_type_can_be_shown_live() -> None:
    assert list(BASE_ATTRIBUTES) == ["show"]
    assert BASE_ATTRIBUTES["show"].cache is CacheMode.NONE
