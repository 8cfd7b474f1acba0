"""What a visit reads and works out: row, stack and graph, the decision, attributes for others."""

from __future__ import annotations

import logging
from typing import Any

import trio

from heat_core.convergence import node_results
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
from heat_core.procedure import ProcedureIO
from heat_core.resources import ResourceType, resource_failure
from heat_core.rpc import RequestContext
from heat_core.stack.node_data import encode_key
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_io.drivers.children import OnlyLooks
from heat_io.drivers.node_parts import NodeParts
from heat_io.drivers.procedure_driver import NoRow, Session
from heat_io.drivers.running_visit import RunningVisit
from heat_io.drivers.visit_loads import Loaded
from heat_io.patience import PATIENCE_SECONDS
from heat_io.sandbox import evaluation

log = logging.getLogger(__name__)

IO = ProcedureIO()
FRESH_SECONDS = 1.0
"""how long what was read in advance is used"""


class NodeReader:
    """Reads for visits."""

    def __init__(self, parts: NodeParts) -> None:
        self._parts = parts

    async def load(self, running: RunningVisit, *, ahead: bool = False) -> Loaded:
        """The row, the graph of its stack, and what the row stands for; the stack is noted.

        `ahead`: and what the visits that are likely to come next will read.
        """
        visit = running.visit
        loaded = await self._parts.loads.load(visit.resource_id, visit.is_update, ahead=ahead)
        running.stack, running.templates = loaded.stack, loaded.template_keys
        running.ahead, running.ahead_until = loaded.ahead, trio.current_time() + FRESH_SECONDS
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
        session = Session(
            NoRow(),
            credentials,
            running.slot,
            OnlyLooks(self._parts.database),
            PATIENCE_SECONDS,
        )
        answer = await self._parts.procedures.run(evaluate(IO, situation), session)
        if not isinstance(answer, NodeEvaluated | EvaluationFailed):
            raise AssertionError(f"an evaluation gave {answer!r}")
        return answer

    async def is_local(self, effect: EvaluateNode, running: RunningVisit) -> bool:
        """Whether the evaluation asks nobody outside this process."""
        stack, row, known = effect.stack, effect.row, running.templates
        definitions = [await self._parts.definitions.for_stack(stack, known)]
        if row.current_template_id is not None:
            own = await self._parts.definitions.for_template(stack, row.current_template_id, known)
            definitions += [own] if own is not None else []
        found = [(one, one.resources[row.name]) for one in definitions if row.name in one.resources]
        return all(is_local(class_of(resource.type, one, row.name)) for one, resource in found)

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


def is_local(cls: type[ResourceType]) -> bool:
    """Whether the type asks nobody outside this process."""
    return cls.service is None and not cls.needs_stored_credentials and not cls.has_nested_stack
