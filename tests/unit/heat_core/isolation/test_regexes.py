"""The jobs of regular expressions."""

import re

import pytest

from heat_core.isolation.regexes import check_compiles, compile_pattern, match_ends


def test_match_ends() -> None:
    assert match_ends("a+", ["aab", "b", "aaa", ""]) == [2, None, 3, None]


def test_what_does_not_compile() -> None:
    with pytest.raises(re.error):
        check_compiles("a(")
    with pytest.raises(OverflowError):
        check_compiles("a{99999999999}")


def test_deep_nesting_is_a_bad_pattern() -> None:
    with pytest.raises(re.error, match="nests too deeply"):
        compile_pattern("(" * 5000 + ")" * 5000)
