"""Matching of users' regular expressions.

A pattern such as `^(a+)+$` holds the whole process for as long as it backtracks (DESIGN section 5).
Every match of a pattern that a user may have written goes through this module: what is cheap by its
form is done here (heat_core.properties.pattern_cost), anything else in isolation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from heat_core.isolation import Job, isolated
from heat_core.isolation.regexes import check_compiles, match_ends
from heat_core.properties.pattern_cost import is_cheap, is_cheap_to_compile

type Matcher = Callable[[str, str], bool]


def match_in_process(pattern: str, text: str) -> bool:
    """Match here and now; time is unbounded for a hostile pattern."""
    found = re.match(pattern, text)
    return found is not None and found.end() == len(text)


def match_isolated(pattern: str, text: str) -> bool:
    """Match here when that is cheap, else in isolation. TooCostly when it passes a limit."""
    if not isinstance(text, str) or is_cheap(pattern, text):
        return match_in_process(pattern, text)
    (end,) = isolated(Job.MATCH, match_ends, pattern, [text])
    return end == len(text)


def matches_start(pattern: str, texts: Sequence[str]) -> list[bool]:
    """Whether a match begins each of the texts. re.error, OverflowError, TooCostly."""
    cheap = is_cheap(pattern, max(texts, key=len, default=""))
    if cheap:
        ends = match_ends(pattern, texts)
    else:
        ends = isolated(Job.MATCH, match_ends, pattern, list(texts))
    return [end is not None for end in ends]


def matches_whole(pattern: str, text: str, matcher: Matcher = match_isolated) -> bool:
    """Whether the first match at the start of `text` reaches its end.

    Not the same as a full match: `a|ab` does not accept "ab", as the first alternative that matches
    decides. TypeError for a value that is not text, re.error for a bad pattern.
    Source: facts/function-vectors, parameters.jsonl.
    """
    return matcher(pattern, text)


def check_pattern(pattern: str) -> None:
    """Raise re.error when the pattern does not compile, TooCostly when that takes too long."""
    if is_cheap_to_compile(pattern):
        check_compiles(pattern)
    else:
        isolated(Job.COMPILE, check_compiles, pattern)
