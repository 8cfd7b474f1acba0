"""The preview of an update, with what happens in the stacks nested in the stack.

Like Heat's, it lists the resources of a nested stack beside those of its parent: all of them as
deleted where its resource is deleted or replaced, all as added where it is added or replaced, and
where it is updated those of a preview of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection

from heat_app.engine.formatting import shown_resource
from heat_app.engine.planned import planned_child, planned_child_stack, planned_resource
from heat_app.engine.ports import Parts
from heat_app.engine.resources_read import ResourceReads
from heat_core.convergence.evaluation import view_of
from heat_core.convergence.preview import Kind, Outlook, Present, Previewed, preview_update
from heat_core.procedure import ProcedureIO
from heat_core.resources.nested import (
    StackType,
    child_definition,
    resource_of,
    surroundings_of,
)
from heat_core.rpc import RequestContext
from heat_core.stack import ResourceRecord, StackDefinition, StackId, StackRecord
from heat_io.database import resources, stacks, templates
from heat_io.drivers.nested_reading import members_of
from heat_io.sandbox.evaluation import evaluate

type Json = dict[str, Any]

IO = ProcedureIO()
SHOWN_AS_THEY_ARE = frozenset({Kind.UPDATED, Kind.DELETED})
"""all others are shown as they will be"""
ENDS = frozenset({Kind.DELETED, Kind.REPLACED})
BEGINS = frozenset({Kind.ADDED, Kind.REPLACED})


@dataclass(frozen=True, slots=True)
class Entry:
    """One resource of a preview: what happens to it and how it is shown."""

    one: Previewed
    shown: Json


class TreePreview:
    """The preview of one request; `context` is the caller's."""

    def __init__(self, parts: Parts, context: RequestContext) -> None:
        self._parts = parts
        self._context = context

    async def of(self, stack: StackRecord, wanted: StackDefinition, *, nested: bool) -> list[Entry]:
        """The resources of the stack, and of those nested in it if they are asked for."""
        outlook: Outlook = await self._parts.procedures.run(
            self._context, preview_update(IO, await self._present(stack, wanted), wanted)
        )
        now = await self._as_they_are(
            stack, [one.name for one in outlook.resources if one.kind in SHOWN_AS_THEY_ARE]
        )

        def shown(one: Previewed) -> Json:
            if one.kind in SHOWN_AS_THEY_ARE and one.name in now:
                return now[one.name]
            if one.kind is Kind.DELETED and one.row is not None:
                return shown_resource(stack, one.row, "", ())
            return planned_resource(wanted, stack, one.name, outlook.nodes)

        entries = [Entry(one, await evaluate(shown, one)) for one in outlook.resources]
        if nested:
            for one in outlook.resources:
                entries += await self._below(stack, wanted, outlook, one)
        return entries

    async def _below(
        self, stack: StackRecord, wanted: StackDefinition, outlook: Outlook, one: Previewed
    ) -> list[Entry]:
        """What happens in the stack that a resource is, or will be."""
        child = await self._child(stack, one.row)
        if one.kind is Kind.UPDATED and child is not None and one.row is not None:
            changed = await self._changed(stack, wanted, outlook, one.row, child)
            return [] if changed is None else await self.of(child, changed, nested=True)
        found: list[Entry] = []
        if one.kind in ENDS and child is not None:
            found += await self._all_deleted(child)
        if one.kind in BEGINS:
            found += await evaluate(self._all_added, stack, wanted, one.name)
        return found

    # --- what is there -----------------------------------------------------------------------

    async def _present(self, stack: StackRecord, wanted: StackDefinition) -> Present:
        """The stack as it is, with what the new definition reads of its resources."""
        rows = await self._parts.database.read(
            lambda connection: resources.fetch_by_stack(
                connection, stack.id, with_properties=True, with_data=True
            )
        )
        others = {}
        for template_id in {row.current_template_id for row in rows}:
            if template_id not in (None, stack.raw_template_id):
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

    async def _as_they_are(self, stack: StackRecord, names: Sequence[str]) -> dict[str, Json]:
        found = await ResourceReads(self._parts).detailed(stack, names)
        return {shown["resource_name"]: shown for shown in found}

    async def _child(self, stack: StackRecord, row: ResourceRecord | None) -> StackRecord | None:
        """The nested stack that the resource has; None for none."""
        child_id = None if row is None else row.physical_id
        if child_id is None:
            return None
        child = await self._parts.database.read(
            lambda connection: stacks.fetch(connection, StackId(child_id), with_deps=False)
        )
        return child if child is not None and child.owner_id == stack.id else None

    # --- what becomes of it ------------------------------------------------------------------

    async def _changed(
        self,
        stack: StackRecord,
        wanted: StackDefinition,
        outlook: Outlook,
        row: ResourceRecord,
        child: StackRecord,
    ) -> StackDefinition | None:
        """The definition that the nested stack is updated to; None when nobody can tell."""

        def unit(connection: Connection) -> Any:
            record = templates.fetch(connection, child.raw_template_id)
            rows = resources.fetch_by_stack(connection, child.id)
            return rows, None if record is None else record.template

        members = members_of(*await self._parts.database.read(unit))
        resource_class = wanted.resource_class(row.name)
        if not issubclass(resource_class, StackType):
            return None
        limits = self._parts.settings.stack_limits

        def define() -> StackDefinition | None:
            at = surroundings_of(
                wanted, row.name, nodes=outlook.nodes, members=members, limits=limits
            )
            resource = resource_of(at, view_of(row, stack, resource_class))
            try:
                document = resource.child_template(at)
            except NotImplementedError:
                return None
            return child_definition(
                resource,
                at,
                document,
                limits=limits,
                stack_name=child.name,
                stack_id=child.id,
            )

        return await evaluate(define)

    async def _all_deleted(self, stack: StackRecord) -> list[Entry]:
        rows = await self._parts.database.read(
            lambda connection: resources.fetch_by_stack(connection, stack.id)
        )
        definition = await self._parts.definitions.for_stack(stack)
        latest = {row.name: row for row in rows if row.name in definition.resources}
        now = await self._as_they_are(stack, list(latest))
        found = []
        for name, row in latest.items():
            shown = now.get(name) or shown_resource(stack, row, "", ())
            found.append(Entry(Previewed(name=name, kind=Kind.DELETED, row=row), shown))
        for row in latest.values():
            child = await self._child(stack, row)
            if child is not None:
                found += await self._all_deleted(child)
        return found

    def _all_added(self, stack: StackRecord, definition: StackDefinition, name: str) -> list[Entry]:
        child = planned_child(definition, name, self._parts.settings.stack_limits)
        if child is None:
            return []
        planned = planned_child_stack(child, stack, name)
        show: Callable[[str], Json] = partial(planned_resource, child, planned, nodes={})
        found = [Entry(Previewed(name=one, kind=Kind.ADDED), show(one)) for one in child.resources]
        for one in child.resources:
            found += self._all_added(planned, child, one)
        return found
