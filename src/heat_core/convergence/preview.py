"""What an update would do to each resource, without doing it.

The rows are chosen and the decisions made by the code of the update itself: `select_rows`,
`update_question` and `prepare_update`. What is different is the state of the resources that come
first. An update waits for them; a preview says what they will be, as far as that is known: an
unchanged resource stays as it is, one that is updated in place keeps its reference, and what else
is to come the type may say (`ResourceType.attribute_after`). A property that reads what nobody
knows counts as changed, so a preview never calls unchanged what the update then changes.

Source: rules/h-updates.md (Preview update), docs/beyond-heat.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any

from heat_core.convergence.evaluation import Situation, resource_class, update_question, view_of
from heat_core.convergence.node_step import base_decision
from heat_core.convergence.property_changes import (
    PropertyChange,
    property_changes,
    readable,
    replacement_reason,
)
from heat_core.convergence.selection import is_gone, select_rows
from heat_core.errors import ResourceActionRestricted
from heat_core.procedure import ProcedureIO
from heat_core.properties import select_from_attribute
from heat_core.resources import (
    UNKNOWN,
    Change,
    NoChange,
    Refused,
    Replace,
    ResourceType,
    UpdateDecision,
    UpdateInPlace,
    UpdateQuestion,
    check_allowed,
    nested_state,
    prepare_update,
)
from heat_core.stack import FrozenDefinition, NodeData, ResourceDefinition, StackDefinition
from heat_core.stack.ids import ResourceId, TemplateId
from heat_core.stack.mistakes import users_mistake
from heat_core.stack.records import ResourceRecord, StackRecord
from heat_core.stack.states import Action, Status
from heat_core.stack.validation import dependency_order
from heat_core.template.function import (
    ALL_ATTRIBUTES,
    Function,
    attribute_references,
    functions_in,
    resolve,
)
from heat_core.template.functions.references import GetResource
from heat_core.template.scope import Resolution

NEW_TEMPLATE = TemplateId(-1)
"""stands for the template that a preview does not store"""


class Kind(StrEnum):
    """What the update does to a resource; the values are the lists of Heat's answer."""

    UNCHANGED = "unchanged"
    UPDATED = "updated"
    REPLACED = "replaced"
    ADDED = "added"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Previewed:
    """What happens to one resource.

    `row` is the one that is there now, None without any. `reason`: why it is replaced, or why the
    update will fail at it (`refused`).
    """

    name: str
    kind: Kind
    row: ResourceRecord | None = None
    properties: tuple[PropertyChange, ...] = ()
    reason: str | None = None
    refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The stack as it is.

    `definition` is of its template, `others` are the definitions that its rows were last brought
    to, by template. `nodes` are the resources as others see them, with the attributes that the new
    definition reads.
    """

    stack: StackRecord
    rows: Sequence[ResourceRecord]
    definition: StackDefinition
    others: Mapping[TemplateId, StackDefinition] = field(default_factory=dict)
    nodes: Mapping[str, NodeData] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Everything that an update would do, and what the resources will look like after it."""

    resources: tuple[Previewed, ...]
    nodes: Mapping[str, NodeData]

    def of(self, kind: Kind) -> tuple[Previewed, ...]:
        return tuple(one for one in self.resources if one.kind is kind)


async def preview_update(io: ProcedureIO, present: Present, wanted: StackDefinition) -> Outlook:
    """What an update of the stack to `wanted` would do, in dependency order, deleted ones last.

    Raises Heat's error where the update of a resource would be refused for its definition, and
    CircularDependencyException.
    """
    return await _Run(present, wanted).run(io)


