"""Values of parameters."""

from typing import Any

import pytest

from heat_app.native.faults import HTTPBadRequest
from heat_app.native.parameters import (
    extract_bool,
    extract_int,
    extract_tags,
    extract_template_type,
)


@pytest.mark.parametrize(("given", "value"), [("true", True), ("FALSE", False), (True, True)])
def test_bool(given: Any, value: bool) -> None:
    assert extract_bool("b", given) is value


@pytest.mark.parametrize("given", ["1", "", "yes", None, 0])
def test_not_a_bool(given: Any) -> None:
    with pytest.raises(HTTPBadRequest) as caught:
        extract_bool("b", given)
    assert str(caught.value) == (
        f'Unrecognized value "{given}" for "b", acceptable values are: true, false.'
    )


@pytest.mark.parametrize(("given", "value"), [(None, None), (0, 0), ("0", 0), ("12", 12), (7, 7)])
def test_int(given: Any, value: int | None) -> None:
    assert extract_int("i", given) == value


@pytest.mark.parametrize("given", ["x", "", "01", " 1", 1.5, True, False, [1], {}, float("inf")])
def test_not_an_int(given: Any) -> None:
    with pytest.raises(HTTPBadRequest, match=r"Only integer is acceptable by 'i'\."):
        extract_int("i", given)


def test_negative_int() -> None:
    with pytest.raises(HTTPBadRequest) as caught:
        extract_int("i", "-1")
    assert str(caught.value) == (
        "Value '-1' is invalid for 'i' which only accepts non-negative integer."
    )


def test_tags() -> None:
    assert extract_tags("a,,b") == ["a", "", "b"]
    assert extract_tags("x" * 80) == ["x" * 80]
    with pytest.raises(HTTPBadRequest, match="is longer than 80 characters"):
        extract_tags("a," + "x" * 81)
    with pytest.raises(AttributeError):
        extract_tags(5)


def test_template_type() -> None:
    assert extract_template_type("HOT") == "hot"
    with pytest.raises(HTTPBadRequest, match='Invalid template type "x", valid types are'):
        extract_template_type("x")
