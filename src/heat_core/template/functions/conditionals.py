"""Conditions and choices: if, and, or, not, equals, contains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from heat_core.template.function import OMITTED, Function, Macro, resolve
from heat_core.template.parser import Path, parse
from heat_core.template.scope import Resolution

if TYPE_CHECKING:
    from heat_core.template.scope import Scope


class If(Macro):
    """`[condition, value if true, value if false]`: decided while the template is parsed.

    The branch not taken is never parsed, so its mistakes go unseen.
    """

    __slots__ = ()

    def __init__(
        self, scope: Scope, name: str, args: Any, parse_branch: Callable[[Any], Any], path: Path
    ) -> None:
        super().__init__(scope, name, args)
        try:
            if not args or not isinstance(args, Sequence) or isinstance(args, str):
                raise ValueError
            condition, if_true, if_false = self._read(args)
        except ValueError:
            raise ValueError(
                f'Arguments to "{name}" must be of the form: '
                "[condition_name, value_if_true, value_if_false]"
            ) from None
        parsed = parse(scope.version.condition_table, scope, condition, (None, name))
        chosen = resolve(parsed, Resolution(scope, {}))
        enabled = chosen if isinstance(chosen, bool) else scope.conditions.is_enabled(chosen)
        branch = if_true if enabled else if_false
        self.parsed = OMITTED if branch is OMITTED else parse_branch(branch)

    def _read(self, args: Sequence[Any]) -> tuple[Any, Any, Any]:
        condition, if_true, if_false = args
        return condition, if_true, if_false


class IfNullable(If):
    """From 2021-04-16: without a third argument a false `if` leaves the value out."""

    __slots__ = ()

    def _read(self, args: Sequence[Any]) -> tuple[Any, Any, Any]:
        if len(args) == 2:
            return args[0], args[1], OMITTED
        return super()._read(args)


class _Connective(Function):
    __slots__ = ()

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        self._check()

    def _check(self) -> None:
        if not isinstance(self.args, Sequence) or isinstance(self.args, str):
            raise ValueError(f'Arguments to "{self.name}" must be a list of conditions')
        if len(self.args) < 2:
            raise ValueError(f'The minimum number of condition arguments to "{self.name}" is 2.')


def _holds(condition: Any, at: Resolution) -> Any:
    return condition if isinstance(condition, bool) else at.scope.conditions.is_enabled(condition)


class And(_Connective):
    """True when all conditions hold."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        return all(_holds(condition, at) for condition in resolve(self.args, at))


class Or(_Connective):
    """True when one of the conditions holds."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        return any(_holds(condition, at) for condition in resolve(self.args, at))


class Not(_Connective):
    """True when the condition does not hold."""

    __slots__ = ()

    def _check(self) -> None:
        if self.args is None:
            raise ValueError(f'Argument to "{self.name}" must be a condition')

    def _condition(self) -> Any:
        return self.args

    def resolve(self, at: Resolution) -> Any:
        return not _holds(resolve(self._condition(), at), at)


class CfnNot(Not):
    """Fn::Not takes its condition in a list of one."""

    __slots__ = ()

    def _check(self) -> None:
        if (
            not self.args
            or not isinstance(self.args, Sequence)
            or isinstance(self.args, str)
            or len(self.args) != 1
        ):
            raise ValueError(f'Arguments to "{self.name}" must be of the form: [condition]')

    def _condition(self) -> Any:
        return self.args[0]


class Equals(Function):
    """`[value, value]`: whether they are equal (1, 1.0 and true are)."""

    __slots__ = ()

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        if not isinstance(args, list) or len(args) != 2:
            raise ValueError(f'Arguments to "{name}" must be of the form: [value_1, value_2]')

    def resolve(self, at: Resolution) -> Any:
        first, second = self.args
        return bool(resolve(first, at) == resolve(second, at))


class Contains(Function):
    """`[value, sequence]`: whether the value is in it; text counts as a sequence."""

    __slots__ = ()

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        if not args or not isinstance(args, list):
            example = f'"{name}" : [ "value1", [ "value1", "value2"]]'
            raise TypeError(f'Incorrect arguments to "{name}" should be: {example}')
        if len(args) != 2:
            raise ValueError(
                f'Arguments to "{name}" must be of the form: [value1, [value1, value2]]'
            )

    def resolve(self, at: Resolution) -> Any:
        value, sequence = (resolve(arg, at) for arg in self.args)
        if not isinstance(sequence, Sequence):
            raise TypeError(f'Second argument to "{self.name}" should be a sequence.')
        return value in sequence
