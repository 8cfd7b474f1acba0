"""Requirements that follow from types and values, not from references.

A port gets an address from any subnet of its network, a floating IP needs the router between its
port and the outside: such resources wait for others of the same template that they do not refer to.
A type says so in `implied_requirements`; nothing is asked of a service for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from heat_core.errors import StackValidationFailed


class Readable(Protocol):
    """What properties are asked for."""

    def read(self, key: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A resource of a template before anything of it exists.

    `types` are the type as written and what the environment makes of it. `requires` are the names
    of the resources that it refers to.
    """

    name: str
    types: frozenset[str]
    props: Readable
    requires: frozenset[str] = frozenset()
    _read: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def is_a(self, type_name: str) -> bool:
        return type_name in self.types

    def read(self, key: str) -> Any:
        """A property's value, names unresolved. ValueError for one that cannot be had."""
        # Every other resource may ask for it.
        try:
            return self._read[key]
        except KeyError:
            pass
        try:
            value = self._read[key] = self.props.read(key)
        except StackValidationFailed as error:
            raise ValueError(str(error)) from error
        return value


class Neighbourhood:
    """All resources of a template, found by their types."""

    def __init__(self, members: Iterable[Neighbour]) -> None:
        self.members = tuple(members)
        self.by_type: dict[str, list[Neighbour]] = {}
        for member in self.members:
            for type_name in member.types:
                self.by_type.setdefault(type_name, []).append(member)

    def others(self, own: Neighbour) -> Others:
        """All but one."""
        return Others(self, own)


class Others(Collection[Neighbour]):
    """The resources of a template but one, in the template's order."""

    def __init__(self, neighbourhood: Neighbourhood, own: Neighbour) -> None:
        self._neighbourhood = neighbourhood
        self._own = own

    def __iter__(self) -> Iterator[Neighbour]:
        return (member for member in self._neighbourhood.members if member is not self._own)

    def __len__(self) -> int:
        return len(self._neighbourhood.members) - 1

    def __contains__(self, member: object) -> bool:
        return any(other is member for other in self)

    def of_type(self, type_name: str) -> Iterator[Neighbour]:
        """Those of a type."""
        of_type = self._neighbourhood.by_type.get(type_name, ())
        return (member for member in of_type if member is not self._own)


def where(
    others: Iterable[Neighbour], type_name: str, matches: Callable[[Neighbour], object]
) -> Iterator[str]:
    """The names of the resources of a type for which `matches` holds.

    A value that cannot be read makes no requirement: validation has more to say about it.
    """
    if isinstance(others, Others):
        candidates = others.of_type(type_name)
    else:
        candidates = (other for other in others if other.is_a(type_name))
    for other in candidates:
        try:
            found = bool(matches(other))
        except (ValueError, TypeError):
            continue
        if found:
            yield other.name
