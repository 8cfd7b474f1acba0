"""Requirements that follow from types and values, not from references.

A port gets an address from any subnet of its network, a floating IP needs the router between its
port and the outside: such resources wait for others of the same template that they do not refer to.
A type says so in `implied_requirements`; nothing is asked of a service for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from heat_core.errors import StackValidationFailed
from heat_core.properties import Properties


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A resource of a template before anything of it exists.

    `types` are the type as written and what the environment makes of it. `requires` are the names
    of the resources that it refers to.
    """

    name: str
    types: frozenset[str]
    props: Properties
    requires: frozenset[str] = frozenset()

    def is_a(self, type_name: str) -> bool:
        return type_name in self.types

    def read(self, key: str) -> Any:
        """A property's value, names unresolved. ValueError for one that cannot be had."""
        try:
            return self.props.read(key)
        except StackValidationFailed as error:
            raise ValueError(str(error)) from error


def where(
    others: Iterable[Neighbour], type_name: str, matches: Callable[[Neighbour], object]
) -> Iterator[str]:
    """The names of the resources of a type for which `matches` holds.

    A value that cannot be read makes no requirement: validation has more to say about it.
    """
    for other in others:
        if not other.is_a(type_name):
            continue
        try:
            found = bool(matches(other))
        except (ValueError, TypeError):
            continue
        if found:
            yield other.name
