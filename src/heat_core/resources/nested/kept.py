"""A store of what is expensive to make: the least recently used goes first, bounded by cost."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from contextlib import suppress


class Kept[K: Hashable, V]:
    """Values by key, at most `limit` of cost in all; one that costs more is not kept.

    Only reads and writes of one dictionary at a time: threads may share it, at worst a value is
    made twice.
    """

    __slots__ = ("_entries", "_limit", "_total")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._total = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value, which counts as just used; None when it isn't there."""
        found = self._entries.get(key)
        if found is None:
            return None
        with suppress(KeyError):  # another thread may just have taken it out
            self._entries.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, *, cost: int) -> None:
        """Keep a value."""
        if cost > self._limit or key in self._entries:
            return
        self._entries[key] = (value, cost)
        self._total += cost
        while self._total > self._limit:
            _, (_, oldest) = self._entries.popitem(last=False)
            self._total -= oldest

    def __len__(self) -> int:
        return len(self._entries)
