from __future__ import annotations

import re

import pytest

from heat_core.properties import match_in_process, matches_whole
from heat_core.properties.patterns import check_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("[a-z]+", "abc", True),
        ("[a-z]+", "abc1", False),
        ("a|ab", "ab", False),
        ("ab|a", "ab", True),
        ("", "", True),
        ("b", "ab", False),
    ],
)
def test_matches_whole(pattern: str, text: str, matches: bool) -> None:
    assert matches_whole(pattern, text) is matches


def test_another_matcher_takes_over() -> None:
    assert matches_whole("(a+)+$", "aaaa!", lambda pattern, text: True)
    assert not match_in_process("(a+)+$", "aa!")


def test_check_pattern() -> None:
    check_pattern("[a-z]")
    with pytest.raises(re.error):
        check_pattern("[a-z")
