"""A directed graph of things that require other things. Knows nothing of stacks.

"A requires B" is the edge (A, B): B comes first. A graph is built by a list of small transforms
over a GraphBuilder and then frozen; everything that is asked on the path of one node is a
dictionary look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, Protocol


class Sortable(Hashable, Protocol):
    """What a node must be: hashable, and comparable so that every walk has one fixed order."""

    def __lt__(self, other: Any, /) -> bool: ...


class CycleError(Exception):
    """The graph has a cycle; `cycle` lists its nodes, each requiring the next."""

    def __init__(self, cycle: tuple[Any, ...]) -> None:
        super().__init__(" -> ".join(str(node) for node in cycle))
        self.cycle = cycle


class GraphBuilder[N: Sortable]:
    """Collects nodes and edges for a Graph."""

    __slots__ = ("_required_by", "_requires")

    def __init__(self) -> None:
        self._requires: dict[N, set[N]] = {}
        self._required_by: dict[N, set[N]] = {}

    def __contains__(self, node: object) -> bool:
        return node in self._requires

    def add(self, node: N) -> None:
        """Add a node; nothing happens if it is there."""
        if node not in self._requires:
            self._requires[node] = set()
            self._required_by[node] = set()

    def require(self, requirer: N, required: N) -> None:
        """Add the edge and, where missing, its ends."""
        self.add(requirer)
        self.add(required)
        self._requires[requirer].add(required)
        self._required_by[required].add(requirer)

    def build(self) -> Graph[N]:
        return Graph(self._requires, self._required_by)


type Transform[N: Sortable] = Callable[[GraphBuilder[N]], None]


def build_graph[N: Sortable](transforms: Iterable[Transform[N]]) -> Graph[N]:
    """Run the transforms in order over an empty builder."""
    builder: GraphBuilder[N] = GraphBuilder()
    for transform in transforms:
        transform(builder)
    return builder.build()


class Graph[N: Sortable]:
    """A frozen graph. Every iteration is in sorted order."""

    __slots__ = ("_leaves", "_required_by", "_requires", "_roots")

    def __init__(self, requires: Mapping[N, set[N]], required_by: Mapping[N, set[N]]) -> None:
        self._requires = {node: tuple(sorted(requires[node])) for node in sorted(requires)}
        self._required_by = {node: tuple(sorted(required_by[node])) for node in self._requires}
        # Each root that is reached asks for all of them.
        self._leaves = tuple(node for node, needs in self._requires.items() if not needs)
        self._roots = tuple(node for node, waiting in self._required_by.items() if not waiting)

    @classmethod
    def from_edges(cls, edges: Iterable[tuple[N, N | None]]) -> Graph[N]:
        """Build from (requirer, required) pairs; required None adds the requirer alone."""
        builder: GraphBuilder[N] = GraphBuilder()
        for requirer, required in edges:
            if required is None:
                builder.add(requirer)
            else:
                builder.require(requirer, required)
        return builder.build()

    def __contains__(self, node: object) -> bool:
        return node in self._requires

    def __iter__(self) -> Iterator[N]:
        return iter(self._requires)

    def __len__(self) -> int:
        return len(self._requires)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self._requires == other._requires

    __hash__ = None  # type: ignore[assignment]  # compared by content in tests, never a key

    def requires(self, node: N) -> tuple[N, ...]:
        """The nodes that must come before this one."""
        return self._requires[node]

    def required_by(self, node: N) -> tuple[N, ...]:
        """The nodes that wait for this one."""
        return self._required_by[node]

    def leaves(self) -> tuple[N, ...]:
        """Nodes that require nothing: where a traversal starts."""
        return self._leaves

    def roots(self) -> tuple[N, ...]:
        """Nodes that nobody requires: where a traversal ends."""
        return self._roots

    def edges(self) -> Iterator[tuple[N, N | None]]:
        """(requirer, required) pairs; an isolated node as (node, None)."""
        for node, needs in self._requires.items():
            for required in needs:
                yield node, required
            if not needs and not self._required_by[node]:
                yield node, None

    def topological(self) -> tuple[N, ...]:
        """All nodes, each after everything it requires; CycleError if that cannot be."""
        missing = {node: len(needs) for node, needs in self._requires.items()}
        ready = [node for node, count in missing.items() if count == 0]
        ordered: list[N] = []
        for node in ready:
            ordered.append(node)
            for waiting in self._required_by[node]:
                missing[waiting] -= 1
                if missing[waiting] == 0:
                    ready.append(waiting)
        if len(ordered) != len(self._requires):
            raise CycleError(self._find_cycle({n for n, count in missing.items() if count}))
        return tuple(ordered)

    def _find_cycle(self, stuck: set[N]) -> tuple[N, ...]:
        node = min(stuck)
        seen: dict[N, int] = {}
        path: list[N] = []
        while node not in seen:
            seen[node] = len(path)
            path.append(node)
            node = next(needed for needed in self._requires[node] if needed in stuck)
        return tuple(path[seen[node] :])
