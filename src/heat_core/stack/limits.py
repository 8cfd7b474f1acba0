"""How large stacks may become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from heat_core.errors import RequestLimitExceeded, StackResourceLimitExceeded

_UNLIMITED: Final = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class StackLimits:
    """The options max_nested_stack_depth and max_resources_per_stack (-1: no limit)."""

    max_nested_stack_depth: int = 5
    max_resources_per_stack: int = 1000

    @property
    def is_unlimited(self) -> bool:
        """Whether a tree may have any number of resources."""
        return self.max_resources_per_stack == _UNLIMITED

    def check_depth(self, depth: int) -> int:
        """The depth of a child of a stack at `depth`. RequestLimitExceeded when too deep."""
        if depth >= self.max_nested_stack_depth:
            raise RequestLimitExceeded(
                message=f"Recursion depth exceeds {self.max_nested_stack_depth}."
            )
        return depth + 1

    def check_resources(self, count: int) -> None:
        """Raise RequestLimitExceeded when a tree of stacks has more resources than it may."""
        if not self.is_unlimited and count > self.max_resources_per_stack:
            raise RequestLimitExceeded(message=StackResourceLimitExceeded.msg_fmt)


DEFAULT_LIMITS: Final = StackLimits()

MOST_LOOKED_AT: Final = 100_000
"""resources of a tree that are looked at where nothing else limits them"""


class TreeCount:
    """Counts the resources of a tree of stacks while it is looked at, before any of it exists.

    A tree that is larger than the limit cannot be made; it is refused as soon as that shows, and
    not looked at to its end: five templates of a hundred resources each, one within the other,
    would be ten thousand million. `start` are the resources of the outermost stack; `at_least` is
    allowed whatever the limits.
    """

    __slots__ = ("_most", "_total")

    def __init__(self, limits: StackLimits, *, start: int = 0, at_least: int = 0) -> None:
        self._total = start
        most = MOST_LOOKED_AT if limits.is_unlimited else limits.max_resources_per_stack
        self._most = max(most, at_least)

    def add(self, count: int) -> None:
        """Count more resources. RequestLimitExceeded."""
        self._total += count
        if self._total > self._most:
            raise RequestLimitExceeded(message=StackResourceLimitExceeded.msg_fmt)
