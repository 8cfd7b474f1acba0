from __future__ import annotations

from typing import Any

import pytest

from heat_core.properties.kinds import Kind, as_kind, boolean_from_text, number_from


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, 1), (1.5, 1.5), (True, True), ("3", 3), ("3.0", 3.0), (" 7 ", 7), ("1e3", 1000.0)],
)
def test_number_from(value: Any, number: Any) -> None:
    found = number_from(value)

    assert found == number
    assert type(found) is type(number)


@pytest.mark.parametrize("text", ["", "x", "0x1"])
def test_number_from_other_text(text: str) -> None:
    with pytest.raises(ValueError, match="could not convert"):
        number_from(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [("True", True), (" yes ", True), ("ON", True), ("0", False), ("n", False), ("off", False)],
)
def test_boolean_from_text(text: str, value: bool) -> None:
    assert boolean_from_text(text) is value


def test_boolean_from_other_text() -> None:
    with pytest.raises(ValueError, match="maybe"):
        boolean_from_text("maybe")


@pytest.mark.parametrize(
    ("value", "kind", "converted"),
    [
        ("5", Kind.INTEGER, 5),
        ("5.5", Kind.NUMBER, 5.5),
        (5, Kind.STRING, "5"),
        ("true", Kind.BOOLEAN, True),
        ([1], Kind.LIST, [1]),
    ],
)
def test_as_kind(value: Any, kind: Kind, converted: Any) -> None:
    assert as_kind(value, kind) == converted


@pytest.mark.parametrize(
    ("value", "kind"),
    [("5.5", Kind.INTEGER), ("x", Kind.NUMBER), ("maybe", Kind.BOOLEAN)],
)
def test_as_kind_names_the_kind_in_the_caller_s_dialect(value: str, kind: Kind) -> None:
    with pytest.raises(ValueError, match=f'^Value "{value}" is invalid for data type "{kind}".$'):
        as_kind(value, kind)
    with pytest.raises(ValueError, match='data type "own name"'):
        as_kind(value, kind, "own name")
