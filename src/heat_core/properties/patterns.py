"""Matching of users' regular expressions, with the seam for a sandbox.

A pattern such as `^(a+)+$` holds the whole process for as long as it backtracks (DESIGN section 5).
Every match of a pattern that a user may have written goes through `matches_whole`; a caller that
has a sandbox passes its own matcher.
"""

from __future__ import annotations

import re
from collections.abc import Callable

type Matcher = Callable[[str, str], bool]


def match_in_process(pattern: str, text: str) -> bool:
    """Match here and now; time is unbounded for a hostile pattern."""
    found = re.match(pattern, text)
    return found is not None and found.end() == len(text)


def matches_whole(pattern: str, text: str, matcher: Matcher = match_in_process) -> bool:
    """Whether the first match at the start of `text` reaches its end.

    Not the same as a full match: `a|ab` does not accept "ab", as the first alternative that matches
    decides. TypeError for a value that is not text, re.error for a bad pattern.
    Source: facts/function-vectors, parameters.jsonl.
    """
    return matcher(pattern, text)


def check_pattern(pattern: str) -> None:
    """Raise re.error when the pattern does not compile."""
    re.compile(pattern)
