"""What visits read, read together.

A traversal visits many nodes at the same time, and each visit begins by reading its row. So visits
that ask while a read is under way are served by the next one, all by one statement. A read answers
those only who asked before it began: nobody is shown a state that is older than the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

import trio
from sqlalchemy import Connection

from heat_core.convergence import Node, entries, graph_node, is_gone, next_in_chain
from heat_core.graph import Graph
from heat_core.stack.ids import ResourceId, StackId, TemplateId
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import (
    Database,
    DatabaseFailure,
    TemplateKey,
    resources,
    sync_points,
    visits,
)
from heat_io.database.visits import Visited
from heat_io.drivers.definitions import NONE_KNOWN, Graphs

LOADS_AT_ONCE = 200
AHEAD = 8
"""links of a chain that are read together"""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a visit finds, see NodeLoaded; nothing of it when the row is gone."""

    row: ResourceRecord | None = None
    stack: StackRecord | None = None
    template_keys: Mapping[TemplateId, TemplateKey] = NONE_KNOWN
    graph: Graph[Node] | None = None
    stands_for: ResourceId | None = None
    reported: bool = False
    ahead: Mapping[Node, Loaded] = field(default_factory=dict)
    """the same of nodes that come next along a chain, if that was asked for"""


type _Asked = tuple[ResourceId, bool]
"""the row, and whether the visit is one of an update"""


@dataclass(slots=True, eq=False)
class _Question:
    asked: _Asked
    ahead: bool = False
    answered: trio.Event = field(default_factory=trio.Event)
    answer: Loaded = Loaded()
    error: Exception | None = None


class VisitLoads:
    """Reads for the visits of one engine; its task lives in `nursery`."""

    def __init__(self, database: Database, graphs: Graphs, nursery: trio.Nursery) -> None:
        self._database = database
        self._graphs = graphs
        self._nursery = nursery
        self._asked: list[_Question] = []
        self._is_reading = False

    async def load(
        self, resource_id: ResourceId, is_update: bool, *, ahead: bool = False
    ) -> Loaded:
        """What there is about the row; `ahead`: and those that may soon be asked for.

        Raises as Database.read.
        """
        question = _Question((resource_id, is_update), ahead)
        self._asked.append(question)
        if not self._is_reading:
            self._is_reading = True
            self._nursery.start_soon(self._read_all)
        await question.answered.wait()
        if question.error is not None:
            raise question.error
        return question.answer

    async def _read_all(self) -> None:
        """Read until nobody asks. When this is cancelled, so are those that wait for it."""
        while self._asked:
            batch, self._asked = self._asked[:LOADS_AT_ONCE], self._asked[LOADS_AT_ONCE:]
            try:
                await self._answer(batch)
            except DatabaseFailure as failure:
                _fail(batch, failure)
            except Exception as error:
                # One row that can't be read must not keep the others from being read.
                for question in batch:
                    await self._answer_alone(question, error, len(batch) == 1)
            for question in batch:
                question.answered.set()
        self._is_reading = False

    async def _answer_alone(self, question: _Question, error: Exception, is_alone: bool) -> None:
        if is_alone:
            question.error = error
            return
        try:
            await self._answer([question])
        except Exception as own:
            question.error = own

    async def _answer(self, batch: Sequence[_Question]) -> None:
        asked = {question.asked for question in batch}
        ahead = {question.asked for question in batch if question.ahead}
        found = await self._database.read(lambda connection: self._fetch(connection, asked, ahead))
        for loaded in found.values():
            stack = loaded.stack
            if stack is not None and stack.current_traversal and loaded.graph is not None:
                self._graphs.keep(stack.id, stack.current_traversal, loaded.graph)
        for question in batch:
            question.answer = found.get(question.asked, question.answer)

    def _fetch(
        self, connection: Connection, asked: Set[_Asked], ahead: Set[_Asked]
    ) -> dict[_Asked, Loaded]:
        read: dict[StackId, Graph[Node] | None] = {}
        visited = visits.fetch_many(connection, {resource_id for resource_id, _ in asked})
        found: dict[_Asked, Loaded] = {}
        for key in sorted(asked):
            resource_id, is_update = key
            if resource_id in visited:
                loaded = self._loaded(connection, visited[resource_id], is_update, read)
                if key in ahead:
                    loaded = replace(loaded, ahead=self._ahead(connection, loaded, is_update, read))
                found[key] = loaded
        return found

    def _ahead(
        self,
        connection: Connection,
        loaded: Loaded,
        is_update: bool,
        read: dict[StackId, Graph[Node] | None],
    ) -> dict[Node, Loaded]:
        nodes = _chain(loaded, is_update)
        visited = visits.fetch_many(connection, {_row_of(node) for node in nodes}) if nodes else {}
        return {
            node: self._loaded(connection, visited[_row_of(node)], node.is_update, read)
            for node in nodes
            if _row_of(node) in visited
        }

    def _loaded(
        self,
        connection: Connection,
        found: Visited,
        is_update: bool,
        read: dict[StackId, Graph[Node] | None],
    ) -> Loaded:
        """`read` are the graphs that were read for others of the batch."""
        row, stack = _without_stranger(connection, found.row), found.stack
        if not stack.current_traversal:
            return Loaded(row, stack)
        graph = self._graphs.known(stack.id, stack.current_traversal)
        if graph is None:
            if stack.id not in read:
                read[stack.id] = self._graphs.read(connection, stack)
            graph = read[stack.id]
        first = _stands_for(connection, row, graph) if is_update else None
        reported = is_update and _has_reported(connection, stack, row, graph, first)
        return Loaded(row, stack, found.template_keys, graph, first, reported)


