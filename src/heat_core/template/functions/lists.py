"""Lists: list_concat, list_concat_unique, filter."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution, Scope


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


class ListConcat(Function):
    """One list of the members of several; null counts as an empty list."""

    __slots__ = ()

    unique: ClassVar[bool] = False

    def resolve(self, at: Resolution) -> Any:
        args = resolve(self.args, at)
        if not _is_list(args):
            example = f'"{self.name}" : [ [ <value 1>, <value 2> ], [ <value 3>, <value 4> ] ]'
            raise TypeError(f'Incorrect arguments to "{self.name}" should be: {example}')
        joined: list[Any] = []
        for member in args:
            if member is None:
                continue
            if not _is_list(member):
                raise TypeError(
                    "Incorrect arguments: Items to concat must be lists. "
                    f"{json.dumps(args)} contains an item that is not a list: "
                    f"{json.dumps(member)}"
                )
            joined.extend(member)
        if not self.unique:
            return joined
        distinct: list[Any] = []
        for item in joined:
            if item not in distinct:
                distinct.append(item)
        return distinct


class ListConcatUnique(ListConcat):
    """list_concat with the first of equal members only."""

    __slots__ = ()

    unique = True


class Filter(Function):
    """`[values, list]`: the list without the values."""

    __slots__ = ("sequence", "values")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        if not _is_list(args):
            raise TypeError(f'Argument to "{name}" must be a list')
        if len(args) != 2:
            raise ValueError(
                f'"{name}" expected 2 arguments of the form [values, sequence] '
                f"but got {len(args)} arguments instead"
            )
        self.values, self.sequence = args

    def resolve(self, at: Resolution) -> Any:
        sequence = resolve(self.sequence, at)
        if not sequence:
            return sequence
        if not isinstance(sequence, list):
            raise TypeError(f'"{self.name}" only works with lists')
        values = resolve(self.values, at)
        if not values:
            return sequence
        if not isinstance(values, list):
            raise TypeError(f'"{self.name}" filters a list of values')
        return [item for item in sequence if item not in values]
