"""Parsed stacks and traversal graphs, cached: no node pays for the whole stack.

A parsed definition is known by what it was parsed from: the template row with its times and its
files (ids come back on SQLite, and re-encryption rewrites rows), and the stack that it is for. A
graph is known by its traversal, which never changes its graph once that is stored.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import trio
from sqlalchemy import Connection

from heat_core.convergence import Node, decode_deps, is_prepared
from heat_core.environment import Environment
from heat_core.errors import EntityNotFound
from heat_core.graph import Graph
from heat_core.stack import StackDefinition
from heat_core.stack.ids import StackId, TemplateId, TraversalId
from heat_core.stack.records import StackRecord, TemplateRecord
from heat_core.template import Template
from heat_io.database import Database, TemplateKey, stacks, sync_points, templates
from heat_io.sandbox.evaluation import evaluate

NONE_KNOWN: Mapping[TemplateId, TemplateKey] = MappingProxyType({})

PARSED_BYTES_PER_TEXT_BYTE = 8
"""a parsed tree takes about that much more than the template's text"""


class LeastRecentlyUsed[K: Hashable, V]:
    """A bounded map: what was not asked for the longest goes first."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._total = 0
        self._items: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        found = self._items.get(key)
        if found is None:
            return None
        self._items.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        old = self._items.pop(key, None)
        if old is not None:
            self._total -= old[1]
        self._items[key] = (value, size)
        self._total += size
        while self._total > self._limit and len(self._items) > 1:
            _, (_, gone) = self._items.popitem(last=False)
            self._total -= gone


class _DefinitionKey(NamedTuple):
    template: TemplateKey
    stack_id: StackId
    stack_name: str
    tenant: str


@dataclass(frozen=True, slots=True)
class _Loaded:
    record: TemplateRecord
    files: dict[str, str]


class Definitions:
    """StackDefinitions by template row and stack, within a bound of bytes."""

    def __init__(
        self,
        database: Database,
        *,
        limit_bytes: int = 256 * 1024 * 1024,
    ) -> None:
        self._database = database
        self._cache: LeastRecentlyUsed[_DefinitionKey, StackDefinition] = LeastRecentlyUsed(
            limit_bytes
        )
        self._parsing: dict[_DefinitionKey, trio.Event] = {}
        self.parses = 0

    async def for_stack(
        self, stack: StackRecord, known: Mapping[TemplateId, TemplateKey] = NONE_KNOWN
    ) -> StackDefinition:
        """The definition of the stack's template. EntityNotFound when the template is gone."""
        found = await self.for_template(stack, stack.raw_template_id, known)
        if found is None:
            raise EntityNotFound(entity="Raw template", name=str(stack.raw_template_id))
        return found

    async def for_template(
        self,
        stack: StackRecord,
        template_id: TemplateId,
        known: Mapping[TemplateId, TemplateKey] = NONE_KNOWN,
    ) -> StackDefinition | None:
        """The definition of one of the stack's templates, past or present; None if it is gone.

        `known` are keys that the caller has just read.
        """
        row_key = known.get(template_id)
        if row_key is None:
            row_key = await self._database.read(
                lambda connection: templates.fetch_key(connection, template_id)
            )
        if row_key is None:
            return None
        key = _DefinitionKey(row_key, stack.id, stack.name, stack.tenant)
        while True:
            found = self._cache.get(key)
            if found is not None:
                return found
            parsing = self._parsing.get(key)
            if parsing is None:
                break
            await parsing.wait()
        self._parsing[key] = done = trio.Event()
        try:
            return await self._parse(key)
        finally:
            del self._parsing[key]
            done.set()

    async def _parse(self, key: _DefinitionKey) -> StackDefinition | None:
        loaded = await self._database.read(lambda connection: _load(connection, key.template.id))
        if loaded is None:
            return None
        self.parses += 1
        definition = await evaluate(
            build_definition,
            loaded.record,
            loaded.files,
            key.stack_id,
            key.stack_name,
            key.tenant,
        )
        # What hostile work its conditions ask for is done here, where the loop need not wait.
        await evaluate(_warm, definition)
        size = PARSED_BYTES_PER_TEXT_BYTE * (
            len(str(loaded.record.template)) + sum(map(len, loaded.files.values()))
        )
        self._cache.put(key, definition, size)
        return definition


def _load(connection: Connection, template_id: TemplateId) -> _Loaded | None:
    record = templates.fetch(connection, template_id)
    return None if record is None else _Loaded(record, templates.fetch_files(connection, record))


def build_definition(
    record: TemplateRecord,
    files: dict[str, str],
    stack_id: StackId,
    stack_name: str,
    tenant: str,
) -> StackDefinition:
    """Parse a stored template for its stack."""
    template = Template(
        record.template, files=files, environment=Environment.of_stack(record.environment)
    )
    return StackDefinition.build(
        template,
        stack_name=stack_name,
        stack_id=stack_id,
        project_id=tenant,
    )


def _warm(definition: StackDefinition) -> None:
    """Read the sections; their mistakes are told by whoever needs them."""
    with suppress(Exception):
        _ = definition.resources, definition.outputs


class Graphs:
    """Graphs of traversals, within a bound of nodes."""

    def __init__(self, *, limit_nodes: int = 500_000) -> None:
        self._cache: LeastRecentlyUsed[tuple[StackId, TraversalId], Graph[Node]] = (
            LeastRecentlyUsed(limit_nodes)
        )

    def known(self, stack_id: StackId, traversal_id: TraversalId) -> Graph[Node] | None:
        return self._cache.get((stack_id, traversal_id))

    def keep(self, stack_id: StackId, traversal_id: TraversalId, graph: Graph[Node]) -> None:
        self._cache.put((stack_id, traversal_id), graph, len(graph) + 1)

    def read(self, connection: Connection, stack: StackRecord) -> Graph[Node] | None:
        """Read the graph of the stack's traversal within a unit of work; the caller keeps it.

        None while the traversal is being prepared: the stored graph is then still the one of the
        traversal before, and no node of the new one has been sent a message.
        """
        full = stacks.fetch(connection, stack.id)
        traversal = stack.current_traversal
        if full is None or not traversal or full.current_traversal != traversal:
            return None
        point = sync_points.fetch(connection, stack.id, traversal, True)
        return decode_deps(full.current_deps) if is_prepared(point) else None
