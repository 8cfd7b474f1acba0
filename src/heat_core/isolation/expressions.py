"""The jobs of yaql, done here and now.

The library is imported when the first expression is met: it takes longer than all the rest.
"""

from __future__ import annotations

import collections.abc  # yaql uses it without importing it  # noqa: F401
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=4)
def _engine(limit_iterators: int, memory_quota: int) -> tuple[Any, Any]:
    """The parser and the base context for these limits."""
    import yaql  # type: ignore[import-untyped]  # the library has no types

    options = {"yaql.limitIterators": limit_iterators, "yaql.memoryQuota": memory_quota}
    return yaql.YaqlFactory().create(options), yaql.create_context()


@lru_cache(maxsize=256)
def _statement(expression: str, limit_iterators: int, memory_quota: int) -> Any:
    from yaql.language.exceptions import (  # type: ignore[import-untyped]  # the library has no types
        YaqlException,
    )

    parser, _ = _engine(limit_iterators, memory_quota)
    try:
        return parser(expression)
    except YaqlException as error:
        raise ValueError(f"Bad expression {error}.") from None


def parse_expression(expression: str, limit_iterators: int, memory_quota: int) -> None:
    """Check an expression. ValueError for a bad one."""
    _statement(expression, limit_iterators, memory_quota)


def evaluate_expression(expression: str, data: Any, limit_iterators: int, memory_quota: int) -> Any:
    """The value of an expression with `data` as `$.data`. Raises what the expression raises."""
    statement = _statement(expression, limit_iterators, memory_quota)
    _, base = _engine(limit_iterators, memory_quota)
    return statement.evaluate({"data": data}, base.create_child_context())