class _Run:
    """One preview: what is decided so far, and what of it others cannot know yet."""

    def __init__(self, present: Present, wanted: StackDefinition) -> None:
        self._present = present
        self._wanted = wanted
        # As the stack will be when a node of the update looks at it.
        self._stack = replace(
            present.stack,
            action=Action.UPDATE,
            status=Status.IN_PROGRESS,
            raw_template_id=NEW_TEMPLATE,
            prev_raw_template_id=present.stack.raw_template_id,
        )
        self._nodes: dict[str, NodeData] = {}
        self._new_references: set[str] = set()
        self._unknown: set[tuple[str, Any]] = set()
        self._found: list[Previewed] = []

    async def run(self, io: ProcedureIO) -> Outlook:
        order = dependency_order(self._wanted)
        selection = select_rows(
            order,
            self._present.rows,
            template_id=NEW_TEMPLATE,
            previous_template_id=self._stack.prev_raw_template_id,
        )
        rows = {row.id: row for row in self._present.rows}
        for name in order:
            chosen = selection.chosen.get(name)
            await self._look_at(io, name, None if chosen is None else rows[chosen])
            await io.sleep(0)
        self._found += self._deleted()
        return Outlook(tuple(self._found), self._nodes)

    def _deleted(self) -> Iterable[Previewed]:
        last = {row.name: row for row in self._present.rows if not is_gone(row)}
        for name in dict.fromkeys([*self._present.definition.resources, *last]):
            if name not in self._wanted.resources:
                yield Previewed(name=name, kind=Kind.DELETED, row=last.get(name))

    # --- one resource ------------------------------------------------------------------------

    async def _look_at(self, io: ProcedureIO, name: str, row: ResourceRecord | None) -> None:
        definition = self._wanted.resources[name]
        new_class = resource_class(definition.type, self._wanted, name)
        with users_mistake(self._wanted.template.version.names.resources, name):
            after = await io.evaluate(partial(definition.freeze, self._wanted, self._nodes))
        if row is None or base_decision(row, self._stack, True) is not None:
            self._found.append(Previewed(name=name, kind=Kind.ADDED, row=row))
            await io.evaluate(partial(self._foresee_new, definition, new_class, after))
            return
        unknown = self._unknown_properties(definition)
        at = Situation(
            stack=self._stack,
            row=row,
            is_update=True,
            definition=self._wanted,
            own_definition=self._own(row),
            nodes=self._nodes,
        )
        with_stored = _with_stored(after, row, unknown)
        question = await io.evaluate(partial(update_question, at, new_class, with_stored))
        decision = await prepare_update(io, question)
        going = isinstance(decision, UpdateInPlace) and await _is_going(io, question.resource)
        if going:
            decision = Replace(NESTED_STACK_GOES)
        found = await io.evaluate(
            partial(self._come_to, question, decision, row, definition, unknown)
        )
        if going:
            found = replace(found, reason=NESTED_STACK_GOES)
        self._found.append(found)
        match found.kind:
            case Kind.REPLACED:
                await io.evaluate(partial(self._foresee_new, definition, new_class, after))
            case Kind.UPDATED:
                change = decision.change if isinstance(decision, UpdateInPlace) else None
                self._foresee_updated(row, new_class, after, change, bool(unknown))
            case _:
                self._keep(row)

    def _own(self, row: ResourceRecord) -> StackDefinition | None:
        if row.current_template_id is None:
            return None
        if row.current_template_id == self._present.stack.raw_template_id:
            return self._present.definition
        return self._present.others.get(row.current_template_id)

    def _come_to(
        self,
        question: UpdateQuestion,
        decision: UpdateDecision,
        row: ResourceRecord,
        definition: ResourceDefinition,
        unknown: frozenset[str],
    ) -> Previewed:
        """What the decision comes to, with what is not known yet taken into account."""
        refused = None
        if isinstance(decision, Refused):
            if not isinstance(decision.error, ResourceActionRestricted):
                raise decision.error
            refused = str(decision.error)
            replaces = decision.error.kwargs["action"] == "replace"
            kind = Kind.REPLACED if replaces else Kind.UPDATED
        elif isinstance(decision, Replace):
            kind = Kind.REPLACED
        elif isinstance(decision, NoChange) and not unknown:
            kind = Kind.UNCHANGED
        else:
            change = decision.change if isinstance(decision, UpdateInPlace) else None
            kind = _kind_with(question, change, unknown)
        changes: tuple[PropertyChange, ...] = ()
        if kind is not Kind.UNCHANGED:
            own = self._own(row)
            earlier = None if own is None else own.resources.get(row.name)
            sources = ((self._wanted, definition), (own, earlier))
            changes = property_changes(question, unknown, sources)
        reason = refused
        if refused is None and kind is Kind.REPLACED:
            reason = replacement_reason(question, [change.name for change in changes])
        return Previewed(
            name=row.name,
            kind=kind,
            row=row,
            properties=changes,
            reason=reason,
            refused=refused is not None,
        )

    # --- what is not known yet ---------------------------------------------------------------

    def _unknown_properties(self, definition: ResourceDefinition) -> frozenset[str]:
        """The properties that read what no one knows before the update."""
        tree = definition.properties
        if tree is None or not (self._new_references or self._unknown):
            return frozenset()
        at = self._wanted.resolution(self._nodes)
        if isinstance(tree, Function):
            names = resolve(tree, at)
            return frozenset(names if self._reads_unknown(tree, at) else ())
        return frozenset(name for name, value in tree.items() if self._reads_unknown(value, at))

    def _reads_unknown(self, tree: Any, at: Resolution) -> bool:
        for name, key in attribute_references(tree, at):
            if (name, key) in self._unknown:
                return True
            if key == ALL_ATTRIBUTES and any(other == name for other, _ in self._unknown):
                return True
        return any(
            isinstance(function, GetResource) and resolve(function.args, at) in self._new_references
            for function in functions_in(tree)
        )

    def _keep(self, row: ResourceRecord) -> None:
        """Nothing happens to the resource: others go on to see what they see now."""
        node = self._present.nodes.get(row.name)
        if node is not None and node.id == row.id:
            self._nodes[row.name] = node
            return
        # Another row of that name is in front of it: nobody has read this one.
        self._new_references.add(row.name)
        self._set_node(row.name, row, None, {})

    def _foresee_updated(
        self,
        row: ResourceRecord,
        new_class: type[ResourceType],
        after: FrozenDefinition,
        change: Change | None,
        uncertain: bool,
    ) -> None:
        node = self._present.nodes.get(row.name)
        if node is None or node.id != row.id:
            self._keep(row)
            return
        resource = new_class(view_of(row, self._stack, new_class))
        stored = new_class.stored_properties(after.properties)
        known: dict[Any, Any] = {}
        if not uncertain:
            change = change or Change(changed=frozenset(), before={}, after={})
            known = self._foreseen(resource, row.name, stored, change)
        self._set_node(row.name, row, node.reference_id, known)

    def _foresee_new(
        self,
        definition: ResourceDefinition,
        new_class: type[ResourceType],
        after: FrozenDefinition,
    ) -> None:
        name = definition.name
        row = ResourceRecord(
            id=ResourceId(0), uuid=_NO_UUID, name=name, stack_id=self._present.stack.id
        )
        known: dict[Any, Any] = {}
        if not self._unknown_properties(definition):
            resource = new_class(view_of(row, self._stack, new_class))
            stored = new_class.stored_properties(after.properties)
            known = self._foreseen(resource, name, stored, None)
        self._new_references.add(name)
        self._set_node(name, row, None, known)

    def _foreseen(
        self,
        resource: ResourceType,
        name: str,
        stored: Mapping[str, Any],
        change: Change | None,
    ) -> dict[Any, Any]:
        """The attributes that others read, as far as the type can tell them beforehand."""
        known = {}
        for key in self._wanted.referenced_attributes(name, self._nodes):
            attribute, *path = (key,) if isinstance(key, str) else key
            value = resource.attribute_after(attribute, stored, change)
            if value is not UNKNOWN:
                known[key] = select_from_attribute(value, path)
        return known

    def _set_node(
        self, name: str, row: ResourceRecord, reference: str | None, known: Mapping[Any, Any]
    ) -> None:
        keys = self._wanted.referenced_attributes(name, self._nodes)
        self._unknown |= {(name, key) for key in keys if key not in known}
        self._nodes[name] = NodeData(
            id=row.id,
            name=name,
            uuid=row.uuid,
            reference_id=name if reference is None else reference,
            attributes={key: known.get(key) for key in keys},
            action=Action.UPDATE,
        )


