"""The jobs of regular expressions, done here and now."""

from __future__ import annotations

import re
from collections.abc import Sequence


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile. re.error, OverflowError for a repeat beyond all bounds."""
    try:
        return re.compile(pattern)
    except RecursionError:
        raise re.error("the pattern nests too deeply", pattern) from None


def check_compiles(pattern: str) -> None:
    """Raise what compile_pattern raises."""
    compile_pattern(pattern)


def match_ends(pattern: str, texts: Sequence[str]) -> list[int | None]:
    """Where the first match at the start of each text ends, None where there is none."""
    compiled = compile_pattern(pattern)
    found = [compiled.match(text) for text in texts]
    return [None if one is None else one.end() for one in found]
