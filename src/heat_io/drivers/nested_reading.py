"""Reading a nested stack: its outputs, its members, and what those have (a NestedStack)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol

from sqlalchemy import Connection

from heat_core.errors import InvalidTemplateAttribute, NotFound, TemplateOutputError
from heat_core.resources.nested import Member, Members
from heat_core.stack import NodeData, StackDefinition
from heat_core.stack.ids import StackId
from heat_core.stack.node_data import AttributeKey
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action
from heat_io.database import Database, resources, stacks, templates
from heat_io.drivers.definitions import Definitions
from heat_io.sandbox.evaluation import evaluate

_NOTHING_KNOWN: Mapping[str, NodeData] = MappingProxyType({})


class ReadsAttributes(Protocol):
    """Attributes of a stack's resources (heat_io.drivers.attributes)."""

    async def read(
        self, stack: StackRecord, wanted: Mapping[str, Iterable[AttributeKey]]
    ) -> Mapping[str, NodeData]: ...


def members_of(rows: Iterable[ResourceRecord], document: Mapping[str, Any] | None) -> Members:
    """The members of a nested stack by its rows; the last row of a name counts."""
    found = {
        row.name: Member(
            name=row.name,
            status=row.status.value,
            created_at=row.created_at,
            reference_id=row.physical_id or row.name,
            physical_id=row.physical_id,
        )
        for row in rows
        if row.action is not Action.DELETE
    }
    return Members.of(found.values(), document)


class NestedReading:
    """One nested stack, read through its own definition and its own resources' types."""

    def __init__(
        self,
        database: Database,
        definitions: Definitions,
        attributes: ReadsAttributes,
        owner: str,
        stack: StackRecord,
    ) -> None:
        """`owner` names the resource whose nested stack it is, for what is said of it."""
        self._database = database
        self._definitions = definitions
        self._attributes = attributes
        self._owner = owner
        self._stack = stack

    @classmethod
    async def of(
        cls,
        database: Database,
        definitions: Definitions,
        attributes: ReadsAttributes,
        row: ResourceRecord,
    ) -> NestedReading | None:
        """The nested stack of that resource, None when there is none."""
        if row.physical_id is None:
            return None
        stack_id = StackId(row.physical_id)
        found = await database.read(
            lambda connection: stacks.fetch(connection, stack_id, with_deps=False)
        )
        return None if found is None else cls(database, definitions, attributes, row.name, found)

    async def output(self, name: str) -> Any:
        """The value of an output; NotFound without such an output, else TemplateOutputError."""
        definition = await self._definitions.for_stack(self._stack)
        if name not in definition.outputs:
            raise NotFound(f"Specified output key {name} not found.")
        nodes = await read_for_outputs(self._attributes, self._stack, definition, [name])
        try:
            return await evaluate(definition.resolve, definition.outputs[name].value, nodes)
        except Exception as error:
            raise TemplateOutputError(
                resource=self._owner, attribute=name, message=str(error)
            ) from error

    async def members(self) -> Members:
        stack = self._stack

        def unit(
            connection: Connection,
        ) -> tuple[list[ResourceRecord], Mapping[str, Any] | None]:
            record = templates.fetch(connection, stack.raw_template_id)
            rows = resources.fetch_by_stack(connection, stack.id)
            return rows, None if record is None else record.template

        return members_of(*await self._database.read(unit))

    async def member_reference(self, name: str) -> Any:
        node = (await self._attributes.read(self._stack, {name: ()})).get(name)
        return None if node is None else node.reference_id

    async def member_attribute(self, name: str, path: tuple[Any, ...]) -> Any:
        key: AttributeKey = path[0] if len(path) == 1 else path
        node = (await self._attributes.read(self._stack, {name: (key,)})).get(name)
        if node is None or node.action == Action.INIT:
            return None
        if key not in node.attributes:
            raise InvalidTemplateAttribute(resource=name, key=path[0])
        value = node.attributes[key]
        if isinstance(value, Exception):
            raise value
        return value


async def read_for_outputs(
    attributes: ReadsAttributes,
    stack: StackRecord,
    definition: StackDefinition,
    outputs: Iterable[str],
) -> Mapping[str, NodeData]:
    """The data of the resources that outputs read.

    Which attribute is read may itself be read from a resource: then there is more to read once that
    is known, until nothing is missing.
    """
    names = list(outputs)
    nodes: dict[str, NodeData] = {}
    asked: dict[str, frozenset[Any]] = {}
    while True:
        needed = await evaluate(needed_nodes, definition, names, nodes)
        missing = {
            name: keys - asked.get(name, frozenset())
            for name, keys in needed.items()
            if name not in asked or not keys <= asked[name]
        }
        if not missing:
            return nodes
        for name, node in (await attributes.read(stack, missing)).items():
            known = nodes[name].attributes if name in nodes else {}
            nodes[name] = replace(node, attributes={**known, **node.attributes})
        for name, keys in missing.items():
            asked[name] = asked.get(name, frozenset()) | keys


def needed_nodes(
    definition: StackDefinition,
    outputs: Iterable[str],
    nodes: Mapping[str, NodeData] = _NOTHING_KNOWN,
) -> dict[str, frozenset[Any]]:
    """The resources that outputs read, each with the attributes that are read.

    `nodes` are those that are known by now.
    """
    names = list(outputs)
    needed = definition.output_attributes(names, nodes)
    at = definition.resolution(nodes)
    for key in names:
        for name in definition.outputs[key].required_names(at):
            if name in definition.resources:
                needed.setdefault(name, frozenset())
    return needed
