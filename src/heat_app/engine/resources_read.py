"""Reading resources: lists, one on its own, one by its physical id."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from heat_app.engine.arguments import column_filters
from heat_app.engine.formatting import identity_of, shown_resource
from heat_app.engine.lookup import stack_of_identity
from heat_app.engine.ports import Endpoint
from heat_core.errors import (
    EntityNotFound,
    Forbidden,
    PhysicalResourceIDAmbiguity,
    ResourceNotFound,
)
from heat_core.rpc import RequestContext
from heat_core.stack import (
    Action,
    ResourceDefinition,
    ResourceId,
    ResourceRecord,
    StackDefinition,
    StackRecord,
    Status,
    TemplateId,
)
from heat_io.database import resources, stacks

type Json = dict[str, Any]

_SHOW = "show"


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a stack, by id, with the stacks nested in it."""

    stack: StackRecord
    rows: Sequence[ResourceRecord]
    children: Sequence[StackRecord]


@dataclass(frozen=True, slots=True)
class _Found:
    """A row and what its template says about it."""

    row: ResourceRecord
    definition: ResourceDefinition
    required_by: Sequence[str]
    attributes: frozenset[str]


class ResourceReads(Endpoint):
    """What can be asked of resources."""

    async def list_stack_resources(
        self,
        context: RequestContext,
        stack_identity: Mapping[str, Any],
        nested_depth: int = 0,
        with_detail: bool = False,
        filters: Mapping[str, Any] | None = None,
    ) -> list[Json]:
        """The resources of a stack, deleted ones too, and of the stacks nested in it.

        Source: rules/o-listing.md#11-15.
        """
        depth = min(nested_depth, self._parts.settings.max_nested_stack_depth)
        columns = column_filters(filters or {})
        type_part = columns.pop("type", None)
        found = await self._parts.database.read(
            lambda connection: _rows_of(
                connection,
                stack_of_identity(connection, context, stack_identity, show_deleted=True),
            )
        )
        return await self._listed(found, depth, with_detail, columns, type_part)

    async def _listed(
        self,
        found: _Rows,
        depth: int,
        with_detail: bool,
        columns: Mapping[str, Any],
        type_part: str | None,
    ) -> list[Json]:
        matching = _latest(row for row in found.rows if _matches(row, columns))
        shown = await self._shown(found, matching.values(), type_part, with_detail, None)
        if depth <= 0:
            return shown
        for child in _nested(found):
            # The default argument keeps this child: the unit may be run again later.
            inner = await self._parts.database.read(
                lambda connection, child=child: _rows_of(connection, child)  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            )
            shown += await self._listed(inner, depth - 1, with_detail, columns, type_part)
        return shown

    async def describe_stack_resources(
        self,
        context: RequestContext,
        stack_identity: Mapping[str, Any],
        resource_name: str | None,
    ) -> list[Json]:
        """All resources of the current template in detail, or the one of that name."""
        found = await self._rows(context, stack_identity)
        definition = await self._parts.definitions.for_stack(found.stack)
        latest = _latest(found.rows)
        names = [name for name in definition.resources if resource_name in (None, name)]
        rows = [latest.get(name) or _not_yet(found.stack, name) for name in names]
        return await self._shown(found, rows, None, True, None)

    async def detailed(self, stack: StackRecord, names: Collection[str]) -> list[Json]:
        """The resources of these names in detail: those that have a row or are in the template."""
        if not names:
            return []
        found = await self._parts.database.read(lambda connection: _rows_of(connection, stack))
        definition = await self._parts.definitions.for_stack(stack)
        latest = _latest(found.rows)
        rows = [
            latest.get(name) or _not_yet(stack, name)
            for name in names
            if name in latest or name in definition.resources
        ]
        return await self._shown(found, rows, None, True, None)

    async def describe_stack_resource(
        self,
        context: RequestContext,
        stack_identity: Mapping[str, Any],
        resource_name: str,
        with_attr: Sequence[str] | bool | None = None,
    ) -> Json:
        """One resource in detail; `with_attr` names further attributes, false leaves all out.

        ResourceNotFound when neither the template nor the database has it. A user that a stack
        made sees nothing yet: no type makes such users (rules/k-locks-services.md#23).
        """
        found = await self._rows(context, stack_identity)
        if self._parts.settings.heat_stack_user_role in context.roles:
            raise Forbidden()
        definition = await self._parts.definitions.for_stack(found.stack)
        latest = _latest(found.rows)
        row = latest.get(resource_name)
        if row is None and resource_name in definition.resources:
            row = _not_yet(found.stack, resource_name)
        shown = [] if row is None else await self._shown(found, [row], None, True, with_attr)
        if not shown:
            raise ResourceNotFound(resource_name=resource_name, stack_name=found.stack.name)
        return shown[0]

    async def find_physical_resource(
        self, context: RequestContext, physical_resource_id: str
    ) -> dict[str, str]:
        """The identity of the resource with that physical id (rules/e-identity.md#20)."""

        def unit(connection: Connection) -> tuple[list[ResourceRecord], StackRecord | None]:
            rows = resources.fetch_by_physical_id(connection, physical_resource_id)
            owners = stacks.fetch_many(connection, sorted({row.stack_id for row in rows}))
            seen = [
                row
                for row in rows
                if context.is_admin
                or context.project_id
                in (owners[row.stack_id].tenant, owners[row.stack_id].stack_user_project_id)
            ]
            return seen, owners[seen[0].stack_id] if seen else None

        rows, stack = await self._parts.database.read(unit)
        if stack is None:
            raise EntityNotFound(entity="Resource", name=physical_resource_id)
        if len({row.stack_id for row in rows}) > 1:
            raise PhysicalResourceIDAmbiguity(phys_id=physical_resource_id)
        return identity_of(stack).resource(rows[0].name).to_dict()

    async def _rows(self, context: RequestContext, stack_identity: Mapping[str, Any]) -> _Rows:
        return await self._parts.database.read(
            lambda connection: _rows_of(
                connection, stack_of_identity(connection, context, stack_identity)
            )
        )

    async def _shown(
        self,
        found: _Rows,
        rows: Iterable[ResourceRecord],
        type_part: str | None,
        with_detail: bool,
        with_attr: Sequence[str] | bool | None,
    ) -> list[Json]:
        known = await self._known(found, rows)
        if type_part is not None:
            known = [one for one in known if type_part in one.definition.type]
        attributes: Mapping[str, Json] = {}
        if with_detail and with_attr is not False:
            extra = with_attr if isinstance(with_attr, list | tuple) else ()
            attributes = await self._attributes(found.stack, known, extra)
        nested = {child.id: child for child in found.children}
        shown = []
        for one in known:
            row = one.row
            entry = shown_resource(found.stack, row, one.definition.type, one.required_by)
            child = nested.get(row.physical_id)  # type: ignore[call-overload]  # an id or not
            if child is not None:
                entry["nested_stack_id"] = identity_of(child).to_dict()
            if with_detail:
                entry["description"] = one.definition.description or ""
                entry["metadata"] = row.metadata or {}
                if with_attr is not False:
                    entry["attributes"] = attributes.get(row.name, {})
            shown.append(entry)
        return shown

    async def _known(self, found: _Rows, rows: Iterable[ResourceRecord]) -> list[_Found]:
        """The rows whose own template is there and still speaks of them."""
        definitions: dict[TemplateId, tuple[StackDefinition, Mapping[str, list[str]]]] = {}
        known = []
        for row in rows:
            template_id = row.current_template_id or found.stack.raw_template_id
            if template_id not in definitions:
                try:
                    definition = await self._parts.definitions.for_stack(
                        replace(found.stack, raw_template_id=template_id)
                    )
                except EntityNotFound:
                    continue
                definitions[template_id] = definition, _requirers(definition)
            definition, requirers = definitions[template_id]
            resource = definition.resources.get(row.name)
            if resource is not None:
                known.append(
                    _Found(
                        row,
                        resource,
                        requirers.get(row.name, []),
                        definition.attribute_names(row.name),
                    )
                )
        return known

    async def _attributes(
        self, stack: StackRecord, known: Iterable[_Found], extra: Sequence[str]
    ) -> Mapping[str, Json]:
        """Live attributes by resource: `show` if it gives a map, else each one, null on failure.

        Source: rules/d-properties.md#39.
        """
        names = {one.row.name: _attribute_names(one, extra) for one in known}
        nodes = await self._parts.attributes.read(
            stack, {name: [_SHOW, *wanted] for name, wanted in names.items()}
        )
        shown = {}
        for name, wanted in names.items():
            node = nodes.get(name)
            values = {} if node is None else dict(_readable(node.attributes))
            whole = values.get(_SHOW)
            if isinstance(whole, Mapping):
                shown[name] = dict(whole) | {
                    key: values.get(key) for key in extra if key not in whole
                }
            else:
                shown[name] = {key: values.get(key) for key in wanted}
        return shown


