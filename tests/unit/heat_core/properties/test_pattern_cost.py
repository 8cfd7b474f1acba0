"""Which regular expressions are cheap whatever the text."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heat_core.properties.pattern_cost import (
    CHEAP_STEPS,
    is_cheap,
    is_cheap_to_compile,
    most_steps,
)


@pytest.mark.parametrize(
    ("pattern", "length"),
    [
        ("^[a-zA-Z0-9_.-]{1,255}$", 255),
        ("[a-z]{3,12}", 40),
        (r"[0-9]+\.[0-9]+\.[0-9]+", 15),
        ("^([0-9a-fA-F]){8}-([0-9a-fA-F]){4}-([0-9a-fA-F]){12}$", 36),
        (r"\d{4}-\d{2}-\d{2}\s\d{2}:\d{2}", 16),
        ("/dev/vd[b-z]", 8),
        ("(true|false|on|off)", 5),
        ("(?:a|b)?c(?!d)", 10),
        ("", 100),
    ],
)
def test_what_people_write_is_cheap(pattern: str, length: int) -> None:
    assert is_cheap(pattern, "x" * length)


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "(a|aa)+b",
        "(a*)*b",
        "(?:a?){30}a{30}",
        "a*a*a*a*a*a*b",
        "(.*)(.*)(.*)(.*)(.*)x",
        r"(a+)\1+b",
        "(x+x+)+y",
        "(?=(a+)+b)",
    ],
)
def test_what_can_explode_is_not(pattern: str) -> None:
    assert not is_cheap(pattern, "a" * 40)


def test_a_long_text_makes_a_repeat_expensive() -> None:
    assert is_cheap(".*x", "a" * 100)
    assert not is_cheap(".*x", "a" * 5000)


def test_what_does_not_compile_is_not_cheap() -> None:
    assert not is_cheap("a(", "a")
    assert not is_cheap("(" * 400 + ")" * 400, "a")
    assert not is_cheap("a{99999999999}", "a")


def test_compiling() -> None:
    assert is_cheap_to_compile("[a-z]+")
    assert not is_cheap_to_compile("a" * 1001)
    # Every character of such a set is looked at.
    assert not is_cheap_to_compile("(?i)[\\x00-\\U0010ffff]")
    assert not is_cheap_to_compile("(?ai:x)")


_WIDTHS = {"a": (1,), "b": (), "[ab]": (1,), ".": (1,), "(?:a|b)": (1,), "(?:a|aa)": (1, 2)}
_COUNTS = {"": (1, 1), "?": (0, 1), "*": (0, 99), "+": (1, 99), "{2}": (2, 2), "{1,3}": (1, 3)}


def _ways(parts: Sequence[tuple[str, str]], left: int) -> int:
    """In how many ways the parts match a beginning of "aaa...", one after the other."""
    if not parts:
        return 1
    (atom, repeat), *rest = parts
    low, high = _COUNTS[repeat]
    ends = [left]
    total = 0
    for count in range(min(high, left) + 1):
        if count >= low:
            total += sum(_ways(rest, end) for end in ends)
        ends = [end - width for end in ends for width in _WIDTHS[atom] if end >= width]
    return total


_parts = st.lists(
    st.tuples(st.sampled_from(sorted(_WIDTHS)), st.sampled_from(sorted(_COUNTS))),
    min_size=1,
    max_size=4,
)


@settings(max_examples=80, deadline=None)
@given(_parts, st.integers(0, 7))
def test_the_bound_is_no_smaller_than_the_ways_that_there_are(
    parts: list[tuple[str, str]], length: int
) -> None:
    pattern = "".join(atom + repeat for atom, repeat in parts)
    assert most_steps(pattern, length) >= _ways(parts, length)
    assert is_cheap(pattern, "a" * length) is (most_steps(pattern, length) <= CHEAP_STEPS)
