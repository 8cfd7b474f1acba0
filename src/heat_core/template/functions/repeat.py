"""The generations of repeat."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution, Scope


class Repeat(Function):
    """`{template, for_each: {variable: list}}`: the template once for every combination."""

    __slots__ = ("for_each", "permutations", "template")

    def __init__(self, scope: Scope, name: str, args: Any) -> None:
        super().__init__(scope, name, args)
        if not isinstance(args, Mapping):
            raise TypeError(f'Arguments to "{name}" must be a map')
        if "for_each" not in args or "template" not in args:
            example = (
                "repeat:\n"
                "              template: This is %var%\n"
                "              for_each:\n"
                "                %var%: ['a', 'b', 'c']"
            )
            raise KeyError(f'"repeat" syntax should be {example}')
        self.for_each = args["for_each"]
        self.template = args["template"]
        self.permutations = self._read_permutations(args)

    def _read_permutations(self, args: Mapping[Any, Any]) -> bool:
        return True

    def validate(self, at: Resolution) -> None:
        super().validate(at)
        if not isinstance(self.for_each, Function | Mapping):
            raise TypeError(f'The "for_each" argument to "{self.name}" must contain a map')

    def _check_values(self, values: Any) -> None:
        if not isinstance(values, Sequence) or isinstance(values, str):
            raise TypeError(f'The values of the "for_each" argument to "{self.name}" must be lists')

    def resolve(self, at: Resolution) -> Any:
        for_each = resolve(self.for_each, at)
        variables, lists = zip(*for_each.items(), strict=True)
        values: list[Any] = []
        lengths: set[int] = set()
        for member in lists:
            # A reference that isn't there yet is null: no round at all.
            if member is None:
                values.append([])
            else:
                self._check_values(member)
                values.append(member)
                lengths.add(len(member))
        if not self.permutations and len(lengths) > 1:
            raise ValueError(
                f"For {self.name}, the length of for_each values should be equal if no nested loop."
            )
        template = resolve(self.template, at)
        rounds = itertools.product(*values) if self.permutations else zip(*values, strict=False)
        return [_fill(template, variables, replacements) for replacements in rounds]


def _fill(template: Any, variables: Sequence[Any], values: Sequence[Any]) -> Any:
    """The template with each variable's text replaced, in keys too, one after the other."""
    if isinstance(template, str):
        for variable, value in zip(variables, values, strict=True):
            template = template.replace(variable, value)
        return template
    if isinstance(template, Sequence):
        return [_fill(member, variables, values) for member in template]
    if isinstance(template, Mapping):
        return {
            _fill(key, variables, values): _fill(value, variables, values)
            for key, value in template.items()
        }
    return template


class RepeatWithMap(Repeat):
    """From 2016-10-14: a map may stand for the list of its keys."""

    __slots__ = ()

    def _check_values(self, values: Any) -> None:
        if not isinstance(values, Sequence | Mapping) or isinstance(values, str):
            raise TypeError(
                f'The values of the "for_each" argument to "{self.name}" must be lists or maps'
            )


class RepeatWithNestedLoop(RepeatWithMap):
    """From 2017-09-01: `permutations: false` walks the lists side by side."""

    __slots__ = ()

    def _read_permutations(self, args: Mapping[Any, Any]) -> bool:
        permutations = args.get("permutations", True)
        if not isinstance(permutations, bool):
            raise TypeError(f'"permutations" should be boolean type for {self.name} function.')
        return permutations

    def _check_values(self, values: Any) -> None:
        if self.permutations:
            super()._check_values(values)
        else:
            Repeat._check_values(self, values)