def _readable(attributes: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    return ((key, value) for key, value in attributes.items() if not isinstance(value, Exception))


def _rows_of(connection: Connection, stack: StackRecord) -> _Rows:
    rows = resources.fetch_by_stack(connection, stack.id)
    return _Rows(stack, rows, stacks.children(connection, stack.id))


def _latest(rows: Iterable[ResourceRecord]) -> dict[str, ResourceRecord]:
    """The resource of each name: the last of its rows, at the place of the first one."""
    return {row.name: row for row in rows}


def _nested(found: _Rows) -> list[StackRecord]:
    """The nested stacks in the order of the resources that they belong to."""
    by_id: dict[Any, StackRecord] = {child.id: child for child in found.children}
    rows = _latest(found.rows).values()
    return [by_id[row.physical_id] for row in rows if row.physical_id in by_id]


def _not_yet(stack: StackRecord, name: str) -> ResourceRecord:
    """A resource that the template has and the database does not."""
    return ResourceRecord(
        id=ResourceId(0),
        uuid="",
        name=name,
        stack_id=stack.id,
        action=Action.INIT,
        status=Status.COMPLETE,
    )


def _requirers(definition: StackDefinition) -> Mapping[str, list[str]]:
    """Who needs whom, in template order."""
    requirers: dict[str, list[str]] = {name: [] for name in definition.resources}
    for name in definition.resources:
        for needed in definition.requires.get(name, ()):
            requirers[needed].append(name)
    return requirers


def _attribute_names(one: _Found, extra: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([*sorted(one.attributes - {_SHOW}), *extra]))


_COLUMNS = {
    "name": "name",
    "action": "action",
    "status": "status",
    "status_reason": "status_reason",
    "id": "id",
    "uuid": "uuid",
    "physical_resource_id": "physical_id",
}


def _matches(row: ResourceRecord, columns: Mapping[str, Any]) -> bool:
    """Whether a row passes exact filters; a list of values is any of them."""
    for column, wanted in columns.items():
        name = _COLUMNS.get(column)
        if name is None:
            continue
        value = getattr(row, name)
        options = wanted if isinstance(wanted, list | tuple) else [wanted]
        if value not in options and str(value) not in [str(option) for option in options]:
            return False
    return True
