"""Spellings of true and false."""

import pytest

from heat_core.parameters.booleans import parse_boolean


def test_spellings() -> None:
    assert [parse_boolean(one) for one in ("1", "T", "true", "On", "y", " YES ", True)] == [
        True
    ] * 7
    assert [parse_boolean(one) for one in ("0", "F", "false", "Off", "n", "no", False)] == [
        False
    ] * 7


def test_other_words_list_the_spellings() -> None:
    with pytest.raises(ValueError, match=r"^Unrecognized value 'x', acceptable values are: '0', "):
        parse_boolean("x")