NESTED_STACK_GOES = "Its nested stack is gone or being deleted."


async def _is_going(io: ProcedureIO, resource: ResourceType) -> bool:
    """Whether the update would find that there is no nested stack any more that could be updated.

    The resource itself finds that out when its update has begun, and is replaced.
    """
    if not resource.has_nested_stack or resource.view.physical_id is None:
        return False
    state = await nested_state(io, resource)
    return state is None or state[0] is Action.DELETE


_NO_UUID = "00000000-0000-4000-8000-000000000000"


def _with_stored(
    after: FrozenDefinition, row: ResourceRecord, unknown: frozenset[str]
) -> FrozenDefinition:
    """The definition with what is not known yet as it is now: the rest decides by itself."""
    if not unknown:
        return after
    stored = row.properties or {}
    properties = {name: value for name, value in after.properties.items() if name not in unknown}
    properties |= {name: stored[name] for name in unknown if name in stored}
    return replace(after, properties=properties)


def _kind_with(question: UpdateQuestion, change: Change | None, unknown: frozenset[str]) -> Kind:
    """UPDATED, or REPLACED when one of the unknown properties cannot change in place."""
    schema = question.new_class.properties
    names = frozenset(name for name in unknown if name in schema and not schema[name].immutable)
    values = readable(question.new_class, question.after.properties)
    whole = Change(
        changed=names if change is None else change.changed | names,
        before=values if change is None else change.before,
        after=values if change is None else change.after,
        properties_changed=True,
    )
    try:
        check_allowed(question.resource, question.before.type, whole, schema)
    except Exception:  # a type may stumble over values that are not there yet
        return Kind.REPLACED
    return Kind.UPDATED
