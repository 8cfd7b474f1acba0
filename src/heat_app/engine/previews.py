"""Previews of a create and of an update: what they would make and change, without doing it.

Source: rules/h-updates.md (Preview update), facts/formats.json, docs/beyond-heat.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from heat_app.engine.arguments import StackOptions
from heat_app.engine.formatting import shown_resource, shown_stack
from heat_app.engine.outputs import planned_outputs
from heat_app.engine.planned import NO_ID, planned_resource, planned_stack_resources
from heat_app.engine.ports import Endpoint, Parts
from heat_app.engine.preparation import Preparation, Request
from heat_app.engine.resources_read import ResourceReads
from heat_core.convergence.preview import Kind, Outlook, Present, Previewed, preview_update
from heat_core.convergence.property_changes import PropertyChange
from heat_core.errors import NotSupported
from heat_core.parameters import HIDDEN_TEXT
from heat_core.procedure import ProcedureIO
from heat_core.rpc import RequestContext
from heat_core.stack import (
    Action,
    ResourceRecord,
    StackDefinition,
    StackId,
    StackRecord,
    Status,
    TemplateId,
)
from heat_io.database import resources
from heat_io.sandbox.evaluation import evaluate

type Json = dict[str, Any]

IO = ProcedureIO()
SHOW_CHANGES = "show_changes"
"""asks for what changes in each resource, and why one is replaced; Heat does not know it"""
CHANGES = "changes"

_OF_A_STACK_THAT_IS_THERE = ("stack_action", "stack_status", "stack_status_reason")
_NOW = frozenset({Kind.UPDATED, Kind.DELETED})
"""shown as they are, all others as they will be"""


class Previews(Endpoint):
    """What can be asked of a change that is not made."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._preparation = Preparation(parts)

    # --- create ------------------------------------------------------------------------------

    async def preview_stack(self, context: RequestContext, stack_name: str, **request: Any) -> Json:
        """The stack that a create would make, with its resources and their properties."""
        wanted = Request(**request)
        options = StackOptions.from_args(wanted.args)
        if options.adopt_stack_data is not None:
            raise NotSupported(feature="Stack Adopt")
        checked = await self._preparation.new_stack(context, stack_name, wanted, stack_id=NO_ID)
        definition = checked.definition
        stack = StackRecord(
            id=StackId(NO_ID),
            name=stack_name,
            tenant=context.project_id or "",
            raw_template_id=TemplateId(0),
            action=Action.CREATE,
            status=Status.IN_PROGRESS,
            username=context.username,
            timeout=options.timeout_mins,
            disable_rollback=options.disable_rollback is not False,
            created_at=self._parts.now(),
        )
        shown = shown_stack(
            stack,
            options.tags or (),
            description=checked.template.description,
            parameters=definition.parameters.shown(),
        )
        for key in _OF_A_STACK_THAT_IS_THERE:
            del shown[key]
        shown["outputs"] = await planned_outputs(definition)
        shown["resources"] = await evaluate(
            planned_stack_resources, definition, stack, self._parts.settings.stack_limits
        )
        return shown

    # --- update ------------------------------------------------------------------------------

    async def preview_update_stack(
        self, context: RequestContext, stack_identity: Mapping[str, Any], **request: Any
    ) -> Json:
        """The resources by what an update would do to them, each in detail.

        The argument show_changes adds to each of them what changes and why (docs/beyond-heat.md).
        """
        wanted = Request(**request)
        current = await self._preparation.current(context, stack_identity)
        checked = await self._preparation.changed_stack(context, current, wanted)
        stack, definition = current.stack, checked.definition
        present = await self._present(stack, definition)
        outlook: Outlook = await self._parts.procedures.run(
            context, preview_update(IO, present, definition)
        )
        shown = _Shown(definition, stack, outlook, await self._as_they_are(stack, outlook))
        answer: Json = {kind.value: [] for kind in Kind}
        for one in outlook.resources:
            entry = await evaluate(shown.entry, one)
            if wanted.args.get(SHOW_CHANGES):
                entry[CHANGES] = changes_of(one)
            answer[one.kind.value].append(entry)
        return answer

    async def _present(self, stack: StackRecord, wanted: StackDefinition) -> Present:
        """The stack as it is, with what the new definition reads of its resources."""

        def unit(connection: Connection) -> list[ResourceRecord]:
            return resources.fetch_by_stack(
                connection, stack.id, with_properties=True, with_data=True
            )

        rows = await self._parts.database.read(unit)
        templates = {row.current_template_id for row in rows} - {None, stack.raw_template_id}
        others = {}
        for template_id in sorted(template for template in templates if template is not None):
            other = await self._parts.definitions.for_template(stack, template_id)
            if other is not None:
                others[template_id] = other
        read = {name: wanted.referenced_attributes(name) for name in wanted.resources}
        return Present(
            stack=stack,
            rows=rows,
            definition=await self._parts.definitions.for_stack(stack),
            others=others,
            nodes=await self._parts.attributes.read(stack, read),
        )

    async def _as_they_are(self, stack: StackRecord, outlook: Outlook) -> Mapping[str, Json]:
        """The details of the resources that are shown as they are now."""
        names = [one.name for one in outlook.resources if one.kind in _NOW]
        found = await ResourceReads(self._parts).detailed(stack, names)
        return {shown["resource_name"]: shown for shown in found}


@dataclass(frozen=True, slots=True)
class _Shown:
    """Everything that the entries of one preview are made of."""

    definition: StackDefinition
    stack: StackRecord
    outlook: Outlook
    as_they_are: Mapping[str, Json]

    def entry(self, one: Previewed) -> Json:
        """The resource as it is now when it is updated or deleted, else as it will begin."""
        now = self.as_they_are.get(one.name) if one.kind in _NOW else None
        if now is not None:
            return dict(now)
        if one.kind is Kind.DELETED and one.row is not None:
            return shown_resource(self.stack, one.row, "", ())
        return planned_resource(self.definition, self.stack, one.name, self.outlook.nodes)


def changes_of(one: Previewed) -> Json:
    """What changes in a resource and why, with the values of hidden parameters masked."""
    return {
        "reason": one.reason,
        "refused": one.refused,
        "properties": [_shown_property(change) for change in one.properties],
    }


def _shown_property(change: PropertyChange) -> Json:
    masked = HIDDEN_TEXT if change.secret else None
    return {
        "name": change.name,
        "before": masked or change.before,
        "after": masked if change.secret and change.known else change.after,
        "known": change.known,
    }
