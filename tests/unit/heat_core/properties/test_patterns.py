"""Regular expressions: matching to the end, and where it is done."""

import re
from typing import Any

import pytest

from heat_core.isolation import Job, using
from heat_core.properties import match_in_process, matches_whole
from heat_core.properties.patterns import check_pattern, matches_start


class Ends:
    """An Isolation that says that every match ends at 2."""

    def __init__(self) -> None:
        self.jobs: list[Any] = []

    def __call__(self, job: Job, arguments: tuple[Any, ...]) -> Any:
        self.jobs.append((job, *arguments))
        return None if job is Job.COMPILE else [2 for _ in arguments[1]]


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("[a-z]+", "abc", True),
        ("[a-z]+", "abc1", False),
        ("[a-z]+$", "abc", True),
        ("a|ab", "ab", False),
        ("ab|a", "ab", True),
        ("a", "a\n", False),
        ("", "", True),
        ("", "a", False),
        ("b", "ab", False),
        ("(a+)+$", "aa!", False),
        ("(a+)+$", "aa", True),
    ],
)
def test_matches_whole(pattern: str, text: str, matches: bool) -> None:
    assert matches_whole(pattern, text) is matches


def test_the_matcher_may_be_another() -> None:
    assert matches_whole("(a+)+$", "aaaa!", lambda pattern, text: True)
    assert not match_in_process("(a+)+$", "aa!")


def test_only_what_is_not_cheap_is_isolated() -> None:
    ends = Ends()
    with using(ends):
        assert matches_whole("[a-z]+", "abc")
        assert ends.jobs == []
        assert matches_whole(r"(.)\1", "ab")
        assert not matches_whole(r"(.)\1", "aaa")
    assert ends.jobs == [(Job.MATCH, r"(.)\1", ["ab"]), (Job.MATCH, r"(.)\1", ["aaa"])]


def test_a_value_that_is_no_text_is_refused_here() -> None:
    with using(Ends()), pytest.raises(TypeError):
        matches_whole("(a+)+", 5)  # type: ignore[arg-type]  # what a template may hold


def test_matches_start_is_one_job_for_all_texts() -> None:
    assert matches_start("a|b", ["ax", "xa", "b"]) == [True, False, True]
    ends = Ends()
    with using(ends):
        assert matches_start(r"(.)\1", ["aa", "xa"]) == [True, True]
    assert ends.jobs == [(Job.MATCH, r"(.)\1", ["aa", "xa"])]
    with pytest.raises(re.error):
        matches_start("a(", ["a"])


def test_check_pattern() -> None:
    check_pattern("[a-z]+")
    with pytest.raises(re.error):
        check_pattern("a(")
    ends = Ends()
    with using(ends):
        check_pattern("(?i)[a-z]")
    assert ends.jobs == [(Job.COMPILE, "(?i)[a-z]")]
