"""yaql: expressions over data, within the limits of [yaql] (iterators and memory).

Even within them an expression can run for hours, and the library takes longer to import than all
the rest: parsing and evaluating are jobs for isolation, whatever the expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from heat_core.isolation import Job, isolated
from heat_core.isolation.expressions import evaluate_expression, parse_expression
from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution, Scope


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

    def _check_kind(self, expression: Any) -> str:
        if not isinstance(expression, str):
            raise TypeError(f'The "expression" argument to {self.name} must contain a string.')
        return expression

    def _parse(self, expression: Any) -> None:
        text = self._check_kind(expression)
        limits = self.limits
        isolated(
            Job.YAQL_PARSE,
            parse_expression,
            text,
            limits.limit_iterators,
            limits.memory_quota,
        )

    def validate(self, at: Resolution) -> None:
        super().validate(at)
        if not isinstance(self.expression, Function):
            self._parse(self.expression)

    def resolve(self, at: Resolution) -> Any:
        expression = self._check_kind(resolve(self.expression, at))
        try:
            data = resolve(self.data, at)
        except Exception:
            self._parse(expression)  # a bad expression is told before bad data
            raise
        limits = self.limits
        return isolated(
            Job.YAQL,
            evaluate_expression,
            expression,
            data,
            limits.limit_iterators,
            limits.memory_quota,
        )
