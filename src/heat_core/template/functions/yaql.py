"""yaql: expressions over data, within the limits of [yaql] (iterators and memory).

The library is imported when the first expression is met: it takes longer than all the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution, Scope, YaqlLimits


@lru_cache(maxsize=4)
def _engine(limits: YaqlLimits) -> tuple[Any, Any]:
    """The parser and the base context for these limits."""
    import yaql  # type: ignore[import-untyped]  # the library has no types

    options = {
        "yaql.limitIterators": limits.limit_iterators,
        "yaql.memoryQuota": limits.memory_quota,
    }
    return yaql.YaqlFactory().create(options), yaql.create_context()


@lru_cache(maxsize=256)
def _statement(expression: str, limits: YaqlLimits) -> Any:
    from yaql.language.exceptions import (  # type: ignore[import-untyped]  # the library has no types
        YaqlException,
    )

    parser, _ = _engine(limits)
    try:
        return parser(expression)
    except YaqlException as error:
        raise ValueError(f"Bad expression {error}.") from None


class Yaql(Function):
    """`{expression, data}`: the expression's value, with the data as `$.data`."""

    __slots__ = ("data", "expression", "limits")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        self.limits = scope.yaql_limits
        if not isinstance(args, Mapping):
            raise TypeError(f'Arguments to "{name}" must be a map.')
        if "expression" not in args or set(args) - {"expression", "data"}:
            example = (
                f"{name}:\n"
                "              expression: $.data.var1.sum()\n"
                "              data:\n"
                "                var1: [3, 2, 1]"
            )
            raise KeyError(f'"{name}" syntax should be {example}')
        self.expression = args["expression"]
        self.data = args.get("data", {})

    def _parse(self, expression: Any) -> Any:
        if not isinstance(expression, str):
            raise TypeError(f'The "expression" argument to {self.name} must contain a string.')
        return _statement(expression, self.limits)

    def validate(self, at: Resolution) -> None:
        super().validate(at)
        if not isinstance(self.expression, Function):
            self._parse(self.expression)

    def resolve(self, at: Resolution) -> Any:
        statement = self._parse(resolve(self.expression, at))
        data = resolve(self.data, at)
        _, base = _engine(self.limits)
        return statement.evaluate({"data": data}, base.create_child_context())
