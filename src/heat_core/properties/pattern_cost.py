"""How much work a regular expression can make at most, from its form alone.

Python's `re` backtracks: it tries the ways in which a pattern can divide the text among its
repeats, one after the other. `most_steps` multiplies the number of choices of each repeat and
branch: an upper bound of those ways, times the length of one. It is exact for none but large for
every pattern that can explode: repeats in repeats, and many repeats in a row on a long text.
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from typing import Any

CHEAP_STEPS = 1_000_000
"""some ten milliseconds of `re`"""
CHEAP_LENGTH = 1000
"""characters; longer patterns take long to compile"""

_CEILING = 1 << 60

# The standard library's own reader of patterns: no public module has it.
_parser: Any = importlib.import_module("re._parser")

_SINGLE = frozenset(
    {"LITERAL", "NOT_LITERAL", "ANY", "ANY_ALL", "IN", "RANGE", "CATEGORY", "AT", "NEGATE"}
    | {"FAILURE"}
)
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_IGNORES_CASE = re.compile(r"\(\?[a-zA-Z]*i")


def is_cheap_to_compile(pattern: str) -> bool:
    """Whether compiling takes no time worth mentioning.

    Sets of characters that ignore case are worked out character by character.
    """
    return len(pattern) <= CHEAP_LENGTH and _IGNORES_CASE.search(pattern) is None


def is_cheap(pattern: str, text: str) -> bool:
    """Whether a match is done within CHEAP_STEPS whatever the text holds.

    False for a pattern that does not compile.
    """
    if not is_cheap_to_compile(pattern):
        return False
    return most_steps(pattern, len(text)) <= CHEAP_STEPS


def most_steps(pattern: str, length: int) -> int:
    """An upper bound of the steps of a match on a text of this length."""
    tree = _read(pattern)
    if tree is None:
        return _CEILING
    parsed, nodes = tree
    return min(_ways(parsed, length) * (length + 1) * (nodes + 1), _CEILING)


@lru_cache(maxsize=256)
def _read(pattern: str) -> tuple[Any, int] | None:
    try:
        parsed = _parser.parse(pattern)
        return parsed, _count(parsed)
    except (re.error, RecursionError, OverflowError):
        return None


def _count(sequence: Any) -> int:
    """Nodes of a pattern."""
    return sum(1 + sum(_count(body) for body in _bodies(str(op), av)) for op, av in sequence)


def _bodies(op: str, av: Any) -> list[Any]:
    """The patterns inside of a node; a node that isn't known has none."""
    if op == "BRANCH":
        return list(av[1])
    if op == "SUBPATTERN" or op in _REPEATS:
        return [av[-1]]
    if op == "ATOMIC_GROUP":
        return [av]
    if op in ("ASSERT", "ASSERT_NOT"):
        return [av[1]]
    return []


def _ways(sequence: Any, length: int) -> int:
    """In how many ways the parts of a sequence can match."""
    ways = 1
    for op, av in sequence:
        ways *= _ways_of_one(str(op), av, length)
        if ways > _CEILING:
            return _CEILING
    return ways


def _ways_of_one(op: str, av: Any, length: int) -> int:
    if op in _SINGLE:
        return 1
    if op in _REPEATS:
        low, high, body = av
        return _ways_of_repeat(int(low), int(high), body, length)
    bodies = _bodies(op, av)
    if not bodies:
        return _CEILING  # a reference to a group, or something new
    return sum(_ways(body, length) for body in bodies)


def _ways_of_repeat(low: int, high: int, body: Any, length: int) -> int:
    shortest, longest = body.getwidth()
    if shortest == 0 and high > 1:
        return _CEILING  # what matches nothing can be repeated for ever
    most = min(high, length // max(int(shortest), 1) + 1)
    within = _ways(body, length)
    if within == 1 and shortest == longest:
        return max(most - low + 1, 1)
    total = 0
    for count in range(min(low, most), most + 1):
        total += within**count if count < 64 else _CEILING
        if total > _CEILING:
            return _CEILING
    return max(total, 1)