def _chain(loaded: Loaded, is_update: bool) -> list[Node]:
    """The nodes of resources that come next, as far as that is easy to tell."""
    graph, found = loaded.graph, list[Node]()
    if graph is None or loaded.row is None:
        return found
    node = graph_node(graph, loaded.row, is_update, loaded.stands_for)
    while node is not None and len(found) < AHEAD:
        node = next_in_chain(graph, node)
        if node is None or not isinstance(node.id, int):
            break
        found.append(node)
    return found


def _row_of(node: Node) -> ResourceId:
    return ResourceId(int(node.id))


def _fail(batch: Sequence[_Question], failure: Exception) -> None:
    for question in batch:
        question.error = failure


def _has_reported(
    connection: Connection,
    stack: StackRecord,
    row: ResourceRecord,
    graph: Graph[Node] | None,
    first: ResourceId | None,
) -> bool:
    """Whether a visit of this traversal has done it all: this message came once more.

    An update of a nested stack is never without effect, so it must not begin again. Only a row that
    is of the stack's template already makes it worth a look, and mostly the first one tells.
    """
    brought = row.status is Status.COMPLETE and row.current_template_id == stack.raw_template_id
    if graph is None or not brought or row.action is Action.INIT:
        return False
    node = graph_node(graph, row, True, first)
    if node is None:
        return False
    receivers = [(other.entity, other.is_update) for other in graph.required_by(node)]
    traversal = stack.current_traversal or ""
    for entity, is_update in receivers or [(stack.id, True)]:
        point = sync_points.fetch(connection, entity, traversal, is_update)
        if point is None or node.key not in entries(point.input_data):
            return False
    return True


def _without_stranger(connection: Connection, row: ResourceRecord) -> ResourceRecord:
    """The row, without a replacement that is gone and whose id another row may have by now."""
    if row.replaced_by is None:
        return row
    replacement = resources.fetch(connection, row.replaced_by)
    if replacement is not None and _replaces(replacement, row):
        return row
    return replace(row, replaced_by=None)


def _replaces(replacement: ResourceRecord, row: ResourceRecord) -> bool:
    """Whether it really does; once the old object is deleted, only the old row says so."""
    if replacement.replaces is None and is_gone(row):
        return (replacement.stack_id, replacement.name) == (row.stack_id, row.name)
    return replacement.replaces == row.id


def _stands_for(
    connection: Connection, row: ResourceRecord, graph: Graph[Node] | None
) -> ResourceId | None:
    """The row of the graph that this one was made for in the end, over replacements between."""
    seen: set[ResourceId] = set()
    while graph is not None and Node(row.id, True) not in graph and row.id not in seen:
        seen.add(row.id)
        replaced = resources.fetch_replaced(connection, row)
        if replaced is None:
            return None
        row = replaced
    return row.id if seen else None
