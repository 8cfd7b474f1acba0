"""digest."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from heat_core.template.function import Function, resolve

if TYPE_CHECKING:
    from heat_core.template.scope import Resolution


class Digest(Function):
    """`[algorithm, text]`: the hexadecimal digest of the text in latin-1."""

    __slots__ = ()

    def resolve(self, at: Resolution) -> Any:
        args = resolve(self.args, at)
        if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
            raise TypeError(f'Argument to function "{self.name}" must be a list of strings')
        if len(args) != 2:
            raise ValueError(f'Function "{self.name}" usage: ["<algorithm>", "<value>"]')
        algorithm, value = args
        if algorithm.lower() not in hashlib.algorithms_available:
            raise ValueError(f"Algorithm must be one of {hashlib.algorithms_available}")
        return hashlib.new(algorithm, value.encode("latin-1")).hexdigest()
