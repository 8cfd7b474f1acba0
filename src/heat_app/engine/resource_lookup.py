"""Finding the resource that a caller means within a stack (rules/e-identity.md#21)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from heat_app.engine.lookup import stack_of_identity
from heat_app.engine.ports import Parts
from heat_core.convergence.evaluation import class_of, view_of
from heat_core.errors import (
    EntityNotFound,
    PhysicalResourceIDAmbiguity,
    ResourceNotAvailable,
    ResourceNotFound,
)
from heat_core.resources import ResourceType
from heat_core.rpc import RequestContext
from heat_core.stack import Action, ResourceRecord, StackDefinition, StackRecord, Status
from heat_io.database import resources

_REFERABLE = frozenset(
    {
        (Action.INIT, Status.COMPLETE),
        (Action.CREATE, Status.IN_PROGRESS),
        (Action.CREATE, Status.COMPLETE),
        (Action.RESUME, Status.IN_PROGRESS),
        (Action.RESUME, Status.COMPLETE),
        (Action.UPDATE, Status.IN_PROGRESS),
        (Action.UPDATE, Status.COMPLETE),
        (Action.CHECK, Status.COMPLETE),
    }
)
"""states in which a resource can be found by its reference"""


@dataclass(frozen=True, slots=True)
class Found:
    """A resource of a stack with its row, and as its type sees it."""

    stack: StackRecord
    row: ResourceRecord
    type_name: str
    instance: ResourceType


async def named_resource(
    parts: Parts, context: RequestContext, stack_identity: Mapping[str, Any], name: str
) -> Found:
    """The resource of that name.

    ResourceNotFound when the stack's template has none, ResourceNotAvailable while it has no row.
    """
    found = await _resources(parts, context, stack_identity)
    if name not in found.definition.resources:
        raise ResourceNotFound(resource_name=name, stack_name=found.stack.name)
    return await _found(parts, found, name)


async def any_resource(
    parts: Parts, context: RequestContext, stack_identity: Mapping[str, Any], text: str
) -> Found:
    """The resource that `text` means: by its name, else its physical id, else its reference.

    As `named_resource`, and PhysicalResourceIDAmbiguity when several have that physical id.
    """
    found = await _resources(parts, context, stack_identity)
    if text in found.definition.resources:
        return await _found(parts, found, text)
    present = [row for name, row in found.rows.items() if name in found.definition.resources]
    matching = [row for row in present if row.physical_id == text]
    if len(matching) > 1:
        raise PhysicalResourceIDAmbiguity(phys_id=text)
    if matching:
        return await _found(parts, found, matching[0].name)
    for row in present:
        if (row.action, row.status) in _REFERABLE:
            one = await _found(parts, found, row.name)
            if one.instance.reference_id() == text:
                return one
    raise ResourceNotFound(resource_name=text, stack_name=found.stack.name)


@dataclass(frozen=True, slots=True)
class _Resources:
    """A stack with the row of each name: the last one (rules/i-convergence.md#38)."""

    stack: StackRecord
    definition: StackDefinition
    rows: Mapping[str, ResourceRecord]


async def _resources(
    parts: Parts, context: RequestContext, stack_identity: Mapping[str, Any]
) -> _Resources:
    def unit(connection: Connection) -> tuple[StackRecord, dict[str, ResourceRecord]]:
        stack = stack_of_identity(connection, context, stack_identity)
        rows = resources.fetch_by_stack(connection, stack.id, with_properties=True, with_data=True)
        return stack, {row.name: row for row in rows}

    stack, rows = await parts.database.read(unit)
    return _Resources(stack, await parts.definitions.for_stack(stack), rows)


async def _found(parts: Parts, among: _Resources, name: str) -> Found:
    """The resource, of the class of the template that its row was last brought to."""
    stack, definition, row = among.stack, among.definition, among.rows.get(name)
    if row is None:
        raise ResourceNotAvailable(resource_name=name)
    if row.current_template_id not in (None, stack.raw_template_id):
        with suppress(EntityNotFound):
            definition = await parts.definitions.for_stack(
                replace(stack, raw_template_id=row.current_template_id)
            )
    own = definition.resources.get(name) or among.definition.resources[name]
    resource_class = class_of(own.type, definition, name)
    return Found(stack, row, own.type, resource_class(view_of(row, stack, resource_class)))
