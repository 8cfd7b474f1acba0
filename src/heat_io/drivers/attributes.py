"""Attributes of resources, read by their types' procedures."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

import trio
from sqlalchemy import Connection

from heat_core.convergence.evaluation import class_of, view_of
from heat_core.errors import InvalidTemplateAttribute, NotFound, TemplateOutputError
from heat_core.procedure import ProcedureIO, ServiceError
from heat_core.properties import select_from_attribute
from heat_core.resources import ResourceType
from heat_core.resources.nested import StackType
from heat_core.resources.nested.children import surroundings_of
from heat_core.resources.reading import has_attribute
from heat_core.stack import NodeData, StackDefinition
from heat_core.stack.node_data import AttributeKey
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action
from heat_io.database import Database, DatabaseFailure, resources
from heat_io.drivers.definitions import Definitions
from heat_io.drivers.nested_reading import NestedReading
from heat_io.drivers.ports import CredentialsSource
from heat_io.drivers.procedure_driver import NoRow, ProcedureDriver, Session

log = logging.getLogger(__name__)

IO = ProcedureIO()
SHOW = "show"
AT_ONCE = 16
"""resources asked side by side"""


class Attributes:
    """Reads attributes, of one node for its traversal and of many for an answer to a user."""

    def __init__(
        self,
        database: Database,
        definitions: Definitions,
        procedures: ProcedureDriver,
        credentials: CredentialsSource,
    ) -> None:
        self._database = database
        self._definitions = definitions
        self._procedures = procedures
        self._credentials = credentials

    async def read(
        self, stack: StackRecord, wanted: Mapping[str, Iterable[AttributeKey]]
    ) -> Mapping[str, NodeData]:
        """Return the node data of the named resources that have a row, with these attributes.

        A row that the stack's template does not name (what was added is not cleaned up yet, or a
        rollback failed before it) is read as the type that its own template says.
        """
        names = {name: tuple(keys) for name, keys in wanted.items()}

        def rows(connection: Connection) -> dict[str, ResourceRecord]:
            found = resources.fetch_by_stack(
                connection, stack.id, with_properties=True, with_data=True
            )
            return {row.name: row for row in found if row.name in names}

        by_name = await self._database.read(rows)
        definition = await self._definitions.for_stack(stack)
        result: dict[str, NodeData] = {}
        limiter = trio.CapacityLimiter(AT_ONCE)

        async def read_one(row: ResourceRecord) -> None:
            async with limiter:
                own = await self._definition_of(row, stack, definition)
                result[row.name] = await self.of_node(stack, row, own, names[row.name])

        async with trio.open_nursery() as nursery:
            for row in by_name.values():
                nursery.start_soon(read_one, row)
        return {name: result[name] for name in names if name in result}

    async def _definition_of(
        self, row: ResourceRecord, stack: StackRecord, definition: StackDefinition
    ) -> StackDefinition:
        """The definition that names the row: the stack's, else that of the row's template."""
        if row.name in definition.resources or row.current_template_id is None:
            return definition
        own = await self._definitions.for_template(stack, row.current_template_id)
        return definition if own is None else own

    async def of_node(
        self,
        stack: StackRecord,
        row: ResourceRecord,
        definition: StackDefinition,
        keys: Iterable[AttributeKey],
        *,
        patience_seconds: float = 0.0,
    ) -> NodeData:
        """The row as other resources see it; a service that is away gets so long to come back.

        An attribute that the resource doesn't have is left out, in place of one that can't be read
        stands the exception: get_attr raises either way, once something reads it.
        """
        resource = definition.resources.get(row.name)
        type_name = "" if resource is None else resource.type
        cls = class_of(type_name, definition, row.name)
        instance = cls(view_of(row, stack, cls))
        values: dict[AttributeKey, Any] = {}
        reference_id = instance.reference_id()
        if isinstance(instance, StackType):
            nested = await NestedReading.of(self._database, self._definitions, self, row)
            reference_id = await _reference_of(instance, nested)
            values = await self._of_nested(instance, nested, row, definition, keys)
        elif row.action is not Action.INIT:
            known = [key for key in keys if resource is None or _has(cls, key)]
            values = await self._values(stack, instance, known, patience_seconds)
        return NodeData(
            id=row.id,
            name=row.name,
            uuid=row.uuid,
            reference_id=reference_id,
            attributes=values,
            action=row.action,
            status=row.status,
        )

    async def _of_nested(
        self,
        instance: StackType,
        nested: NestedReading | None,
        row: ResourceRecord,
        definition: StackDefinition,
        keys: Iterable[AttributeKey],
    ) -> dict[AttributeKey, Any]:
        values: dict[AttributeKey, Any] = {}
        if row.action is Action.INIT or row.name not in definition.resources:
            return values
        at = surroundings_of(definition, row.name, stored=row.properties)
        for key in sorted(keys, key=str):
            name, *path = (key,) if isinstance(key, str) else key
            if name == SHOW and SHOW not in instance.attributes:
                values[key] = None
                continue
            try:
                values[key] = await instance.read_attribute(nested, at, name, *path)
            except InvalidTemplateAttribute as error:
                fields = {"resource": row.name, "why": str(error)}
                log.info("a resource lacks an attribute", extra={"fields": fields})
            except DatabaseFailure:
                raise
            except Exception as error:
                values[key] = error
        return values

    async def _values(
        self,
        stack: StackRecord,
        instance: ResourceType,
        keys: Iterable[AttributeKey],
        patience_seconds: float,
    ) -> dict[AttributeKey, Any]:
        wanted = sorted(keys, key=str)
        if not wanted:
            return {}
        needs_cloud = type(instance).service is not None
        credentials = await self._credentials.for_stack(stack) if needs_cloud else None
        session = Session(NoRow(), credentials, patience_seconds=patience_seconds)
        whole: dict[Any, Any] = {}
        for key in wanted:
            name = key if isinstance(key, str) else key[0]
            if name not in whole:
                whole[name] = await self._one(instance, name, session)
        return {
            key: whole[key] if isinstance(key, str) else _inside(whole[key[0]], key[1:])
            for key in wanted
        }

    async def _one(self, instance: ResourceType, name: Any, session: Session) -> Any:
        try:
            if name == SHOW:
                if instance.view.physical_id is None:
                    return None
                return await self._procedures.run(instance.show(IO), session)
            return await self._procedures.run(instance.attribute(IO, name), session)
        except ServiceError as error:
            if not error.not_found:
                log.warning(
                    "an attribute can't be read",
                    extra={"fields": {"resource": instance.view.name, "attribute": name}},
                )
            return None
        except Exception as error:
            return error


def _has(cls: type[ResourceType], key: AttributeKey) -> bool:
    return has_attribute(cls, key if isinstance(key, str) else key[0])


async def _reference_of(instance: StackType, nested: NestedReading | None) -> Any:
    """What get_resource gives: an output of the nested stack may say it."""
    output = instance.reference_output()
    if output is not None and nested is not None:
        try:
            return await nested.output(output)
        except (NotFound, TemplateOutputError) as error:
            log.info("a reference can't be read", extra={"fields": {"why": str(error)}})
    return instance.reference_id()


def _inside(value: Any, path: tuple[Any, ...]) -> Any:
    return value if isinstance(value, Exception) else select_from_attribute(value, path)
