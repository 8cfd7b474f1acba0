"""Reading stacks: identify, list, count, show, template, environment, files, outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from heat_app.engine.arguments import column_filters, page_of, texts
from heat_app.engine.formatting import identity_of, listed_stack, shown_output, shown_stack
from heat_app.engine.lookup import identified_stack, stack_of_identity
from heat_app.engine.outputs import resolved_outputs
from heat_app.engine.ports import Endpoint
from heat_core.errors import EntityNotFound, NotFound
from heat_core.parameters import HIDDEN_TEXT
from heat_core.rpc import RequestContext
from heat_core.stack import Action, StackRecord, Status, TemplateRecord
from heat_io.database import stack_lists, templates
from heat_io.database import tags as stack_tags
from heat_io.database.stack_lists import StackQuery

type Json = dict[str, Any]


class StackReads(Endpoint):
    """What can be asked of stacks."""

    async def identify_stack(self, context: RequestContext, stack_name: str) -> Json:
        """The identity of the stack with that name or id (rules/e-identity.md#16)."""
        stack = await self._parts.database.read(
            lambda connection: identified_stack(connection, context, stack_name)
        )
        return identity_of(stack).to_dict()

    async def list_stacks(
        self, context: RequestContext, *, tenant_safe: bool = True, **wanted: Any
    ) -> list[Json]:
        """Stacks as in a list (rules/o-listing.md#1-7).

        An administrator's context lists every project's; `tenant_safe` false makes it so.
        """
        filters = column_filters(wanted.pop("filters", None) or {})
        query = self._query(context, tenant_safe, filters, wanted)

        def unit(connection: Connection) -> list[Json]:
            found = stack_lists.list_stacks(connection, query)
            tags = stack_tags.fetch_many(connection, [stack.id for stack in found])
            return [listed_stack(stack, tags.get(stack.id, ())) for stack in found]

        return await self._parts.database.read(unit)

    async def count_stacks(
        self, context: RequestContext, *, tenant_safe: bool = True, **wanted: Any
    ) -> int:
        """How many stacks a list would have; filters go by column name (rules/o-listing.md#4)."""
        filters = wanted.pop("filters", None) or {}
        query = self._query(context, tenant_safe, filters, wanted)
        return await self._parts.database.read(
            lambda connection: stack_lists.count_stacks(connection, query)
        )

    def _query(
        self,
        context: RequestContext,
        tenant_safe: bool,
        filters: Mapping[str, Any],
        wanted: Mapping[str, Any],
    ) -> StackQuery:
        everybody = context.is_admin or not tenant_safe
        return StackQuery(
            tenant=None if everybody else context.project_id,
            filters=filters,
            show_deleted=bool(wanted.get("show_deleted") or context.show_deleted),
            show_nested=bool(wanted.get("show_nested")),
            hidden_tags=() if wanted.get("show_hidden") else self._parts.settings.hidden_stack_tags,
            tags=texts(wanted.get("tags")),
            tags_any=texts(wanted.get("tags_any")),
            not_tags=texts(wanted.get("not_tags")),
            not_tags_any=texts(wanted.get("not_tags_any")),
            page=page_of(wanted),
        )

    async def show_stack(
        self,
        context: RequestContext,
        stack_identity: Mapping[str, Any] | None,
        resolve_outputs: bool = True,
    ) -> list[Json]:
        """One stack in a list, deleted ones too; without an identity every stack of the caller."""

        def unit(connection: Connection) -> list[tuple[StackRecord, list[str]]]:
            if stack_identity is not None:
                found = [stack_of_identity(connection, context, stack_identity, show_deleted=True)]
            else:
                found = stack_lists.list_stacks(connection, self._query(context, True, {}, {}))
            tags = stack_tags.fetch_many(connection, [stack.id for stack in found])
            return [(stack, list(tags.get(stack.id, ()))) for stack in found]

        stacks = await self._parts.database.read(unit)
        return [await self._shown(stack, tags, resolve_outputs) for stack, tags in stacks]

    async def _shown(self, stack: StackRecord, tags: list[str], resolve_outputs: bool) -> Json:
        definition = await self._parts.definitions.for_stack(stack)
        shown = shown_stack(
            stack,
            tags,
            description=definition.template.description,
            parameters=definition.parameters.shown(),
        )
        gone = stack.action is Action.DELETE and stack.status is Status.COMPLETE
        if resolve_outputs and not gone:
            shown["outputs"] = await resolved_outputs(self._parts, stack, definition)
        return shown

    async def list_outputs(
        self, context: RequestContext, stack_identity: Mapping[str, Any]
    ) -> list[Json]:
        """The outputs without their values."""
        stack = await self._live(context, stack_identity)
        definition = await self._parts.definitions.for_stack(stack)
        return [shown_output(key, output.description) for key, output in definition.outputs.items()]

    async def show_output(
        self, context: RequestContext, stack_identity: Mapping[str, Any], output_key: str
    ) -> Json:
        """One output with its value or its error; NotFound when there is no such output."""
        stack = await self._live(context, stack_identity)
        definition = await self._parts.definitions.for_stack(stack)
        if output_key not in definition.outputs:
            raise NotFound(f"Specified output key {output_key} not found.")
        (shown,) = await resolved_outputs(self._parts, stack, definition, [output_key])
        return shown

    async def get_template(
        self, context: RequestContext, stack_identity: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The template as it was given, parsed."""
        return (await self._template(context, stack_identity)).template

    async def get_environment(
        self, context: RequestContext, stack_identity: Mapping[str, Any]
    ) -> Json:
        """The stored environment, hidden parameters masked (rules/b-environment.md#29)."""
        record, stack = await self._template_and_stack(context, stack_identity)
        definition = await self._parts.definitions.for_stack(stack)
        hidden = {
            parameter.name for parameter in definition.parameters.of_template() if parameter.hidden
        }
        environment = dict(record.environment)
        for section in ("parameters", "parameter_defaults"):
            values = environment.get(section) or {}
            environment[section] = {
                name: HIDDEN_TEXT if name in hidden else value for name, value in values.items()
            }
        return environment

    async def get_files(
        self, context: RequestContext, stack_identity: Mapping[str, Any]
    ) -> dict[str, str]:
        """The files of the stack's template, by name."""

        def unit(connection: Connection) -> dict[str, str]:
            stack = stack_of_identity(connection, context, stack_identity, show_deleted=True)
            return templates.fetch_files(connection, _template_of(connection, stack))

        return await self._parts.database.read(unit)

    async def _live(
        self, context: RequestContext, stack_identity: Mapping[str, Any]
    ) -> StackRecord:
        return await self._parts.database.read(
            lambda connection: stack_of_identity(connection, context, stack_identity)
        )

    async def _template(
        self, context: RequestContext, stack_identity: Mapping[str, Any]
    ) -> TemplateRecord:
        return (await self._template_and_stack(context, stack_identity))[0]

    async def _template_and_stack(
        self, context: RequestContext, stack_identity: Mapping[str, Any]
    ) -> tuple[TemplateRecord, StackRecord]:
        def unit(connection: Connection) -> tuple[TemplateRecord, StackRecord]:
            stack = stack_of_identity(connection, context, stack_identity, show_deleted=True)
            return _template_of(connection, stack), stack

        return await self._parts.database.read(unit)


def _template_of(connection: Connection, stack: StackRecord) -> TemplateRecord:
    record = templates.fetch(connection, stack.raw_template_id)
    if record is None:
        raise EntityNotFound(entity="Template", name=str(stack.raw_template_id))
    return record
