"""What a visit reads and works out: row, stack and graph, the decision, attributes for others."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Connection

from heat_core.convergence import Node, entries, graph_node, is_gone, node_results
from heat_core.convergence.evaluation import (
    Plan,
    Situation,
    class_of,
    clean_up_without_delete,
    delete_plan,
    evaluate,
)
from heat_core.convergence.node_events import (
    AttributesRead,
    AttributesUnreadable,
    EvaluateNode,
    EvaluationFailed,
    NodeEvaluated,
)
from heat_core.errors import HeatException
from heat_core.graph import Graph
from heat_core.procedure import ProcedureIO
from heat_core.resources import resource_failure
from heat_core.rpc import RequestContext
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.node_data import encode_key
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_io.database import TemplateKey, resources, sync_points, visits
from heat_io.drivers.definitions import NONE_KNOWN
from heat_io.drivers.node_parts import NodeParts
from heat_io.drivers.procedure_driver import PATIENCE_SECONDS, NoRow, Session
from heat_io.drivers.running_visit import RunningVisit
from heat_io.sandbox import evaluation

log = logging.getLogger(__name__)

type _Keys = Mapping[TemplateId, TemplateKey]

IO = ProcedureIO()


class Loaded(NamedTuple):
    """What a visit finds; see NodeLoaded."""

    row: ResourceRecord | None
    graph: Graph[Node] | None
    stands_for: ResourceId | None = None
    reported: bool = False


class NodeReader:
    """Reads for visits."""

    def __init__(self, parts: NodeParts) -> None:
        self._parts = parts

    async def load(self, running: RunningVisit) -> Loaded:
        """The row, the graph of its stack, and what the row stands for; the stack is noted."""
        resource_id, is_update = running.visit.resource_id, running.visit.is_update
        graphs = self._parts.graphs

        def unit(
            connection: Connection,
        ) -> tuple[Loaded, StackRecord | None, _Keys]:
            found = visits.fetch(connection, resource_id)
            if found is None:
                return Loaded(None, None), None, NONE_KNOWN
            row, stack = _without_stranger(connection, found.row), found.stack
            if not stack.current_traversal:
                return Loaded(row, None), stack, NONE_KNOWN
            graph = graphs.known(stack.id, stack.current_traversal)
            if graph is None:
                graph = graphs.read(connection, stack)
            first = _stands_for(connection, row, graph) if is_update else None
            reported = is_update and _has_reported(connection, stack, row, graph, first)
            return Loaded(row, graph, first, reported), stack, found.template_keys

        loaded, stack, running.templates = await self._parts.database.read(unit)
        if stack is not None and stack.current_traversal and loaded.graph is not None:
            graphs.keep(stack.id, stack.current_traversal, loaded.graph)
        running.stack = stack
        return loaded

    async def evaluate(
        self, effect: EvaluateNode, running: RunningVisit
    ) -> NodeEvaluated | EvaluationFailed:
        """What is to be done with the row; it fails, too, when nobody can act for the stack."""
        stack, row, known = effect.stack, effect.row, running.templates
        if not running.visit.is_update:
            nothing_deleted = clean_up_without_delete(row, stack)
            if nothing_deleted is not None:
                return nothing_deleted
        definitions = self._parts.definitions
        own = None
        if row.current_template_id is not None:
            own = await definitions.for_template(stack, row.current_template_id, known)
        situation = Situation(
            stack=stack,
            row=row,
            is_update=running.visit.is_update,
            definition=await definitions.for_stack(stack, known),
            own_definition=own,
            nodes=node_results(running.visit.input_data),
            resume=effect.resume,
        )
        try:
            credentials = await self._credentials_for(situation, running.context)
        except HeatException as error:
            # Nobody can act for the stack: its owner must be told, not the log.
            plan = delete_plan(stack, row, situation.definition if situation.is_update else own)
            return EvaluationFailed(str(resource_failure(error, row.name)), plan)
        session = Session(NoRow(), credentials, running.slot, patience_seconds=PATIENCE_SECONDS)
        answer = await self._parts.procedures.run(evaluate(IO, situation), session)
        if not isinstance(answer, NodeEvaluated | EvaluationFailed):
            raise AssertionError(f"an evaluation gave {answer!r}")
        return answer

    async def _credentials_for(self, situation: Situation, context: RequestContext) -> Any:
        """Stored credentials, only where a service may be asked."""
        name = situation.row.name
        for definition in (situation.definition, situation.own_definition):
            resource = None if definition is None else definition.resources.get(name)
            if resource is None:
                continue
            cls = class_of(resource.type, definition, name)
            if cls.service is not None or cls.needs_stored_credentials:
                return await self._parts.credentials.for_stack(situation.stack, context)
        return None

    async def type_name(self, stack: StackRecord, row: ResourceRecord, plan: Any) -> str:
        """The type that the row is of: the plan's, or else that of the row's own template."""
        return (plan if isinstance(plan, Plan) else await self.own_plan(stack, row)).type_name

    async def own_plan(self, stack: StackRecord, row: ResourceRecord) -> Plan:
        """The plan that follows from the definition that the row was made from."""
        own = None
        if row.current_template_id is not None:
            own = await self._parts.definitions.for_template(stack, row.current_template_id)
        return delete_plan(stack, row, own)

    async def read_attributes(
        self, stack: StackRecord, row: ResourceRecord, running: RunningVisit
    ) -> AttributesRead | AttributesUnreadable:
        """What others read of the row, as it goes on the wire (rules/i-convergence.md#26)."""
        definition = await self._parts.definitions.for_stack(stack, running.templates)
        # Which attribute is read may itself be read from a resource that was done before.
        nodes = node_results(running.visit.input_data)
        keys = await evaluation.evaluate(definition.referenced_attributes, row.name, nodes)
        data = await self._parts.attributes.of_node(
            stack, row, definition, keys, patience_seconds=PATIENCE_SECONDS
        )
        for key, value in data.attributes.items():
            if isinstance(value, Exception):
                log.info("an attribute that others need can't be read", exc_info=value)
                reason = f"{row.name}: {encode_key(key)}: {type(value).__name__}: {value}"
                return AttributesUnreadable(reason)
        return AttributesRead(data.to_wire())


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
